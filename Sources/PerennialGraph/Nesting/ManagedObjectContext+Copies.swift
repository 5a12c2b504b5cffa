// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// The parent's side of an object that exists in parent and child.

extension ManagedObjectContext {
  /// A copy of an object's row as it is now.
  func currentRow(of object: ManagedObject) -> PageRow? {
    pages(of: [object]).first.map { PageRow(page: $0, index: 0) }
  }

  /// The new object for one that a child has inserted, with the same key and without its values.
  ///
  /// `awakeFromInsert` has been called in the child, and is not called again. An object that was
  /// deleted here comes back.
  func insertCopy(of object: ManagedObject) -> ManagedObject {
    let home = homes + object._reference.entity
    let known = home.pointee.root.pointee.map.find(object._key)?.takeUnretainedValue()
    if let known, known.isDeleted {
      revive(known)
      return known
    }
    let seed = seed(for: home, key: object._key)
    if object._key > 0 {
      seed.edit?.pointee.reservedKey = object._key
      setVersionOfOwn(seed)
    }
    guard let known else {
      let copy = home.pointee.type.init(_seed: seed)
      admit(copy)
      return copy
    }
    known._row = seed.row
    known._page = nil
    known._edit = seed.edit
    home.pointee.changed.append(known)
    mutationCount &+= 1
    if home.pointee.writeStamp != 0 { noteInserted(known) }
    if undoRegistration.isActive { noteUndo(.insertion(known)) }
    return known
  }

  /// Gives the row of a key that was stored before a version that none of its former rows had, so that
  /// whoever has read one of them does not take the new one for it.
  ///
  /// Safe because the row is the private one of an object that is being made.
  private func setVersionOfOwn(_ seed: ObjectSeed) {
    guard let row = seed.row.map(UnsafeMutableRawPointer.init(mutating:)) else { return }
    // The former version is not known here: stores count from 1 and do not get that far.
    let version = top.family.nextVersion() & 0x3FFF_FFFF | 0x4000_0000
    let entity = seed.home.pointee.layout.index
    PackedRow.setHeader(row, key: seed.key, version: version, entity: entity)
  }

  /// Marks an object as deleted that a child has deleted; `prepareForDeletion` was called there.
  func takeDeletion(of object: ManagedObject) {
    guard object._home != nil, object._row != nil, !object.isDeleted else { return }
    markDeleted(object)
  }

  /// Takes a deletion back.
  private func revive(_ object: ManagedObject) {
    if object.has(.isGone), object._edit == nil {
      object.set(.isGone, false)
      // A fault has no row any more that it could read.
      if object._row == nil { detach(object) }
      object.beginEdit()
      if homes.pointee.writeStamp != 0 { touch(object, as: .deleted) }
      return storeAgain(object)
    }
    guard object._edit != nil else { return }
    if homes.pointee.writeStamp != 0 { touch(object) }
    unmarkDeleted(object)
    if object.has(.isGone) { storeAgain(object) }
    if undoRegistration.isActive { noteUndo(.restoration(object)) }
  }
}

extension ManagedObjectContext {
  /// Takes over what the parent has changed of the objects that are changed here, except where both
  /// have changed a property.
  ///
  /// What is checked and saved then is what the parent will have.
  func catchUpWithParent() throws(PerennialError) {
    guard let parent else { return }
    var changed: [Int: [Int64: ManagedObject]] = [:]
    for index in homeIndexes {
      for object in homes[index].changedObjects where object._state == .updated {
        changed[homes[index].layout.root, default: [:]][object._key] = object
      }
    }
    for (root, objects) in changed {
      for other in try parent.objects(of: objects.keys.sorted(), root: root) {
        guard let object = objects[other._key], !other.isDeleted,
          object.committedDiffers(fromRowOf: other), !object.conflicts(withRowOf: other),
          let row = parent.currentRow(of: other)
        else { continue }
        rebase(object, onto: row)
        relationships.loaded = [:]
        membershipStamp &+= 1
      }
    }
  }
}

// Safe because the rows belong to the two objects, and nothing writes to them meanwhile.
extension ManagedObject {
  /// Whether the row that this object was read from is not what another one has now.
  fileprivate func committedDiffers(fromRowOf other: ManagedObject) -> Bool {
    guard let layout = _home?.pointee.layout, let theirs = other._row else { return false }
    return layout.slots.indices.contains { differs($0, from: theirs, layout) }
  }

  /// Whether this object has changed, or deleted, what another one has changed to something else.
  func conflicts(withRowOf other: ManagedObject) -> Bool {
    other._row.map { conflicts(with: $0) } ?? false
  }

  /// Whether this object has changed, or deleted, what is something else in a row of its parent, in slots that count.
  func conflicts(
    with theirs: UnsafeRawPointer,
    counting counts: (Int) -> Bool = { _ in true }
  ) -> Bool {
    guard let layout = _home?.pointee.layout, let edit = _edit, let row = _row else { return false }
    let derived = _home?.pointee.derivations?.savedSlots ?? []
    return layout.slots.indices.contains { slot in
      guard !derived.contains(slot), differs(slot, from: theirs, layout), counts(slot) else {
        return false
      }
      if isDeleted { return true }
      return EditRecord.isChanged(edit, slot)
        && !PackedRow.isEqual(row, theirs, slot, of: layout)
    }
  }

  private func differs(_ slot: Int, from theirs: UnsafeRawPointer, _ layout: EntityLayout) -> Bool {
    guard let committed = _edit?.pointee.committedRow, !layout.slots[slot].isTransient
    else { return false }
    return !PackedRow.isEqual(committed, theirs, slot, of: layout)
  }
}

extension PackedRow {
  /// Whether two rows have the same value in a slot; nulls are equal.
  fileprivate static func isEqual(
    _ left: UnsafeRawPointer,
    _ right: UnsafeRawPointer,
    _ slot: Int,
    of entity: EntityLayout
  ) -> Bool {
    if isNull(left, slot) || isNull(right, slot) {
      return isNull(left, slot) == isNull(right, slot)
    }
    return SlotKeyHash.equal(left, right, [slot], of: entity)
  }
}
