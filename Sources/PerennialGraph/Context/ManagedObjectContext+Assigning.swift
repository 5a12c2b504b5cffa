// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
import PerennialStore

// Which store a new object goes to, when the container has several.

extension ManagedObjectContext {
  /// Decides which store a new object goes to when it is saved.
  ///
  /// Without this call, it goes to the first store of the container that keeps objects of the entity and can be
  /// written.
  ///
  /// Core Data: `NSManagedObjectContext.assign(_:to:)`.
  ///
  /// - Parameters:
  ///   - object: A new object of this context.
  ///   - store: The store's identifier.
  /// - Throws: `invalidRequest` (200008) for an object that is saved, has a permanent ID, or is deleted, and for
  ///   a store that the container does not have or that does not keep objects of the entity;
  ///   `foreignObject` (200005) for an object of another context.
  public func assign(
    _ object: ManagedObject,
    toStore store: UUID
  ) throws(PerennialError) {
    guard let home = object._home, home.pointee.context === self else {
      throw .foreignObject(object, context: self, relationship: nil)
    }
    let name = home.pointee.layout.name
    let root = home.pointee.layout.root
    guard object.isInserted, !object.isDeleted, object._key < 0,
      top.merging.published.permanent(object._key, root: root) == nil
    else {
      throw .cannotAssign(name, "it is not new", "insert a new object for the other store")
    }
    guard let combined = coordinator.combined else {
      if store == coordinator.store.identifier { return }
      throw .cannotAssign(
        name,
        "the container has no such store",
        "use one of its 'persistentStores'"
      )
    }
    guard let member = combined.members.first(where: { $0.store.identifier == store }) else {
      throw .cannotAssign(
        name,
        "the container has no such store",
        "use one of its 'persistentStores'"
      )
    }
    guard member.entities.contains(home.pointee.layout.index) else {
      throw .cannotAssign(
        name,
        "the configuration of the store does not have the entity",
        "choose another store, or add the entity to the configuration"
      )
    }
    object._edit?.pointee.reservedKey = 0
    // It is compared with the objects of another store from now on.
    if home.pointee.hasConstraints { home.pointee.noteKeyChange(of: object) }
    top.merging.assignedStores[ObjectReference(key: object._key, entity: root)] = member.number
  }

  /// The store that new objects of an entity go to, the first of some; `nil` when there is only one.
  func store(
    forNew layout: EntityLayout,
    among stores: Set<UUID>?
  ) throws(PerennialError) -> UUID? {
    guard let combined = coordinator.combined else {
      guard stores?.contains(coordinator.store.identifier) != false else {
        throw .noStore(for: layout.name)
      }
      return nil
    }
    return coordinator.naming.store(
      ofKey: StoreKey.combined(0, store: try combined.store(forNew: layout.index, among: stores))
    )
  }

  /// The store that has an object, or will get it; `nil` when there is none.
  func storeIdentifier(of object: ManagedObject) -> UUID? {
    if object._key > 0 { return coordinator.naming.store(ofKey: object._key) }
    guard let combined = coordinator.combined, let number = try? storeNumber(of: object, combined)
    else { return coordinator.store.identifier }
    return combined.members.first { $0.number == number }?.store.identifier
  }

  /// Whether a query asks the store that has an object, or will get it.
  func asks(_ query: StoreQuery, for object: ManagedObject) -> Bool {
    guard let stores = query.stores else { return true }
    return storeIdentifier(of: object).map { stores.contains($0) } == true
  }

  /// The number of the store that a new object goes to.
  private func storeNumber(
    of object: ManagedObject,
    _ combined: CombinedStore
  ) throws(PerennialError) -> Int {
    guard let layout = object._home?.pointee.layout else { return 0 }
    let reserved = object._edit?.pointee.reservedKey ?? 0
    let key =
      reserved > 0
      ? reserved : top.merging.published.permanent(object._key, root: layout.root) ?? 0
    if key > 0 { return StoreKey.store(of: key) }
    let reference = ObjectReference(key: object._key, entity: layout.root)
    if let assigned = top.merging.assignedStores[reference] { return assigned }
    return try combined.store(forNew: layout.index)
  }

  /// New objects of one root entity by the number of the store that they go to.
  func groups(of objects: [ManagedObject]) throws(PerennialError) -> [(Int, [ManagedObject])] {
    guard let combined = coordinator.combined else { return [(0, objects)] }
    var groups: [Int: [ManagedObject]] = [:]
    for object in objects {
      groups[try storeNumber(of: object, combined), default: []].append(object)
    }
    return groups.sorted { $0.key < $1.key }
  }

  /// Sets keys aside in a store, the only one or that of a number.
  func reserveKeys(
    root: Int,
    count: Int,
    store number: Int
  ) throws(PerennialError) -> Int64 {
    guard let combined = coordinator.combined else {
      return try store.reserveKeys(root: root, count: count)
    }
    return try combined.reserveKeys(root: root, count: count, store: number)
  }

  /// Sets keys aside for the new objects of a root entity that have none, each in its store.
  func reserveKeysInStores(_ work: PendingWork, _ root: Int) throws(PerennialError) {
    var objects: [ManagedObject] = []
    for index in homes[root].layout.family {
      work.inserted[index]?.visit { if $0._edit?.pointee.reservedKey == 0 { objects.append($0) } }
    }
    for (number, objects) in try groups(of: objects) {
      var key = try reserveKeys(root: root, count: objects.count, store: number)
      for object in objects {
        object._edit?.pointee.reservedKey = key
        top.merging.assignedStores[ObjectReference(key: object._key, entity: root)] = nil
        key += 1
      }
    }
  }
}

extension ManagedObject {
  /// Whether two objects of a context are, or will be, in one store: only there must values be unique.
  final func isInStore(of other: ManagedObject) -> Bool {
    guard let context = _home?.pointee.context, context.coordinator.combined != nil else {
      return true
    }
    return context.storeIdentifier(of: self) == context.storeIdentifier(of: other)
  }

  /// Whether the object is, or will be, in the store of a row, which may be one of the parent's that is not stored.
  final func isInStore(of row: PageRow) -> Bool {
    guard let context = _home?.pointee.context, context.coordinator.combined != nil else {
      return true
    }
    let store = context.storeIdentifier(of: self)
    if row.key > 0 { return store == context.coordinator.naming.store(ofKey: row.key) }
    let other = context.parent?.known(ObjectReference(key: row.key, entity: row.entity))
    guard let other, let above = other._home?.pointee.context else { return true }
    return store == above.storeIdentifier(of: other)
  }
}

extension PerennialError {
  fileprivate static func cannotAssign(
    _ entity: String,
    _ reason: String,
    _ recovery: String
  ) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "An object of '\(entity)' cannot be assigned to the store: \(reason).",
      recovery: recovery,
      entity: entity
    )
  }
}
