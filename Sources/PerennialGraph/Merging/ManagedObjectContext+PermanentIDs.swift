// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

// Permanent IDs before the save. Inside the context the object keeps its temporary key until it is
// saved; only its ID, and look-ups by that, know the key that has been set aside for it.

extension ManagedObjectContext {
  /// Gives new objects permanent IDs before they are saved.
  ///
  /// An object stays new: ``ManagedObject/isInserted`` is true and nothing is written but the store's
  /// next key. Its temporary ID goes on to lead to it. Objects that have a permanent ID are left alone.
  /// A rollback makes the ID one of nothing.
  ///
  /// Core Data: `NSManagedObjectContext.obtainPermanentIDs(for:)`.
  ///
  /// - Parameter objects: Objects of this context.
  /// - Throws: What the store could not write; then no object has got an ID. `foreignObject` (200,005)
  ///   for an object of another context.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(PerennialError) {
    var groups: [Int: [ManagedObject]] = [:]
    for object in objects.map({ $0._survivor ?? $0 }) {
      guard let home = object._home else { continue }
      guard home.pointee.context === self else {
        throw .foreignObject(object, context: self, relationship: nil)
      }
      guard object._state == .inserted, object._key < 0 else { continue }
      groups[home.pointee.layout.root, default: []].append(object)
    }
    for (root, objects) in groups {
      let missing = objects.filter { $0._edit?.pointee.reservedKey == 0 }
      var key = missing.isEmpty ? 0 : try store.reserveKeys(root: root, count: missing.count)
      // An object may be named twice: it takes one key.
      for object in missing where object._edit?.pointee.reservedKey == 0 {
        object._edit?.pointee.reservedKey = key
        key += 1
      }
      for object in objects {
        guard let key = object._edit?.pointee.reservedKey else { continue }
        merging.published[root, default: [:]][key] = object
      }
    }
  }

  /// The key by which this context knows the object of a permanent ID.
  func ownKey(of id: ManagedObjectID, _ root: Int) -> Int64 {
    if let object = merging.published[root]?[id.key] { return object._key }
    return merging.absorbedKeys[root]?[id.key] ?? id.key
  }

  /// The permanent ID of an unsaved object that a slot names, if it has got one.
  func publishedID(
    of row: UnsafeRawPointer,
    _ slot: Int,
    _ layout: EntityLayout
  ) -> ManagedObjectID? {
    guard !merging.published.isEmpty, layout.slots[slot].storage == .reference else { return nil }
    let reference = PackedRow.reference(row, slot)
    guard reference.key < 0 else { return nil }
    return homes[reference.entity].root.pointee.map.find(reference.key)?.takeUnretainedValue()
      .objectID
  }
}

extension ManagedObject {
  /// The key of the object's ID before it is saved: the one set aside if it has been shown to anybody,
  /// else the temporary one.
  final var _publishedKey: Int64 {
    guard let home = _home, let edit = _edit, edit.pointee.reservedKey != 0 else { return _key }
    let published = home.pointee.context.merging.published
    guard !published.isEmpty else { return _key }
    let key = edit.pointee.reservedKey
    return published[home.pointee.layout.root]?[key] === self ? key : _key
  }
}
