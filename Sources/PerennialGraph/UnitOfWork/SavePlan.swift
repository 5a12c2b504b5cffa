// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// One save, ready for the store: the change set, and what the objects take over when it is done.
struct SavePlan {
  /// Where an object's saved row will be.
  ///
  /// Safe because the context's list of changed objects holds the object until it has been adopted.
  struct Adoption {
    let reference: Unmanaged<ManagedObject>
    /// The key of the saved row, which nobody need read for it.
    let key: Int64
    /// The place of the page in `pages`, and that of the row in the page.
    let page: Int32
    let row: Int32

    init(object: ManagedObject, key: Int64, page: Int, row: Int) {
      reference = .passUnretained(object)
      self.key = key
      self.page = Int32(truncatingIfNeeded: page)
      self.row = Int32(truncatingIfNeeded: row)
    }

    var object: ManagedObject { reference.takeUnretainedValue() }
  }

  /// Objects of one entity that are saved.
  struct Batch {
    let entity: Int
    let adoptions: Range<Int>
  }

  var changes = ChangeSet()
  var pages: [RowPage] = []
  var adoptions: [Adoption] = []
  var inserted: [Batch] = []
  /// Those whose rows change.
  var updated: [Batch] = []
  /// Whether objects have changes that no row gets: of transient values, or of values that a store derives.
  var hasUnstoredChanges = false
  /// Whether a row that was deleted is stored again.
  var storesAgain = false
  var deleted: [ManagedObject] = []
  /// What goes back when the save fails.
  var loans = RowLoans()
  /// Unchanged objects whose version is checked, and their rows of the next version.
  var watched: [(object: ManagedObject, row: PageRow)] = []
}

extension ManagedObjectContext {
  /// Reserves keys for the new objects and packs everything that changed.
  ///
  /// Rows are packed last: until they have been saved, or given back, they are not to be read.
  func makePlan(of work: PendingWork) throws(PerennialError) -> SavePlan {
    var plan = SavePlan()
    try reserveKeys(work)
    plan.deleted = work.deleted
    planLinks(&plan)
    try planOrders(&plan)
    try planDerivations(&plan)
    for index in homeIndexes {
      if let objects = work.inserted[index], !objects.isEmpty {
        planInsertions(of: objects, index, &plan)
      }
      if let objects = work.updated[index], !objects.isEmpty {
        planUpdates(of: objects, index, &plan)
      }
      planDeletions(index, &plan)
    }
    try planWatched(&plan)
    return plan
  }

  /// Sets keys aside for the new objects that have none, in the order of their insertion.
  ///
  /// In a child they keep the keys that they have.
  private func reserveKeys(_ work: PendingWork) throws(PerennialError) {
    guard parent == nil else {
      for objects in work.inserted.values {
        objects.visit { object in
          if object._reservedKey == 0 { object._edit?.pointee.reservedKey = object._key }
        }
      }
      return
    }
    let missing = work.missingKeys.merging(takePublishedKeys(work), uniquingKeysWith: -)
    for (root, count) in missing.sorted(by: { $0.key < $1.key }) where count > 0 {
      if coordinator.combined != nil {
        try reserveKeysInStores(work, root)
        continue
      }
      var key = try store.reserveKeys(root: root, count: count)
      for index in homes[root].layout.family {
        work.inserted[index]?.visit { object in
          guard let edit = object._edit, edit.pointee.reservedKey == 0 else { return }
          edit.pointee.reservedKey = key
          key += 1
        }
      }
    }
  }

  private func planInsertions(
    of objects: HeldObjects,
    _ index: Int,
    _ plan: inout SavePlan
  ) {
    // A row that was deleted elsewhere and is stored again goes on from its version, so that whoever
    // has read an old row does not take the new one for it; far on, as others may have saved between
    // what was read here and the deletion.
    let first = plan.adoptions.count
    var storesAgain = false
    let pages = pack(objects, homes[index].layout, &plan) {
      guard $0._key > 0 else { return ($0._reservedKey, version(after: 0, raisedBy: 1)) }
      storesAgain = true
      let former = PackedRow.version($0._loadedRow())
      return ($0._reservedKey, version(after: former, raisedBy: 1 << 16))
    }
    if storesAgain { plan.storesAgain = true }
    plan.changes.insertions.append(.init(entity: index, pages: pages))
    plan.inserted.append(.init(entity: index, adoptions: first..<plan.adoptions.count))
  }

  /// One batch for every set of changed slots, in the order of their first object.
  private func planUpdates(
    of objects: HeldObjects,
    _ index: Int,
    _ plan: inout SavePlan
  ) {
    let layout = homes[index].layout
    let words = EditRecord.maskWordCount(layout.slots.count)
    var batches: [[UInt64]: Int] = [:]
    var groups: [(slots: [Int], objects: HeldObjects)] = []
    var last: (mask: [UInt64], batch: Int) = ([], 0)
    objects.visit { object in
      if let edit = object._edit {
        let words = UnsafeBufferPointer(start: EditRecord.mask(edit), count: words)
        if !last.mask.elementsEqual(words) {
          let mask = Array(words)
          let batch = batches[mask] ?? groups.count
          if batch == groups.count {
            batches[mask] = batch
            let slots = EditRecord.changedSlots(edit, layout)
            let derived = homes[index].derivations?.storeSlots ?? []
            let written = slots.filter { !layout.slots[$0].isTransient && !derived.contains($0) }
            groups.append((written, HeldObjects()))
          }
          last = (mask, batch)
        }
      }
      groups[last.batch].objects.append(object)
    }
    let watches = !merging.watched.isEmpty
    for group in groups {
      guard !group.slots.isEmpty else {
        planUnstored(group.objects, index, &plan)
        continue
      }
      let first = plan.adoptions.count
      let pages = pack(group.objects, layout, &plan) {
        let former = watches ? expectedVersion(of: $0) : PackedRow.version($0._loadedRow())
        return ($0._key, version(after: former, raisedBy: 1))
      }
      plan.changes.updates.append(.init(entity: index, slots: group.slots, pages: pages))
      plan.updated.append(.init(entity: index, adoptions: first..<plan.adoptions.count))
    }
  }

