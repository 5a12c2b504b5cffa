// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// How faults are loaded, and what happens when a row is not there.

extension ManagedObjectContext {
  /// Whether a fault, and a to-many relationship, is loaded for its siblings too; true by default.
  ///
  /// The siblings of a fault that a to-one relationship leads to are those that the rows fetched
  /// beside its owner lead to; those of a to-many relationship are the same relationship of the
  /// objects fetched beside its owner. At most 500 are loaded at once. Reading the author of every
  /// commit is then a query for hundreds of commits, not one for each.
  public var batchesFaults: Bool {
    get { faulting.batchesFaults }
    set { faulting.batchesFaults = newValue }
  }

  /// How old, in seconds, a row that another context has read may be when a fault takes it.
  ///
  /// Negative, the default, for any age: such a row is as new as the last save of this process. With
  /// 0 every fault asks the store.
  ///
  /// Core Data: `NSManagedObjectContext.stalenessInterval`.
  public var stalenessInterval: Double {
    get { faulting.stalenessInterval }
    set { faulting.stalenessInterval = newValue }
  }

  /// Whether a fault whose row is not in the store any more leaves the context; true by default.
  ///
  /// Such an object reads as empty, also where the model requires a value; it takes no changes;
  /// ``ManagedObject/isGone`` is true, `isDeleted` false, since no save has anything to delete.
  /// When this is false the object stays a fault: it reads as empty, a change of it is an error of
  /// the next save, and every access asks the store again. In both cases ``lastFaultError`` says
  /// `objectGone` (200,006). ``existingObject(with:)`` throws it instead.
  ///
  /// Core Data: `NSManagedObjectContext.shouldDeleteInaccessibleFaults`.
  public var shouldDeleteInaccessibleFaults: Bool {
    get { faulting.shouldDeleteInaccessibleFaults }
    set { faulting.shouldDeleteInaccessibleFaults = newValue }
  }

  /// Asked about every fault whose row is not in the store, before the context deals with it.
  ///
  /// It is called inside a property's getter, with the object still a fault. It returns true when it
  /// has dealt with the object, which then stays as it is.
  ///
  /// Core Data: `NSManagedObjectContext.shouldHandleInaccessibleFault(_:for:triggeredByProperty:)`.
  public var inaccessibleFaultHandler: ((ManagedObject) -> Bool)? {
    get { faulting.inaccessibleFaultHandler }
    set {
      let old = faulting.inaccessibleFaultHandler
      faulting.inaccessibleFaultHandler = newValue
      withExtendedLifetime(old) {}
    }
  }

  /// What faulting has cost this context so far.
  public var faultStatistics: FaultStatistics { faulting.statistics }
}
