// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

// Permanent IDs before the save. Inside a context and its children the object keeps its temporary key
// until it is stored; only its ID, and look-ups by that, know the key that has been set aside for it.

extension ManagedObjectContext {
  /// Gives new objects permanent IDs before they are saved.
  ///
  /// An object stays new: ``ManagedObject/isInserted`` is true, and nothing is written but the store's next key. Its
  /// temporary ID still leads to it. Objects that have a permanent ID are left alone. After a rollback the ID leads
  /// to nothing.
  ///
  /// Core Data: `NSManagedObjectContext.obtainPermanentIDs(for:)`.
  ///
  /// - Parameter objects: Objects of this context.
  /// - Throws: The store's error when it cannot write; then some of the objects may have a permanent ID, and the
  ///   others have none. `foreignObject` (200005) for an object of another context.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(PerennialError) {
    var groups: [Int: [ManagedObject]] = [:]
    for object in objects.map({ $0._survivor ?? $0 }) {
      guard let home = object._home else { continue }
      guard home.pointee.context === self else {
        throw .foreignObject(object, context: self, relationship: nil)
      }
      let root = home.pointee.layout.root
      guard object._key < 0, top.merging.published.permanent(object._key, root: root) == nil else {
        continue
      }
      groups[root, default: []].append(object)
    }
    for (root, objects) in groups.sorted(by: { $0.key < $1.key }) {
      for (store, objects) in try top.groups(of: objects) {
        // An object may be named twice: it takes one key.
        let keys = Set(objects.map(\._key)).sorted(by: >)
        let first = try top.reserveKeys(root: root, count: keys.count, store: store)
        for (offset, key) in keys.enumerated() {
          top.merging.published.add(key, first + Int64(offset), root: root)
        }
      }
    }
  }

  /// Gives the new objects of a save the keys that their IDs have already.
  ///
  /// - Returns: How many of a root entity's objects without a key have got one.
  func takePublishedKeys(_ work: PendingWork) -> [Int: Int] {
    guard !merging.published.isEmpty else { return [:] }
    var counts: [Int: Int] = [:]
    for objects in work.inserted.values {
      objects.visit { object in
        guard let edit = object._edit, let root = object._home?.pointee.layout.root,
          let key = merging.published.permanent(object._key, root: root),
          edit.pointee.reservedKey != key
        else { return }
        if edit.pointee.reservedKey == 0 { counts[root, default: 0] += 1 }
        edit.pointee.reservedKey = key
      }
    }
    return counts
  }

  /// Forgets the permanent key that was set aside for a new object that is about to leave for good.
  ///
  /// A context below may have it still, and store it after all.
  func unpublish(_ object: ManagedObject) {
    guard object._key < 0, let root = object._home?.pointee.layout.root,
      !top.merging.published.isEmpty, !isKnownBelow(object._key, root),
      parent == nil || isUnsavedAndGoneAbove(object._reference)
    else { return }
    top.merging.published.remove(object._key, root: root)
  }

  private func isKnownBelow(_ key: Int64, _ root: Int) -> Bool {
    family.children.contains { $0.homes[root].map.find(key) != nil || $0.isKnownBelow(key, root) }
  }

  /// The key by which this context knows the object of a permanent key.
  func ownKey(of stored: Int64, _ root: Int) -> Int64 {
    if let key = top.merging.published.temporary(stored, root: root),
      homes[root].map.find(key) != nil || top.homes[root].map.find(key) != nil
    {
      return key
    }
    return top.merging.absorbedKeys[root]?[stored] ?? stored
  }

  /// The key of the ID of an unsaved object: the one set aside for it if it has been shown to anybody.
  @inline(never)
  func publishedKey(of reference: ObjectReference) -> Int64 {
    let top = top
    guard !top.merging.published.isEmpty else { return reference.key }
    let root = homes[reference.entity].layout.root
    return top.merging.published.permanent(reference.key, root: root) ?? reference.key
  }
}

extension ManagedObject {
  /// The key of the object's ID: the one set aside for it if it has been shown to anybody, else its own.
  final var _publishedKey: Int64 {
    guard _key < 0, let home = _home else { return _key }
    let context = home.pointee.context
    return context.top.merging.published.permanent(_key, root: home.pointee.layout.root) ?? _key
  }
}
