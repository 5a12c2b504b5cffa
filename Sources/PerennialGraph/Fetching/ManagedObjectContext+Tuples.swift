// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObjectContext {
  /// Fetches attributes of the objects that a request selects, as tuples, without making objects.
  ///
  /// ```swift
  /// let newest = Commit.sorted(by: \.date, .reverse).limit(20)
  /// for (message, date) in try context.fetch(newest, \.message, \.date) { print(date, message) }
  /// let shas = try context.fetch(Commit.all, \.sha)      // [String]
  /// ```
  ///
  /// Only the columns of the attributes are read. Unsaved changes count as in ``fetch(_:)``, unlike in
  /// ``fetchDictionaries(_:)``. Attributes of enums and `Codable` types are fetched with their objects.
  ///
  /// - Parameters:
  ///   - request: Which objects, and in what order.
  ///   - first: An attribute.
  ///   - others: More attributes.
  /// - Returns: A tuple for each object; the values alone for one attribute.
  /// - Throws: `unknownName` (200,003) for a key path that is no stored attribute; otherwise as
  ///   ``fetch(_:)``.
  public func fetch<Object: ManagedObject, First: AttributeValue, each Other: AttributeValue>(
    _ request: FetchRequest<Object>,
    _ first: KeyPath<Object, First>,
    _ others: repeat KeyPath<Object, each Other>
  ) throws(PerennialError) -> [(First, repeat each Other)] {
    var query = try query(for: request)
    let layout = homes[query.entity].layout
    let head = try SlotLoader(first, layout)
    var slots = [head.slot]
    let tail = (repeat try SlotLoader(each others, layout))
    for loader in repeat each tail { slots.append(loader.slot) }
    var tuples: [(First, repeat each Other)] = []
    try prepareToRead(showing: request.includesPendingChanges ? query.entity : nil)
    if request.includesPendingChanges, try changesMatter(to: query) {
      for object in try fetchObjects(query, true) {
        // Safe because the row is that of an object in hand.
        let row = object._row ?? object._loadedRow()
        tuples.append((head.load(row), repeat (each tail).load(row)))
      }
      return tuples
    }
    query.slots = slots
    faulting.statistics.fetchQueries += 1
    try store.fetchRows(query) { page in
      for index in 0..<page.count {
        // Safe because the page is there until the closure returns.
        let row = page.row(index)
        tuples.append((head.load(row), repeat (each tail).load(row)))
      }
    }
    return tuples
  }
}

/// Reads one attribute of rows.
private struct SlotLoader<Value: AttributeValue> {
  let slot: Int

  init<Object: ManagedObject>(
    _ keyPath: KeyPath<Object, Value>,
    _ layout: EntityLayout
  ) throws(PerennialError) {
    let name = Object.name(of: keyPath)
    guard let slot = layout.slotsByName[name], layout.slots[slot].attributeType != nil else {
      throw .unknownProperty(name, of: layout)
    }
    guard !layout.slots[slot].isTransient else {
      throw .invalidRequest(
        "'\(name)' of '\(layout.name)' is transient, so that no store has its value.",
        "fetch a stored attribute, or the objects",
        of: layout
      )
    }
    self.slot = slot
  }

  func load(_ row: UnsafeRawPointer) -> Value { Value._load(row, slot) }
}
