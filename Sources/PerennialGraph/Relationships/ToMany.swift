// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// The objects that a to-many relationship leads to, as a view of the relationship.
///
/// Counting, testing and changing do not load the members. `count` and `isEmpty` ask the store to count.
/// `contains` looks at the object, or asks the store for one pair. Where the inverse is to-one, `insert` and
/// `remove` only note the change, and load the object that you pass if it is a fault. Elsewhere they ask the store
/// whether the object is a member, unless that is known. Iterating loads the objects in one round trip. The order
/// of iteration is not specified.
///
/// ```swift
/// author.commits.insert(commit)        // commit.author is author from now on
/// for commit in author.commits { print(commit.message) }
/// ```
///
/// A view is as confined to its context as its owner. Its mutators change the owner, not the view.
public struct ToMany<Element: ManagedObject>: Sequence, ExpressibleByArrayLiteral {
  /// The owner and the relationship's number, or a list that will be assigned.
  private enum Contents {
    case view(owner: ManagedObject, index: Int)
    case list([Element])
  }

  private let contents: Contents

  init(owner: ManagedObject, index: Int) { contents = .view(owner: owner, index: index) }

  /// A list of objects to assign to a relationship; the list itself cannot be changed.
  ///
  /// - Parameter elements: The objects; one that comes twice becomes a member once.
  public init(arrayLiteral elements: Element...) { contents = .list(elements) }

  /// A sequence of objects to assign to a relationship; the sequence itself cannot be changed.
  ///
  /// - Parameter elements: The objects; one that comes twice becomes a member once.
  public init(_ elements: some Sequence<Element>) { contents = .list(Array(elements)) }

  /// The number of objects; takes one COUNT when they are not loaded.
  ///
  /// The objects are loaded where another context has saved, and may have stored what is still unsaved here.
  public var count: Int {
    switch contents {
    case .view(let owner, let index): owner._memberCount(index)
    case .list(let list): list.count
    }
  }

  /// Whether there are no objects; takes one COUNT when they are not loaded.
  public var isEmpty: Bool { count == 0 }

  /// The IDs of the objects; the objects are not loaded.
  public var objectIDs: Set<ManagedObjectID> {
    switch contents {
    case .view(let owner, let index): Set(owner._memberIDs(index))
    case .list(let list): Set(list.map(\.objectID))
    }
  }

  /// Always 0: the number of objects is not asked for in advance.
  public var underestimatedCount: Int { 0 }

  /// Loads the objects, in one round trip, and iterates over them.
  ///
  /// - Returns: An iterator over the objects as they are now, whatever the loop changes. It gives none if they
  ///   cannot be loaded; ``ManagedObjectContext/lastFaultError`` says why.
  /// - Complexity: Time in the number of objects, which are loaded.
  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  /// Whether an object is among them.
  ///
  /// - Parameter element: The object.
  /// - Returns: Whether it is; `false` for an object of another context, and when the store cannot be asked.
  public func contains(_ element: Element) -> Bool {
    switch contents {
    case .view(let owner, let index): owner._containsMember(index, element)
    case .list(let list): list.contains(element)
    }
  }

  /// Adds an object, and sets the inverse; does nothing if it is a member already.
  ///
  /// - Parameter element: An object of the owner's context. One of another context, or a deleted one, is not added,
  ///   and the next save or fetch throws `foreignObject` (200005) or `objectGone` (200006).
  public nonmutating func insert(_ element: Element) {
    if case .view(let owner, let index) = contents { owner._insertMember(index, element) }
  }

  /// Removes an object, and clears the inverse; does nothing if it is not a member.
  ///
  /// - Parameter element: The object.
  public nonmutating func remove(_ element: Element) {
    if case .view(let owner, let index) = contents { owner._removeMember(index, element) }
  }

  /// Removes all objects; loads them, as assigning other objects does.
  public nonmutating func removeAll() {
    if case .view(let owner, let index) = contents { owner._replaceMembers(index, with: []) }
  }

  /// Adds objects.
  ///
  /// - Parameter elements: The objects; each is added as ``insert(_:)`` adds it.
  /// - Complexity: A statement for each object, if the relationship is many-to-many or has no inverse, and is not
  ///   loaded.
  public nonmutating func formUnion(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  /// Removes objects.
  ///
  /// - Parameter elements: The objects; those that are not members are ignored.
  /// - Complexity: A statement for each object, if the relationship is many-to-many or has no inverse, and is not
  ///   loaded.
  public nonmutating func subtract(_ elements: some Sequence<Element>) {
    for element in elements { remove(element) }
  }

  private var elements: [Element] {
    switch contents {
    case .view(let owner, let index): owner._members(index).compactMap { $0 as? Element }
    case .list(let list): list
    }
  }
}

@available(*, unavailable, message: "a relationship stays with its context; send object IDs")
extension ToMany: Sendable {}
