// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Puts what others have saved into a context's objects.
///
/// Only registered objects take part: nothing is loaded. A row is taken when its version is newer
/// than the one that the object has, so that saves that a fetch has overtaken do no harm. A row that is
/// stored again after its deletion may have any version: where a save may have been followed by others
/// that are known here, the row is read instead, so that merging a save twice is merging it once.
///
/// Invariants:
/// 1. No pending edit that a save would write is lost: an edited object takes the new values under its edits.
/// 2. No code of the program runs before all changes are merged.
/// 3. An object whose row is doubtful takes none from a save.
struct ChangeMerger {
  private let context: ManagedObjectContext
  /// Whether properties that are edited here and were saved elsewhere count as merged.
  private let hidesConflicts: Bool
  /// Whether others that are known here may have followed the save that is being merged: what it wrote may be gone
  /// since, and what it deleted may be stored again.
  private var isRepeated = false
  /// Whether at least what it deleted may be stored again.
  private var isLate = false
  /// The rows that are read when all saves have been merged.
  private var doubtful: DoubtfulRows
  /// The objects that took newer values, and those without changes whose rows are gone; held, so
  /// that none dies before it is told.
  private(set) var refreshed: [ManagedObject] = []
  private(set) var deleted: [ManagedObject] = []
  private var stale = StaleMembers()
  private var inverses = InverseRepair()
  /// The objects whose derived attributes are read from the store: nobody else knows them.
  private var derived = DerivedRows()
  /// The keys by root entity that were deleted and not inserted again.
  private var deletedKeys: [Int: Set<Int64>] = [:]

  init(
    _ context: ManagedObjectContext,
    hidesConflicts: Bool,
    reading doubtful: DoubtfulRows = DoubtfulRows()
  ) {
    self.context = context
    self.hidesConflicts = hidesConflicts
    self.doubtful = doubtful
  }

  /// Merges one save.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - isRepeated: Whether it has been merged before, or one that may have come after it.
  ///   - isOwn: Whether a batch request of the context has made it, whose edits are on top of it then.
  mutating func merge(_ save: CommittedChanges, isRepeated: Bool, isOwn: Bool = false) {
    let changes = save.changes
    self.isRepeated = isRepeated
    isLate = isRepeated || save.isLate
    for insertion in changes.insertions {
      let entity = insertion.entity
      deletedKeys[context.homes[entity].layout.root]?.subtract(insertion.pages.keys)
      take(insertion.pages, entity: entity, isNew: true)
      noteInsertions(insertion)
    }
    for update in changes.updates {
      take(update.pages, entity: update.entity, saved: isOwn ? [] : update.slots)
      noteMoves(of: update.slots, context.homes[update.entity].layout)
    }
    for deletion in changes.deletions { lose(deletion.rows, deletion.entity) }
    for link in changes.links {
      stale.links.insert(link.link)
      let pairs = Set(link.added).union(link.removed)
      context.settlePairs(of: link.link, among: pairs.isEmpty ? nil : pairs)
    }
    for derivation in changes.derivations { derived.note(derivation, in: context) }
    for order in changes.orders {
      guard case .toMany(let number) = order.relationship.place else { continue }
      stale.owners.insert(
        .init(entity: order.relationship.entity, toMany: number, owner: order.owner)
      )
    }
  }

  /// Takes the rows of registered objects.
  private mutating func take(
    _ pages: [RowPage],
    entity: Int,
    saved slots: [Int] = [],
    isNew: Bool = false
  ) {
    let (root, rootIndex) = (context.homes[entity].root, context.homes[entity].layout.root)
    guard root.pointee.map.count > 0 else { return }
    let isComputed = context.homes[entity].derivations?.storeSlots.isEmpty == false
    for page in pages {
      for index in 0..<page.count {
        let row = PageRow(page: page, index: index)
        guard let known = root.pointee.map.find(row.key) else { continue }
        let object = known.takeUnretainedValue()
        if isComputed { derived.note(object) }
        if doubtful.contains(row.key, root: rootIndex) || cannotTell(row, object, isNew: isNew)
          || !hidesConflicts && wouldHideConflict(row, slots, of: object)
        {
          doubtful.insert(row.key, root: rootIndex)
          if isNew, !isRepeated { object.set(.isGone, false) }
        } else {
          take(row, of: object, isNew: isNew)
        }
      }
    }
  }

  /// Whether an object's row may be another one than a save has written, or gone.
  private func cannotTell(_ row: PageRow, _ object: ManagedObject, isNew: Bool) -> Bool {
    if object.has(.isGone) { return isRepeated || !isNew }
    guard isRepeated, let current = object._row else { return false }
    return PackedRow.version(current) < row.version
  }

  /// Whether an object has edits of what somebody else has saved, now or in a save that was put off; a deletion is one
  /// of everything, and a row that was stored again is another one.
  private func wouldHideConflict(_ row: PageRow, _ slots: [Int], of object: ManagedObject) -> Bool {
    if object.has(.isGone), isHeldBack(object) { return true }
    guard let edit = object._edit, let current = object._row,
      PackedRow.version(current) < row.version
    else { return false }
    let times = object._home?.pointee.derivations?.timeSlots ?? []
    return PackedRow.version(current) + 1 < row.version
      || edit.pointee.state == .deleted && !slots.isEmpty
      || slots.contains { EditRecord.isChanged(edit, $0) && !times.contains($0) }
  }

