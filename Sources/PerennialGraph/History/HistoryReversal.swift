// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialStore

/// Undoes a transaction of the history by new changes.
///
/// Everything is looked up before anything is changed, so that a reversal that fails changes nothing.
struct HistoryReversal {
  let context: ManagedObjectContext
  let transaction: PersistentHistoryTransaction
  /// The objects that come back, by the IDs that they had.
  private(set) var returned: [ManagedObjectID: ManagedObject] = [:]
  private(set) var updated: [ManagedObjectID: ManagedObject] = [:]
  private var inserted: [ManagedObject] = []

  init(
    _ transaction: PersistentHistoryTransaction,
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    self.context = context
    self.transaction = transaction
    for change in transaction.changes {
      switch change.changeType {
      case .insert:
        if let object = try stored(change.changedObjectID) { inserted.append(object) }
      case .update:
        try checkDetails(of: change)
        if isToDo(change) {
          updated[change.changedObjectID] = try living(change.changedObjectID)
        } else if change.details.orders != nil {
          updated[change.changedObjectID] = try stored(change.changedObjectID)
        }
      case .delete: try checkDetails(of: change)
      }
    }
    try checkValues()
  }

  mutating func run() throws(PerennialError) {
    for change in transaction.changes where change.changeType == .delete {
      let object = try context.insert(entityNamed: change.changedObjectID.entityName)
      if context.coordinator.combined != nil {
        try context.assign(object, toStore: transaction.storeID)
      }
      returned[change.changedObjectID] = object
    }
    for change in transaction.changes where change.changeType != .insert {
      if let object = object(of: change.changedObjectID) { try restore(change, object) }
    }
    for change in transaction.changes where change.changeType != .insert {
      if let object = object(of: change.changedObjectID) { try restorePairs(change, object) }
    }
    for object in inserted { context.delete(object) }
    restoreOrders()
  }

  /// Whether there is something to restore: derived attributes follow by themselves, and the pairs of
  /// a link are with its first object.
  private func isToDo(_ change: PersistentHistoryChange) -> Bool { change.details.hasValues }

  /// The object of an ID, which the next save must not delete.
  ///
  /// - Parameter id: The ID that the history has.
  /// - Returns: The object.
  /// - Throws: `objectGone`, or the store's error.
  func living(_ id: ManagedObjectID) throws(PerennialError) -> ManagedObject {
    let object = try context.existingObject(with: id)
    guard !object.isDeleted else { throw .objectGone(id) }
    return object
  }

  /// The object of an ID; `nil` when it is gone, or will be after the next save.
  private func stored(_ id: ManagedObjectID) throws(PerennialError) -> ManagedObject? {
    do throws(PerennialError) {
      return try living(id)
    } catch {
      guard error.code == .objectGone else { throw error }
      return nil
    }
  }

  /// The object of a change that is undone, or the one that came back for it.
  func object(of id: ManagedObjectID) -> ManagedObject? { returned[id] ?? updated[id] }

  private func target(_ id: ManagedObjectID) throws(PerennialError) -> ManagedObject {
    if let object = returned[id] { return object }
    return try living(id)
  }

  // MARK: Values

  private func restore(
    _ change: PersistentHistoryChange,
    _ object: ManagedObject
  ) throws(PerennialError) {
    guard let layout = object._home?.pointee.layout else { return }
    for (name, value) in change.details.values.sorted(by: { $0.key < $1.key }) {
      guard let slot = layout.slotsByName[name] else { continue }
      if let attribute = layout.slots[slot].attribute {
        guard attribute.derivationExpression == nil else { continue }
        value.withSlotValue(as: attribute.type) { object._store($0, slot) }
      } else if case .objectID(let id) = value {
        object._setTarget(slot, try target(id))
      } else {
        object._setTarget(slot, nil)
      }
    }
  }

  private func restorePairs(
    _ change: PersistentHistoryChange,
    _ object: ManagedObject
  ) throws(PerennialError) {
    for (index, members) in try members(change.details.added, of: object) {
      for member in members { object._removeMember(index, member) }
    }
    for (index, members) in try members(change.details.removed, of: object) {
      for member in members { object._insertMember(index, member) }
    }
  }

  /// The objects of keys by the index of their to-many relationship, in a certain order.
  private func members(
    _ keysByName: [String: [Int64]],
    of object: ManagedObject
  ) throws(PerennialError) -> [(Int, [ManagedObject])] {
    guard let layout = object._home?.pointee.layout else { return [] }
    var found: [(Int, [ManagedObject])] = []
    for (name, keys) in keysByName.sorted(by: { $0.key < $1.key }) {
      guard let index = layout.toManysByName[name] else { continue }
      found.append((index, try members(keys, layout.toManys[index])))
    }
    return found
  }

  /// The objects of keys at the end of a relationship; those that have gone since are left out.
  private func members(
    _ keys: [Int64],
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    let model = context.store.model
    let destination = model.entities[relationship.destination]
    let back = Dictionary(
      returned.filter {
        model.entitiesByName[$0.key.entityName].map(destination.family.contains) == true
      }
      .map { ($0.key.key, $0.value) }
    ) { first, _ in first }
    var members: [ManagedObject] = []
    for key in keys {
      let id = ManagedObjectID(entityName: destination.name, owner: transaction.storeID, key: key)
      if let object = back[key] {
        members.append(object)
      } else if let object = try stored(id), let home = object._home,
        destination.family.contains(home.pointee.index)
      {
        members.append(object)
      }
    }
    return members
  }
}

extension ManagedObjectContext {
  /// Undoes a transaction of the history with new changes, which are pending until they are saved.
  ///
  /// Objects that the transaction inserted are deleted, and their delete rules apply. Updated properties get their
  /// old values, whatever was saved since. Deleted objects come back as new ones, with new IDs, and the transaction's
  /// relationships that led to them lead to the new ones. Ordered relationships get their old order back, with what
  /// was added since at the end. Derived attributes follow by themselves.
  ///
  /// - Parameter transaction: A transaction with its changes, of this context's store.
  /// - Throws: `persistentHistoryTokenExpired` (134301) for a transaction of a store that the container does not
  ///   have; `persistentStoreUnsupportedRequestType` (134091) when the history has no old values, or some that are
  ///   not of their properties' types; `objectGone` (200006) when an object that was updated then, or one to which a
  ///   relationship would lead again, has been deleted since, even if that deletion is not saved. Nothing is changed
  ///   then.
  public func revert(
    _ transaction: PersistentHistoryTransaction
  ) throws(PerennialError) {
    guard coordinator.naming.names(transaction.storeID) else {
      throw .expired(transaction.token, of: store.identifier)
    }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    try propagateDeletions()
    var reversal = try HistoryReversal(transaction, in: self)
    try reversal.run()
  }
}
