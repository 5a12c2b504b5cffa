// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

/// The result of a fetch, as a list that loads rows when you look at them.
///
/// You find elements by position. The list loads their rows batch by batch, and holds the batches that were
/// used last. The objects of other batches are held only by the code that uses them. The list does not change:
/// an object that is deleted later stays in it, and reads as empty once it is gone.
///
/// Isolation: a list belongs to its context, as objects do. It keeps the context alive.
///
/// Source: SwiftData's `FetchResultsCollection`.
public struct FetchResultsCollection<Element: ManagedObject>: RandomAccessCollection {
  private let list: BatchedList
  /// The part of the list that this is.
  private let rows: Range<Int>

  init(_ list: BatchedList, rows: Range<Int>? = nil) {
    self.list = list
    self.rows = rows ?? 0..<list.references.count
  }

  /// The first position: 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { rows.count }

  /// The object at a position; loads its batch if necessary.
  ///
  /// If the batch cannot be loaded, the object is a fault, which tries again by itself.
  ///
  /// - Parameter position: A position from 0 up to, but not including, ``endIndex``; any other stops the program.
  /// - Returns: The object; one that has been deleted since reads as empty.
  /// - Complexity: O(1) while the batch is held; otherwise one statement for its rows, and the statements of the
  ///   prefetching.
  public subscript(position: Int) -> Element {
    // Safe because the fetch has checked that the entity's class is `Element` or a subclass.
    unsafeDowncast(list.object(at: place(of: position)), to: Element.self)
  }

  /// The ID of the object at a position; loads nothing.
  ///
  /// - Parameter position: A position from 0 up to, but not including, ``endIndex``; any other stops the program.
  /// - Returns: The ID: the permanent one if the object has been saved since the fetch.
  public func objectID(at position: Int) -> ManagedObjectID {
    list.objectID(at: place(of: position))
  }

  /// The place in the whole list.
  private func place(of position: Int) -> Int {
    precondition(position >= 0 && position < rows.count, "There is no object \(position).")
    return rows.lowerBound + position
  }

  /// How many rows are loaded at a time.
  public var batchSize: Int { list.batchSize }
}

@available(*, unavailable, message: "a list of objects stays with its context; send object IDs")
extension FetchResultsCollection: Sendable {}

/// The identities of a fetch, and the batches of objects that were used last.
final class BatchedList {
  private static let heldBatchCount = 3

  private let context: ManagedObjectContext
  let references: [ObjectReference]
  let batchSize: Int
  private let root: Int
  private let prefetches: [Prefetch]
  /// Whether a batch takes what is stored of the objects that are here already.
  private let refetches: Bool
  /// The batches that were used last, the latest at the end.
  private var batches: [(number: Int, objects: [ManagedObject])] = []
  /// The objects that an older list held, until this one has batches of its own.
  private var inherited: [ManagedObject] = []

  /// A list of what a fetch brought; what an older one held, which it replaces, is held for a while.
  init(
    context: ManagedObjectContext,
    references: [ObjectReference],
    root: Int,
    batchSize: Int,
    prefetches: [Prefetch],
    refetches: Bool = false,
    after older: BatchedList? = nil
  ) {
    self.context = context
    self.references = references
    self.root = root
    self.batchSize = batchSize
    self.prefetches = prefetches
    self.refetches = refetches
    guard let older else { return }
    let held = older.batches.reversed().flatMap(\.objects) + older.inherited
    // The rows of a list of any length at most, however large a batch is.
    inherited = Array(held.prefix(Self.heldBatchCount * min(batchSize, held.count)))
  }

  func object(at position: Int) -> ManagedObject {
    let number = position / batchSize
    if let last = batches.last, last.number == number {
      return last.objects[position % batchSize]
    }
    let objects: [ManagedObject]
    if let held = batches.firstIndex(where: { $0.number == number }) {
      objects = batches.remove(at: held).objects
    } else {
      objects = load(number)
    }
    let oldest = batches.count < Self.heldBatchCount ? nil : batches.removeFirst()
    batches.append((number, objects))
    let older = batches.count < Self.heldBatchCount ? [] : inherited
    if batches.count == Self.heldBatchCount { inherited = [] }
    withExtendedLifetime((oldest, older)) {}
    return objects[position % batchSize]
  }

  func objectID(at position: Int) -> ManagedObjectID {
    context.current(references[position]).map { context.objectID(of: $0) }
      ?? context.objectID(of: references[position])
  }

  private func load(_ number: Int) -> [ManagedObject] {
    let start = number * batchSize
    let batch = references[start..<min(start + batchSize, references.count)]
    let objects = batch.map { context.object(forFetched: $0) }
    let missing = objects.filter { $0._row == nil && $0._home != nil }.map(\._key)
    context.reading(()) { () throws(PerennialError) in
      if refetches {
        try context.refetchUnchanged(objects, root: root)
        context.refetch(objects)
      }
      if !missing.isEmpty { try context.load(missing, root: root, keeps: false) }
      if !prefetches.isEmpty { try context.prefetch(prefetches, for: objects) }
    }
    return objects
  }
}

extension ManagedObjectContext {
  /// The reference of an object that may have been saved since; `nil` when it was new and has gone.
  func current(_ reference: ObjectReference) -> ObjectReference? {
    guard reference.key < 0 else { return reference }
    let root = homes[reference.entity].layout.root
    if homes[root].map.find(reference.key) != nil { return reference }
    let saved = top.temporaryKeys.key(root: root, temporary: reference.key).map {
      ObjectReference(key: $0, entity: reference.entity)
    }
    return saved ?? (parent == nil ? nil : reference)
  }

  /// The object of a reference that a fetch has brought; one that is gone when it was new and has
  /// left the context since.
  func object(forFetched reference: ObjectReference) -> ManagedObject {
    if let current = current(reference) { return object(for: current) }
    let object = object(for: reference)
    object._becomeGone()
    return object
  }
}
