// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What happens when a property is read, or set, whose values are still to be loaded.
///
/// Core Data always loads. Other libraries know the other mode as `strict_loading` (Rails) and `raiseload`
/// (SQLAlchemy).
@nonexhaustive
public enum LazyLoading: Sendable, Hashable {
  /// The store is asked, for the object's siblings too.
  case load
  /// It is an error, and the store is not asked.
  case raiseOnLazyLoad
}

extension ManagedObjectContext {
  /// Whether reading a property may ask the store without saying so; ``LazyLoading/load`` by default.
  ///
  /// Every such question is a round trip, and a loop makes many of them. With ``LazyLoading/raiseOnLazyLoad`` a
  /// context of a store on a server tells where they are:
  ///
  /// ```swift
  /// context.lazyLoading = .raiseOnLazyLoad
  /// for commit in try context.fetch(Commit.all.prefetching(\.author)) {
  ///   print(commit.message, commit.author?.name ?? "-")
  /// }
  /// ```
  ///
  /// Without the prefetching, reading `name` would be an error, `lazyLoad` (200,012), that names the object and the
  /// property. A property cannot throw: it reads as empty, ``lastFaultError`` has the error at once, and
  /// the next fetch or save throws it, so that nothing is saved that was made of empty values. Access by name
  /// (`value(forKey:)`) throws it itself. A setter that needs the object's values, or those of an inverse relationship,
  /// changes nothing then.
  ///
  /// What would ask the store: a property of a fault, unless another context has read its row; the objects of a
  /// to-many relationship, their number, and whether it contains an object, which adding to a many-to-many
  /// relationship also has to know. A to-one relationship itself gives a fault, without asking.
  ///
  /// Still allowed is whatever loads on purpose: fetches, prefetching, batches of a fetch,
  /// ``load(_:prefetching:)``, ``refresh(_:mergeChanges:)`` with merging, `objectIDs(forRelationshipNamed:)`,
  /// ``existingObject(with:)``. A to-many relationship that was prefetched in this mode stays allowed as long as
  /// its object is here and no refresh makes this a fault: when anybody has saved since, the store may be asked again.
  /// So is what a save, a deletion, an undo or a merge has to know, the hooks that they call included. A child context
  /// begins with its parent's mode.
  public var lazyLoading: LazyLoading {
    get { faulting.lazyLoading }
    set { faulting.lazyLoading = newValue }
  }
}
