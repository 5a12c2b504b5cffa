// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What happens when a property is read or set and its values are not loaded yet.
///
/// Core Data always loads. Other libraries know the other mode as `strict_loading` (Rails) and `raiseload`
/// (SQLAlchemy).
@nonexhaustive
public enum LazyLoading: Sendable, Hashable {
  /// The store is asked, for the object's siblings as well.
  case load
  /// It is an error, and the store is not asked.
  case raiseOnLazyLoad
}

extension ManagedObjectContext {
  /// Whether using a property may ask the store implicitly; ``LazyLoading/load`` by default.
  ///
  /// Every such query is a round trip, and a loop makes many of them. With ``LazyLoading/raiseOnLazyLoad``, a context
  /// of a store on a server shows where they are:
  ///
  /// ```swift
  /// context.lazyLoading = .raiseOnLazyLoad
  /// for commit in try context.fetch(Commit.all.prefetching(\.author)) {
  ///   print(commit.message, commit.author?.name ?? "-")
  /// }
  /// ```
  ///
  /// Without the prefetching, reading `name` would be an error, `lazyLoad` (200012), that names the object and the
  /// property. A property cannot throw: it reads as empty, and ``lastFaultError`` has the error at once. The next
  /// fetch or save throws it, so that nothing is saved that was made of empty values. Access by name
  /// (`value(forKey:)`) throws it at once. A setter that needs the object's values, or those of an inverse
  /// relationship, then changes nothing.
  ///
  /// The store would have to be asked for a property of a fault, unless another context has read its row; for the
  /// objects of a to-many relationship, and for their number; and to learn whether such a relationship contains an
  /// object, which adding to a many-to-many relationship has to know, too. A to-one relationship itself gives a
  /// fault, without asking.
  ///
  /// Whatever loads on purpose is still allowed: fetches, prefetching, batches of a fetch, ``load(_:prefetching:)``,
  /// ``refresh(_:mergeChanges:)`` with merging, `objectIDs(forRelationshipNamed:)`, ``existingObject(with:)``. So is
  /// what a save, a deletion, an undo or a merge has to know, including in the hooks that they call. A to-many
  /// relationship that was prefetched in this mode stays allowed as long as its object is in memory and no refresh
  /// makes the object a fault; if anybody has saved since, reading it may ask the store again. A child context begins
  /// with its parent's mode.
  public var lazyLoading: LazyLoading {
    get { faulting.lazyLoading }
    set { faulting.lazyLoading = newValue }
  }
}
