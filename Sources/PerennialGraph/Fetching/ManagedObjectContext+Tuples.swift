// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObjectContext {
  /// Fetches attributes of the objects that a request selects, as tuples.
  ///
  /// ```swift
  /// let newest = Commit.sorted(by: \.date, .reverse).limit(20)
  /// for (message, date) in try context.fetch(newest, \.message, \.date) { print(date, message) }
  /// let shas = try context.fetch(Commit.all, \.sha)      // [String]
  /// ```
  ///
  /// The fetch reads only the columns of the attributes, and makes no objects, except where unsaved changes can
  /// decide about the result: then it reads the objects. Unsaved changes count as in ``fetch(_:file:line:)``, unlike
  /// in ``fetchDictionaries(_:)``.
  ///
  /// - Parameters:
  ///   - request: Which objects, and in what order.
  ///   - first: An attribute.
  ///   - others: More attributes.
  /// - Returns: A tuple for each object; for a single attribute, its values.
  /// - Throws: `unknownName` (200003) for a key path that is not an attribute, `invalidRequest` (200008) for a
  ///   transient one, or what ``fetch(_:file:line:)`` throws.
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

  /// Fetches attributes of the objects that a request selects, as tuples, when some attributes are enums,
  /// `Codable` types or composites.
  ///
  /// ```swift
  /// let states = try context.fetch(Ticket.all, \.state, \.priority)    // [(String, Priority)]
  /// ```
  ///
  /// Such attributes need their objects, so the fetch reads the objects with their whole rows.
  ///
  /// - Parameters:
  ///   - request: Which objects, and in what order.
  ///   - first: An attribute.
  ///   - others: More attributes.
  /// - Returns: A tuple for each object; for a single attribute, its values.
  /// - Throws: `unknownName` (200003) for a key path that is not an attribute, `invalidRequest` (200008) for a
  ///   transient one, or what ``fetch(_:file:line:)`` throws.
  @_disfavoredOverload
  public func fetch<Object: ManagedObject, First: Sendable, each Other: Sendable>(
    _ request: FetchRequest<Object>,
    _ first: KeyPath<Object, First>,
    _ others: repeat KeyPath<Object, each Other>
  ) throws(PerennialError) -> [(First, repeat each Other)] {
    let layout = homes[try entity(of: request)].layout
    try layout.checkAttribute(Object.name(of: first))
    for other in repeat each others { try layout.checkAttribute(Object.name(of: other)) }
    return try fetch(request).map { object in
      (object[keyPath: first], repeat object[keyPath: each others])
    }
  }
}

extension EntityLayout {
  /// Throws for a name that is no stored attribute, nor a composite of such.
  fileprivate func checkAttribute(_ name: String) throws(PerennialError) {
    guard let slot = slotsByName[name] else {
      if slots.contains(where: { $0.name.hasPrefix(name + ".") }) { return }
      throw .noOwnAttribute(name, of: self)
    }
    _ = try storedAttribute(slot, name)
  }

  /// The slot, if it is a stored attribute.
  fileprivate func storedAttribute(_ slot: Int, _ name: String) throws(PerennialError) -> Int {
    guard slots[slot].attributeType != nil else { throw .unknownProperty(name, of: self) }
    guard !slots[slot].isTransient else {
      throw .invalidRequest(
        "'\(name)' of '\(self.name)' is transient, so that no store has its value.",
        "fetch a stored attribute, or the objects",
        of: self
      )
    }
    return slot
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
    guard let slot = layout.slotsByName[name] else { throw .noOwnAttribute(name, of: layout) }
    self.slot = try layout.storedAttribute(slot, name)
  }

  func load(_ row: UnsafeRawPointer) -> Value { Value._load(row, slot) }
}

extension PerennialError {
  /// A key path of a tuple is no attribute: one that no property has is described by a backslash.
  fileprivate static func noOwnAttribute(
    _ name: String,
    of entity: EntityLayout
  ) -> PerennialError {
    guard name.hasPrefix("\\") else { return .unknownProperty(name, of: entity) }
    return PerennialError(
      .unknownName,
      "A key path for a tuple of '\(entity.name)' is none of its own attributes.",
      recovery: "use 'fetchDictionaries' for values of related objects, by paths as 'author.name'",
      entity: entity.name,
      property: name
    )
  }
}