  /// Packs objects of which no value is stored: only of the watched ones do rows change, which get the next version.
  private func planUnstored(
    _ objects: HeldObjects,
    _ index: Int,
    _ plan: inout SavePlan
  ) {
    plan.hasUnstoredChanges = true
    var (watched, others) = (HeldObjects(), HeldObjects())
    objects.visit { object in
      if merging.watchedVersion(of: object) == nil {
        others.append(object)
      } else {
        watched.append(object)
      }
    }
    let layout = homes[index].layout
    let first = plan.adoptions.count
    _ = pack(others, layout, &plan) {
      ($0._key, version(after: PackedRow.version($0._loadedRow()), raisedBy: 0))
    }
    // Safe because the page is the plan's own: no store sees it, and no object has its rows yet.
    for adoption in plan.adoptions[first...] where adoption.object._hasUnsavedValues {
      let row = plan.pages[Int(adoption.page)].row(Int(adoption.row))
      PackedRow.noteUnsavedValues(UnsafeMutableRawPointer(mutating: row))
      lifecycle.unsavedRoots.insert(layout.root)
    }
    if watched.isEmpty { return }
    let pages = pack(watched, layout, &plan) {
      ($0._key, version(after: expectedVersion(of: $0), raisedBy: 1))
    }
    plan.changes.updates.append(.init(entity: index, slots: [], pages: pages))
  }

  private func planDeletions(_ index: Int, _ plan: inout SavePlan) {
    var rows: [ChangeSet.Deletion.Row] = []
    for object in plan.deleted where object._state == .deleted {
      guard object._home == homes + index, object._row != nil else { continue }
      rows.append(.init(key: object._key, version: expectedVersion(of: object)))
    }
    if !rows.isEmpty { plan.changes.deletions.append(.init(entity: index, rows: rows)) }
  }

  /// The key that an object has, or will have after the save; `nil` when it will not be stored.
  func storedKey(_ reference: ObjectReference) -> Int64? {
    if reference.key > 0 { return reference.key }
    let known = homes[reference.entity].root.pointee.map.find(reference.key)
    let object = known?._withUnsafeGuaranteedRef {
      (state: $0._state, reservedKey: $0._reservedKey)
    }
    // A child's objects keep the keys that they have.
    if parent != nil { return object?.state == .deletedInsertion ? nil : reference.key }
    guard let object, object.state == .inserted, object.reservedKey != 0 else { return nil }
    return object.reservedKey
  }

  private func planLinks(_ plan: inout SavePlan) {
    for (number, link) in relationships.links.sorted(by: { $0.key < $1.key }) {
      let layout = store.model.links[number]
      let added = link.fromFirst.additions.compactMap { pair in
        isDeleted(pair.owner, layout.first.entity)
          || isDeleted(pair.member.key, layout.second.entity)
          ? nil : linkPair(layout, pair.owner, pair.member.key)
      }
      let removed = link.fromFirst.removals.compactMap { pair in
        linkPair(layout, pair.owner, pair.member)
      }
      if !added.isEmpty || !removed.isEmpty {
        plan.changes.links.append(.init(link: number, added: added, removed: removed))
      }
    }
  }

  private func isDeleted(_ key: Int64, _ entity: Int) -> Bool {
    homes[entity].root.pointee.map.find(key)?.takeUnretainedValue().isDeleted == true
  }

  private func linkPair(
    _ link: LinkLayout,
    _ first: Int64,
    _ second: Int64
  ) -> ChangeSet.LinkChange.Pair? {
    storedKey(ObjectReference(key: first, entity: link.first.entity)).flatMap { first in
      storedKey(ObjectReference(key: second, entity: link.second.entity)).map {
        .init(first: first, second: $0)
      }
    }
  }

  /// The whole order of every owner whose ordered members changed.
  private func planOrders(_ plan: inout SavePlan) throws(PerennialError) {
    let owners = relationships.orderedOwners.sorted {
      ($0.key.entity, $0.key.toMany, $0.value._key) < ($1.key.entity, $1.key.toMany, $1.value._key)
    }
    for (key, owner) in owners {
      guard !owner.isDeleted, owner._home != nil, !owner.isForwarding,
        let ownerKey = storedKey(owner._reference)
      else { continue }
      let relationship = homes[key.entity].layout.toManys[key.toMany]
      let members = try members(of: owner, relationship).filter { !$0.isDeleted }
      plan.changes.orders.append(
        .init(
          relationship: relationship,
          owner: ownerKey,
          members: members.compactMap { storedKey($0._reference) }
        )
      )
    }
  }
}
