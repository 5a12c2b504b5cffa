// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

extension ManagedObjectContext {
  /// Updates the objects that exist and inserts those that do not: one object for every key.
  ///
  /// ```swift
  /// let commits = try context.upsert(Commit.self, from: log, matching: \.sha, \.sha) { commit, entry in
  ///   commit.message = entry.message
  /// }
  /// ```
  ///
  /// Objects are found among the unsaved ones and in the store, 500 keys to a statement. Two elements
  /// with one key give the same object twice. Setting a property to the value that it has is no change, so
  /// importing the same data again writes nothing. A new object has its key when `apply` gets it.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - elements: What to import.
  ///   - keyPath: The attribute that identifies an object, preferably a unique or indexed one.
  ///   - key: Gives the attribute's value for an element.
  ///   - apply: Sets the other properties of an object, new or not.
  /// - Returns: The object of every element, in order.
  /// - Throws: `unknownName` (200003) when the key path is not an attribute, `invalidModel` (134020) for a key that
  ///   no object has if the entity is abstract, what `apply` throws, or what ``fetch(_:file:line:)`` throws.
  /// - Complexity: One statement for each 500 elements.
  @inlinable
  public func upsert<Object: ManagedEntity, Elements: Sequence, Key: AttributeValue & Hashable>(
    _ type: Object.Type = Object.self,
    from elements: Elements,
    matching keyPath: KeyPath<Object, Key>,
    _ key: (Elements.Element) -> Key,
    _ apply: (Object, Elements.Element) throws -> Void
  ) throws -> [Object] {
    var finder = try KeyFinder(self, type, matching: keyPath)
    var objects: [Object] = []
    objects.reserveCapacity(elements.underestimatedCount)
    var rest = elements.makeIterator()
    var batch: [Elements.Element] = []
    var keys: [Key] = []
    repeat {
      batch.removeAll(keepingCapacity: true)
      keys.removeAll(keepingCapacity: true)
      while batch.count < KeyFinder.batchCount, let element = rest.next() {
        keys.append(key(element))
        batch.append(consume element)
      }
      if batch.isEmpty { break }
      try finder.load(keys.map { $0._propertyValue })
      for index in batch.indices {
        guard let object = keys[index]._withSlotValue({ finder.findOrInsert($0) }) else {
          throw finder.obstacle
        }
        objects.append(unsafeDowncast(object, to: Object.self))
        try apply(unsafeDowncast(object, to: Object.self), batch[index])
      }
    } while batch.count == KeyFinder.batchCount
    return objects
  }

  /// Finds the object with a value of an attribute, and inserts one if there is none.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - keyPath: The attribute, preferably a unique or indexed one.
  ///   - value: Its value.
  /// - Returns: The object; a new one has only this attribute set.
  /// - Throws: What ``upsert(_:from:matching:_:_:)`` throws.
  @inlinable
  public func findOrInsert<Object: ManagedEntity, Key: AttributeValue & Hashable>(
    _ type: Object.Type = Object.self,
    where keyPath: KeyPath<Object, Key>,
    equals value: Key
  ) throws -> Object {
    try upsert(type, from: CollectionOfOne(value), matching: keyPath, \.self, { _, _ in })[0]
  }
}
