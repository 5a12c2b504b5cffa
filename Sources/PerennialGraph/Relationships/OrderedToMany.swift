// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// The objects that an ordered to-many relationship leads to, as a view of the relationship.
///
/// Counting and testing do not load the members: `count` and `isEmpty` ask the store to count. Reading a position
/// loads all of them. An object is in the relationship at most once.
///
/// ```swift
/// album.tracks.append(track)
/// album.tracks.move(from: 3, to: 0)
/// ```
public struct OrderedToMany<Element: ManagedObject>: RandomAccessCollection,
  ExpressibleByArrayLiteral
{
  private enum Contents {
    case view(owner: ManagedObject, index: Int, cache: Cache)
    case list([Element])
  }

  /// The objects as they were loaded, so that going from position to position is cheap.
  private final class Cache {
    var stamp: Int?
    var elements: [Element] = []
  }

  /// What the context holds for other views; it never changes, as a cache does.
  private final class HeldList {
    let elements: [Element]
    init(_ elements: [Element]) { self.elements = elements }
  }

  private let contents: Contents

  init(owner: ManagedObject, index: Int) {
    contents = .view(owner: owner, index: index, cache: Cache())
  }

  /// A list of objects to assign to a relationship; the list itself cannot be changed.
  ///
  /// - Parameter elements: The objects in order; if one comes twice, the assignment takes its first place.
  public init(arrayLiteral elements: Element...) { contents = .list(elements) }

  /// A sequence of objects to assign to a relationship; the sequence itself cannot be changed.
  ///
  /// - Parameter elements: The objects in order; if one comes twice, the assignment takes its first place.
  public init(_ elements: some Sequence<Element>) { contents = .list(Array(elements)) }

  /// The first position: 0.
  public var startIndex: Int { 0 }

  /// The position after the last object; loads the objects, so that there is one at every position before it.
  public var endIndex: Int { heldElements.count }

  /// The number of objects; takes one COUNT when they are not loaded.
  ///
  /// The objects are loaded where another context has saved, and may have stored what is still unsaved here. Another
  /// context may save between the COUNT and the loading of the objects: for positions, use ``endIndex``.
  public var count: Int {
    switch contents {
    case .view(let owner, let index, let cache):
      cache.stamp != nil && cache.stamp == owner._membershipStamp
        ? count(of: cache, owner, index) : owner._memberCount(index)
    case .list(let list): list.count
    }
  }

  /// Whether there are no objects; takes one COUNT when they are not loaded.
  public var isEmpty: Bool { count == 0 }

  /// The last object; loads the objects.
  public var last: Element? { elements.last }

  /// Always 0: a COUNT in advance may be more than are loaded afterwards.
  public var underestimatedCount: Int { 0 }

  /// The object at a position; loads all objects.
  ///
  /// - Parameter position: A position below ``endIndex``; any other ends the program.
  /// - Returns: The object.
  /// - Complexity: O(1) until a relationship changes; then time in the number of objects. If you keep no view, each
  ///   access takes that time in a list of more than 4,096 objects, and in any list while others may have saved and
  ///   objects of the members' entity are changed here.
  public subscript(position: Int) -> Element { heldElements[position] }

  /// Loads the objects, in one round trip, and iterates over them in their order.
  ///
  /// - Returns: An iterator over the objects as they are now, whatever the loop changes. It gives none if they
  ///   cannot be loaded; ``ManagedObjectContext/lastFaultError`` says why.
  /// - Complexity: Time in the number of objects, which are loaded.
  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  /// Loads the objects, and returns what a closure makes of each, in their order.
  ///
  /// - Parameter transform: Makes something of an object.
  /// - Returns: What it has made.
  /// - Throws: What the closure throws.
  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    try elements.map(transform)
  }

  /// The objects, for `Array(self)`, which would otherwise trust ``count``: a COUNT that another context's save
  /// may have overtaken before the objects are loaded.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { ContiguousArray(elements) }

  /// The IDs of the objects, in their order; the objects are not loaded.
  public var objectIDs: [ManagedObjectID] {
    switch contents {
    case .view(let owner, let index, _): owner._memberIDs(index)
    case .list(let list): list.map(\.objectID)
    }
  }

  /// Whether an object is among them.
  ///
  /// - Parameter element: The object.
  /// - Returns: Whether it is; `false` for an object of another context, and when the store cannot be asked.
  public func contains(_ element: Element) -> Bool {
    switch contents {
    case .view(let owner, let index, _): owner._containsMember(index, element)
    case .list(let list): list.contains(element)
    }
  }

  /// Adds an object at the end, unless it is a member already; does not load the other objects.
  ///
  /// - Parameter element: An object of the owner's context. One of another context, or a deleted one, is not added,
  ///   and the next save or fetch throws `foreignObject` (200005) or `objectGone` (200006).
  public nonmutating func append(_ element: Element) {
    if case .view(let owner, let index, _) = contents { owner._insertMember(index, element) }
  }

  /// Adds objects at the end, in their order, unless they are members already; does not load the other objects.
  ///
  /// - Parameter elements: Objects of the owner's context, as for ``append(_:)``.
  public nonmutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Inserts an object at a position; one that is a member already moves there.
  ///
  /// - Parameters:
  ///   - element: An object of the owner's context. One of another context, or a deleted one, is not added, and the
  ///     next save or fetch throws `foreignObject` (200005) or `objectGone` (200006).
  ///   - position: Its position afterwards, at least 0; one beyond the end means the end.
  /// - Complexity: Time in the number of objects, which are loaded.
  public nonmutating func insert(_ element: Element, at position: Int) {
    change { list in
      list.removeAll { $0 == element._survivor ?? element }
      list.insert(element, at: Swift.min(position, list.count))
    }
  }

  /// Removes an object without loading the others; does nothing if it is not a member.
  ///
  /// - Parameter element: The object.
  public nonmutating func remove(_ element: Element) {
    if case .view(let owner, let index, _) = contents { owner._removeMember(index, element) }
  }

  /// Removes the object at a position.
  ///
  /// - Parameter position: A position below ``endIndex``; any other ends the program.
  /// - Complexity: Time in the number of objects, which are loaded.
  public nonmutating func remove(at position: Int) { change { list in list.remove(at: position) } }

  /// Moves an object to another position, which is counted without the object.
  ///
  /// - Parameters:
  ///   - source: Its position now, below ``endIndex``; any other ends the program.
  ///   - destination: Its position afterwards, which must be below ``endIndex``, too.
  /// - Complexity: Time in the number of objects, which are loaded.
  public nonmutating func move(from source: Int, to destination: Int) {
    change { list in list.insert(list.remove(at: source), at: destination) }
  }

  /// Sorts the objects.
  ///
  /// - Parameter areInIncreasingOrder: Whether the first of two objects comes before the second.
  /// - Throws: What the closure throws; then the order stays as it was.
  /// - Complexity: O(*n* log *n*) in the number of objects, which are loaded.
  public nonmutating func sort(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) rethrows {
    try change { list in try list.sort(by: areInIncreasingOrder) }
  }

  /// Removes all objects.
  public nonmutating func removeAll() { change { list in list = [] } }

  private var elements: [Element] { knownElements ?? [] }

  /// The objects, those that another view has loaded if the context still holds them.
  private var heldElements: [Element] {
    guard case .view(let owner, let index, let cache) = contents,
      let stamp = owner._membershipStamp, cache.stamp != stamp
    else { return elements }
    if let held = owner._heldList(index) as? HeldList {
      (cache.elements, cache.stamp) = (held.elements, stamp)
      return elements
    }
    let elements = elements
    // Not if they could not be read, or have changed meanwhile.
    if cache.stamp == owner._membershipStamp {
      owner._holdList(index, HeldList(elements), count: elements.count)
    }
    return elements
  }

  /// The objects; `nil` when they cannot be read now, or must not be.
  private var knownElements: [Element]? {
    switch contents {
    case .view(let owner, let index, let cache):
      if let stamp = owner._membershipStamp {
        if cache.stamp == stamp {
          owner._noteToManyAccess(index, giving: cache.elements)
          return cache.elements
        }
        guard let members = owner._knownMembers(index) else { return nil }
        cache.elements = members.compactMap { $0 as? Element }
        cache.stamp = stamp
        return cache.elements
      }
      return []
    case .list(let list): return list
    }
  }

  private func count(of cache: Cache, _ owner: ManagedObject, _ index: Int) -> Int {
    owner._noteToManyAccess(index)
    return cache.elements.count
  }

  private func change(_ body: (inout [Element]) throws -> Void) rethrows {
    guard case .view(let owner, let index, _) = contents, var list = knownElements else { return }
    try body(&list)
    owner._replaceMembers(index, with: list)
  }
}

@available(*, unavailable, message: "a relationship stays with its context; send object IDs")
extension OrderedToMany: Sendable {}