  /// Merges what is stored.
  ///
  /// - Parameters:
  ///   - rows: The rows of registered objects.
  ///   - missing: The objects that have none.
  mutating func take(_ rows: [(PageRow, ManagedObject)], missing: [ManagedObject]) {
    for (row, object) in rows {
      deletedKeys[context.homes[row.entity].layout.root]?.remove(row.key)
      take(row, of: object, isStored: true)
    }
    for object in missing {
      guard let home = object._home else { continue }
      lose([.init(key: object._key, version: 0)], home.pointee.layout.index)
    }
  }

  /// Reads the doubtful rows.
  ///
  /// - Returns: Those that are left: their objects would hide conflicts, or the store gave an error.
  mutating func readDoubtful() -> DoubtfulRows {
    let rows = doubtful
    doubtful = DoubtfulRows()
    (isRepeated, isLate) = (false, false)
    var rest = DoubtfulRows()
    for (root, keys) in rows.keys.sorted(by: { $0.key < $1.key }) {
      var objects: [ManagedObject] = []
      for key in keys.sorted() {
        guard let object = context.homes[root].map.find(key)?.takeUnretainedValue() else {
          continue
        }
        if isHeldBack(object) {
          // Where no mail comes in, nobody has merged what was put off: the save finds the conflict.
          if context.mail.mailbox != nil { rest.insert(key, root: root) }
        } else {
          objects.append(object)
        }
      }
      guard !objects.isEmpty else { continue }
      context.relationships.loaded = [:]
      do throws(PerennialError) {
        let stored = try context.storedRows(of: objects, root: root)
        take(stored.rows, missing: stored.missing)
      } catch {
        context.keep(error)
        for object in objects { rest.insert(object._key, root: root) }
      }
    }
    return rest
  }

  /// Whether an object may not take its stored row now, since its next save would not find a conflict.
  private func isHeldBack(_ object: ManagedObject) -> Bool {
    !hidesConflicts && object._edit != nil
  }

  /// Gives a registered object a newer row; one that the store just gave, whatever its version is, and for its derived
  /// values.
  private mutating func take(
    _ row: PageRow,
    of object: ManagedObject,
    isNew: Bool = false,
    isStored: Bool = false
  ) {
    let isReturning = object.has(.isGone) && (isNew || isStored)
    guard let current = object._row else { return object.set(.isGone, false) }
    let version = PackedRow.version(current)
    guard
      isReturning || context.isNews(row.version, to: version)
        || isStored && (row.version != version || hasOtherDerivedValues(object, row))
    else { return }
    object.set(.isGone, false)
    if let edit = object._edit {
      guard edit.pointee.state != .deletedInsertion else { return }
      inverses.noteEdits(of: object, onto: row.pointer)
      context.rebase(object, onto: row)
      if edit.pointee.state == .inserted { object.becomeUpdated() }
    } else if object._fits(row.entity) {
      object.takeNewer(row, in: context)
      context.reapplyRules(leadingTo: object)
    }
    refreshed.append(object)
  }

  /// Reads the derived attributes that others have changed, of the rows that are here.
  ///
  /// A row of another version waits for the save that brings it.
  private mutating func readDerived() {
    let (rows, context) = (derived, context)
    guard !rows.isEmpty else { return }
    let known = Set(refreshed.map(ObjectIdentifier.init))
    let pages = context.reading([]) { () throws(PerennialError) in
      try rows.read(from: context.store)
    }
    for row in pages {
      let home = context.homes + row.entity
      guard let object = home.pointee.root.pointee.map.find(row.key)?.takeUnretainedValue(),
        let current = object._edit?.pointee.committedRow ?? object._row,
        PackedRow.version(current) == row.version, hasOtherDerivedValues(object, row)
      else { continue }
      replace(row, of: object)
      if !known.contains(ObjectIdentifier(object)) { refreshed.append(object) }
    }
  }

  /// Gives an object another row of the same version.
  private func replace(_ row: PageRow, of object: ManagedObject) {
    if object._edit != nil {
      context.rebase(object, onto: row)
    } else if object._row != nil, object._fits(row.entity) {
      object.takeNewer(row, in: context)
    }
  }

  private func hasOtherDerivedValues(_ object: ManagedObject, _ row: PageRow) -> Bool {
    guard let home = object._home, home.pointee.index == row.entity,
      let current = object._edit?.pointee.committedRow ?? object._row
    else { return false }
    return home.pointee.hasNewDerivedValues(row.pointer, current)
  }

