// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// The objects of a context by what a save would do with them.

extension ManagedObjectContext {
  /// The objects that the next save inserts.
  ///
  /// Core Data: `NSManagedObjectContext.insertedObjects`.
  ///
  /// - Complexity: Linear in the number of objects with changes.
  public var insertedObjects: Set<ManagedObject> { changedObjects { $0 == .inserted } }

  /// The saved objects of which a property, or the members of a to-many relationship, have changed.
  ///
  /// When an object moves from one owner to another, both owners are among them; the save does not write the owners'
  /// rows for that.
  ///
  /// Core Data: `NSManagedObjectContext.updatedObjects`.
  ///
  /// - Complexity: Grows with the number of objects with changes.
  public var updatedObjects: Set<ManagedObject> {
    changedObjects { $0 == .updated }.union(unchangedMembershipOwners())
  }

  /// The objects that the next save deletes.
  ///
  /// A new object that was deleted is not among them: the store never had it.
  ///
  /// Core Data: `NSManagedObjectContext.deletedObjects`.
  ///
  /// - Complexity: Linear in the number of objects with changes.
  public var deletedObjects: Set<ManagedObject> { changedObjects { $0 == .deleted } }

  /// The objects that the context has in memory, including faults.
  ///
  /// Core Data: `NSManagedObjectContext.registeredObjects`.
  ///
  /// - Complexity: Linear in the number of objects.
  public var registeredObjects: Set<ManagedObject> {
    var objects: Set<ManagedObject> = []
    for index in homeIndexes { homes[index].map.visit { objects.insert($0) } }
    return objects
  }

  /// Whether the context holds all of its objects strongly, not only those with changes.
  ///
  /// Setting it back to `false` releases those that nothing else holds.
  ///
  /// Core Data: `NSManagedObjectContext.retainsRegisteredObjects`.
  public var retainsRegisteredObjects: Bool {
    get { retainedObjects != nil }
    set {
      guard newValue != retainsRegisteredObjects else { return }
      for index in homeIndexes { homes[index].retainsObjects = newValue }
      let released = retainedObjects
      retainedObjects = newValue ? registeredObjects : nil
      withExtendedLifetime(released) {}
    }
  }

  private func changedObjects(_ isWanted: (EditRecord.State) -> Bool) -> Set<ManagedObject> {
    var objects: Set<ManagedObject> = []
    for index in homeIndexes {
      for case let object? in homes[index].changed where object._state.map(isWanted) == true {
        objects.insert(object)
      }
    }
    return objects
  }

  // MARK: Owners of changed members

  /// The objects whose to-many members differ from what is stored.
  func membershipOwners() -> [ManagedObject] {
    var owners = ownersOfMoved(in: homeIndexes)
    owners += relationships.pairOwners.values.filter { hasMembershipChanges($0) }
    owners += relationships.orderedOwners.values.filter { hasMembershipChanges($0) }
    return owners
  }

  /// Those of them that have no change of their own; fast also when many objects have moved.
  ///
  /// - Returns: The owners, some of them more than once.
  func unchangedMembershipOwners() -> [ManagedObject] {
    // What is new here has changes: its temporary key says so, and it need not be looked at.
    let least: Int64 = parent == nil ? 1 : .min
    let movers = homeIndexes.filter { parent != nil || homes[$0].movesStored }
    var owners = ownersOfMoved(in: movers, from: least) { $0._edit == nil }
    owners += relationships.pairOwners.values.filter {
      $0._edit == nil && $0._home != nil && hasMembershipChanges($0)
    }
    owners += relationships.orderedOwners.values.filter {
      $0._edit == nil && $0._home != nil && hasMembershipChanges($0)
    }
    return owners
  }

  /// The owners that changed objects leave and come to.
  ///
  /// Safe because every entry of an identity map is alive.
  ///
  /// - Parameters:
  ///   - movers: The homes of the changed objects.
  ///   - least: The least key of an owner that may be wanted.
  ///   - isWanted: Whether an owner is.
  /// - Returns: The owners, some of them more than once.
  private func ownersOfMoved(
    in movers: some Sequence<Int>,
    from least: Int64 = .min,
    where isWanted: (ManagedObject) -> Bool = { _ in true }
  ) -> [ManagedObject] {
    var owners: [ManagedObject] = []
    for index in movers where !homes[index].changed.isEmpty {
      for slot in homes[index].layout.referenceSlots {
        guard let inverse = homes[index].layout.slots[slot].relationship?.inverse,
          case .toMany = inverse.place
        else { continue }
        let root = homes[inverse.entity].root
        // Objects that were made one after the other often have the same owner.
        var last: Int64 = 0
        for case let object? in homes[index].changed {
          if let edit = object._edit, edit.pointee.state == .updated,
            !EditRecord.isChanged(edit, slot)
          {
            continue
          }
          let old = object._committedReference(slot).key
          let new = object.isDeleted ? 0 : object._currentReference(slot).key
          if old == new || old == 0 && new == last { continue }
          last = new
          for key in [old, new] where key != 0 && key >= least {
            guard let owner = root.pointee.map.find(key),
              owner._withUnsafeGuaranteedRef({ isWanted($0) })
            else { continue }
            owners.append(owner.takeUnretainedValue())
          }
        }
      }
    }
    return owners
  }

  /// Whether the members of a to-many relationship of an object differ from what is stored.
  func hasMembershipChanges(_ owner: ManagedObject) -> Bool {
    guard let home = owner._home, hasEdits else { return false }
    return home.pointee.layout.toManys.contains { relationship in
      if relationship.isOrdered, relationships.orders[ownerKey(owner, relationship)] != nil {
        return true
      }
      guard let delta = delta(relationship) else { return false }
      return delta.added(to: owner._key) != nil || delta.removed(from: owner._key) != nil
    }
  }
}
