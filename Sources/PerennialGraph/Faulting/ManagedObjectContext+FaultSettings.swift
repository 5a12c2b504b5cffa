// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// How faults are loaded, and what happens when a row is not there.

extension ManagedObjectContext {
  /// Whether loading a fault, or a to-many relationship, loads its siblings too; true by default.
  ///
  /// The siblings of a fault to which a to-one relationship leads are the objects to which that relationship leads
  /// from the rows that were fetched beside its owner. The siblings of a to-many relationship are the same
  /// relationship of the objects that were fetched beside its owner. At most 500 are loaded at once. Reading the
  /// author of every commit then takes one query for hundreds of commits, not one for each.
  public var batchesFaults: Bool {
    get { faulting.batchesFaults }
    set { faulting.batchesFaults = newValue }
  }

  /// How old, in seconds, a row that another context has read may be when a fault takes it.
  ///
  /// A negative value, the default, allows any age: such a row is as new as the last save of this process. With 0,
  /// every fault asks the store.
  ///
  /// Core Data: `NSManagedObjectContext.stalenessInterval`.
  public var stalenessInterval: Double {
    get { faulting.stalenessInterval }
    set { faulting.stalenessInterval = newValue }
  }

  /// Whether a fault whose row is no longer in the store leaves the context; true by default.
  ///
  /// Such an object reads as empty, even where the model requires a value, and takes no changes. Its
  /// ``ManagedObject/isGone`` is true, and its `isDeleted` false, because no save has anything to delete. If this
  /// property is false, the object stays a fault: it reads as empty, changing it is an error of the next save, and
  /// every access asks the store again. In both cases ``lastFaultError`` is `objectGone` (200006).
  /// ``existingObject(with:)`` throws this error instead.
  ///
  /// Core Data: `NSManagedObjectContext.shouldDeleteInaccessibleFaults`.
  public var shouldDeleteInaccessibleFaults: Bool {
    get { faulting.shouldDeleteInaccessibleFaults }
    set { faulting.shouldDeleteInaccessibleFaults = newValue }
  }

  /// A closure that is asked about every fault whose row is not in the store, before the context deals with it.
  ///
  /// It is called inside a property's getter, while the object is still a fault. It returns true if it has dealt with
  /// the object, which then stays as it is.
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