  /// Marks registered objects as deleted elsewhere.
  ///
  /// - Parameters:
  ///   - rows: What was deleted, of which versions; 0 for whichever.
  ///   - entity: Their entity.
  mutating func lose(_ rows: [ChangeSet.Deletion.Row], _ entity: Int) {
    let (root, rootIndex) = (context.homes[entity].root, context.homes[entity].layout.root)
    stale.deletedEntities.insert(entity)
    for row in rows {
      let object = root.pointee.map.find(row.key)?.takeUnretainedValue()
      if let object, cannotTell(row, object, root: rootIndex) {
        doubtful.insert(row.key, root: rootIndex)
        continue
      }
      // What is to be inserted again has no row, and needs none.
      if let edit = object?._edit, edit.pointee.committedRow == nil { continue }
      deletedKeys[rootIndex, default: []].insert(row.key)
      guard let object, !object.has(.isGone) else { continue }
      object.set(.isGone, true)
      // Nothing of transient or derived values can be saved for a row that is no more.
      if object._state == .updated, !object.hasPersistentChangedValues { object.endEdit() }
      if object._edit == nil { deleted.append(object) }
      if object._edit != nil { context.mail.hasLostRows = true }
    }
  }

  /// Whether the row that was deleted may be stored again: others that are known here may have followed the save, or
  /// the object has another row than that.
  private func cannotTell(
    _ deleted: ChangeSet.Deletion.Row,
    _ object: ManagedObject,
    root: Int
  ) -> Bool {
    if object.has(.isGone) { return false }
    if isLate { return true }
    guard deleted.version > 0, !doubtful.contains(deleted.key, root: root),
      let current = object._edit?.pointee.committedRow ?? object._row
    else { return false }
    return deleted.version != PackedRow.version(current)
  }

  /// The new objects are members of what their to-one slots name.
  private mutating func noteInsertions(_ insertion: ChangeSet.Insertion) {
    guard !context.relationships.loaded.isEmpty else { return }
    let layout = context.homes[insertion.entity].layout
    for slot in layout.referenceSlots {
      guard let (entity, number) = Self.toManyInverse(slot, layout) else { continue }
      for page in insertion.pages {
        for index in 0..<page.count {
          let owner = PackedRow.reference(page.row(index), slot).key
          stale.owners.insert(.init(entity: entity, toMany: number, owner: owner))
        }
      }
    }
  }

  /// Objects left one owner for another.
  mutating func noteMoves(of slots: some Sequence<Int>, _ layout: EntityLayout) {
    for slot in slots {
      guard let (entity, number) = Self.toManyInverse(slot, layout) else { continue }
      stale.relationships.insert(.init(entity: entity, number: number))
    }
  }

  /// Where the to-many inverse of a slot is.
  private static func toManyInverse(_ slot: Int, _ layout: EntityLayout) -> (Int, Int)? {
    guard let inverse = layout.slots[slot].relationship?.inverse,
      case .toMany(let number) = inverse.place
    else { return nil }
    return (inverse.entity, number)
  }

  /// Brings what depends on the objects in step, and tells them and the observers.
  ///
  /// - Parameter source: What was merged.
  consuming func finish(_ source: MergedChanges.Source) {
    if !context.relationships.loaded.isEmpty { stale.drop(from: context) }
    context.relationships.forgetDerived()
    context.withoutUndo { readDerived() }
    context.withoutUndo {
      context.dropReferences(to: deletedKeys)
      context.reading(()) { () throws(PerennialError) in try inverses.run(in: context) }
    }
    context.membershipStamp &+= 1
    // What was deleted may have been stored again.
    let deleted = deleted.filter { $0.has(.isGone) }
    for object in refreshed { context.noteRefreshed(object) }
    for object in deleted { context.noteInvalidated(object) }
    context.mail.isReceiving = false
    let merged = MergedChanges(source: source, refreshed: refreshed, deleted: deleted)
    context.passMerged(merged)
    for object in refreshed where object._home != nil {
      context.withoutUndo { object.awake(fromSnapshotEvents: .refresh) }
    }
    context.noteMerged(merged)
  }
}

extension ManagedObject {
  /// Makes an object that was to be inserted again, because its row was gone, a changed one.
  fileprivate final func becomeUpdated() {
    _edit?.pointee.state = .updated
    _edit?.pointee.reservedKey = 0
  }
}

/// The to-many relationships whose loaded members are no longer those of the store.
private struct StaleMembers {
  struct Relationship: Hashable {
    let entity: Int
    let number: Int
  }

  var owners: Set<RelationshipChanges.OwnerKey> = []
  var relationships: Set<Relationship> = []
  var links: Set<Int> = []
  var deletedEntities: Set<Int> = []

  func drop(from context: ManagedObjectContext) {
    context.relationships.loaded = context.relationships.loaded.filter { key, _ in
      !isStale(key, context)
    }
  }

  private func isStale(
    _ key: RelationshipChanges.OwnerKey,
    _ context: ManagedObjectContext
  ) -> Bool {
    if owners.contains(key) { return true }
    if relationships.contains(.init(entity: key.entity, number: key.toMany)) { return true }
    let relationship = context.homes[key.entity].layout.toManys[key.toMany]
    if let side = relationship.side, links.contains(side.link) { return true }
    let family = context.homes[relationship.destination].layout.family
    return deletedEntities.contains { family.contains($0) }
  }
}
