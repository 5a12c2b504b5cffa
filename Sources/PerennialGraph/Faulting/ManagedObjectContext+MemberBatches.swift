// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// The first access to a to-many relationship of an object loads it for the object's siblings: the
// live objects whose rows lie in the same page. Safe because every entry of an identity map is alive.

extension ManagedObjectContext {
  /// A number that changes whenever the members that the store or the parent has may have changed.
  var memberEpoch: Int {
    guard let parent else { return coordinator.rowCache.epoch }
    return parent.memberEpoch &+ parent.mutationCount &+ parent.membershipStamp
  }

  /// The members that the store has; in one query for the owner and its siblings.
  func fetchMembers(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout,
    _ key: OwnerKey
  ) throws(PerennialError) -> [ManagedObject] {
    relationships.batches.prepare(epoch: memberEpoch)
    var objects: [ManagedObject] = []
    if takeMembers(key, &objects) {
      faulting.memberBatchUse += 1
      return objects
    }
    try checkLazyLoad(of: owner, relationship)
    let owners = batchedOwners(owner, key) { loadsMembers(of: $0) }
    faulting.statistics.memberQueries += 1
    if owners.count > 1 {
      let rows = try store.fetchMembers(
        of: relationship,
        owners: owners,
        limit: FaultingState.memberLimit
      )
      faulting.statistics.rows += rows.pages.reduce(0) { $0 + $1.count }
      relationships.batches.append(
        MemberBatch(relationship, toMany: key.toMany, owners: owners, rows)
      )
      if takeMembers(key, &objects) { return objects }
      faulting.statistics.memberQueries += 1
    } else {
      noteSingleQuery(.members(entity: relationship.entity, toMany: key.toMany))
    }
    try store.fetchRows(relatedQuery(owner, relationship)) { page in
      faulting.statistics.rows += page.count
      append(page, to: &objects)
    }
    return objects
  }

  /// The members of an owner that a batch has brought, as objects.
  ///
  /// A row that is known keeps its values unless those of the batch are newer.
  private func takeMembers(_ key: OwnerKey, _ objects: inout [ManagedObject]) -> Bool {
    var rows: [PageRow] = []
    guard relationships.batches.take(key, { rows.append(PageRow(page: $0, index: $1)) }) else {
      return false
    }
    objects.reserveCapacity(rows.count)
    var new: [ManagedObject] = []
    for row in rows {
      let isKnown = homes[row.entity].root.pointee.map.find(row.key) != nil
      let object = loadedObject(of: row)
      objects.append(object)
      if !isKnown { new.append(object) }
    }
    // So that they are there when the relationship is read again.
    if rows.count <= FaultingState.batchCount { keep(new) }
    return true
  }

  /// The object of a row; a known one keeps the row that it has, unless a store has a newer one.
  private func loadedObject(of row: PageRow) -> ManagedObject {
    let root = homes[row.entity].root
    if let known = root.pointee.map.find(row.key)?.takeUnretainedValue(), let own = known._row,
      parent != nil || row.version <= PackedRow.version(own)
    {
      return known
    }
    return object(of: row)
  }

  /// The number of members that the store has; in one query for the owner and its siblings.
  func fetchMemberCount(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout,
    _ key: OwnerKey
  ) throws(PerennialError) -> Int {
    relationships.batches.prepare(epoch: memberEpoch)
    if let known = relationships.batches.counts[key] ?? relationships.batches.count(key) {
      faulting.memberBatchUse += 1
      return known
    }
    try checkLazyLoad(of: owner, relationship)
    faulting.statistics.memberQueries += 1
    let owners = batchedOwners(owner, key) { sibling in
      relationships.loaded[sibling] == nil && relationships.batches.counts[sibling] == nil
    }
    guard owners.count > 1 else {
      noteSingleQuery(.members(entity: relationship.entity, toMany: key.toMany))
      let count = try store.count(relatedQuery(owner, relationship))
      if faulting.batchesFaults, readsSharedRows { relationships.batches.counts[key] = count }
      return count
    }
    let counts = try store.countMembers(of: relationship, owners: owners)
    for owner in owners {
      let key = OwnerKey(entity: key.entity, toMany: key.toMany, owner: owner)
      relationships.batches.counts[key] = counts[owner] ?? 0
    }
    return counts[owner._key] ?? 0
  }

  /// The members that are known, or that a batch has brought; `nil` when the store would have to be asked.
  func membersAtHand(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout,
    _ key: OwnerKey
  ) throws(PerennialError) -> OrderedReferences? {
    if let loaded = relationships.loaded[key] { return loaded }
    relationships.batches.prepare(epoch: memberEpoch)
    guard isKnownAbove(owner), relationships.batches.count(key) != nil else { return nil }
    _ = try storedMembers(of: owner, relationship, key)
    return relationships.loaded[key]
  }

  /// Whether the members of an owner are not known, or have gone since.
  private func loadsMembers(of key: OwnerKey) -> Bool {
    guard let loaded = relationships.loaded[key] else { return true }
    guard let first = loaded.first else { return false }
    return homes[first.entity].root.pointee.map.find(first.key) == nil
  }

  /// An owner's key, and those of its siblings that meet a condition: those behind it first.
  private func batchedOwners(
    _ owner: ManagedObject,
    _ key: OwnerKey,
    where isWanted: (OwnerKey) -> Bool
  ) -> [Int64] {
    var owners = [owner._key]
    guard faulting.batchesFaults, readsSharedRows, let page = owner._committedPage,
      let row = owner._committedRow, page.count > 1
    else { return owners }
    let limit = faulting.nextMemberBatch(isFirst: relationships.batches.isEmpty)
    let root = homes[key.entity].root
    // A page of members has a row as often as it is a member.
    var seen: Set<Int64> = [owner._key]
    let own = page.offsets.firstIndex { page.base + Int($0) == row } ?? 0
    for step in 1..<page.count where owners.count < limit {
      let row = page.row((own + step) % page.count)
      let sibling = OwnerKey(entity: key.entity, toMany: key.toMany, owner: PackedRow.key(row))
      guard homes[PackedRow.entity(row)].layout.toManys.count > key.toMany,
        root.pointee.map.find(sibling.owner)?._withUnsafeGuaranteedRef({
          $0._committedPage === page
        }) == true,
        isWanted(sibling), seen.insert(sibling.owner).inserted
      else { continue }
      owners.append(sibling.owner)
    }
    faulting.memberBatchSize = owners.count
    return owners
  }
}
