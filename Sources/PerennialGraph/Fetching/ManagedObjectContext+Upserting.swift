// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObjectContext {
  /// Updates the objects that exist and inserts those that do not: one object for every key.
  ///
  /// ```swift
  /// let commits = try context.upsert(Commit.self, from: log, matching: \.sha, \.sha) { commit, entry in
  ///   commit.message = entry.message
  /// }
  /// ```
  ///
  /// Objects are found among the unsaved ones and in the store, 500 keys to a query. Two elements
  /// with one key give the same object twice. A property that is set to the value it has is no
  /// change, so that importing the same data again writes nothing. The key of a new object is set.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - elements: What to import.
  ///   - keyPath: The attribute that identifies an object; best a unique or indexed one.
  ///   - key: The attribute's value for an element.
  ///   - apply: Sets the other properties of an object, new or not.
  /// - Returns: The object of every element, in order.
  /// - Throws: `unknownName` (200,003) when the key path is not an attribute, what `apply` throws, or
  ///   as ``fetch(_:)``.
  /// - Complexity: One query for 500 elements.
  public func upsert<Object: ManagedEntity, Elements: Sequence, Key: AttributeValue & Hashable>(
    _ type: Object.Type = Object.self,
    from elements: Elements,
    matching keyPath: KeyPath<Object, Key>,
    _ key: (Elements.Element) -> Key,
    _ apply: (Object, Elements.Element) throws -> Void
  ) throws -> [Object] {
    try prepareToRead()
    var finder = try KeyFinder(context: self, type: type, attribute: Object.name(of: keyPath))
    var objects: [Object] = []
    var batch: [Elements.Element] = []
    batch.reserveCapacity(KeyFinder.batchCount)
    func importBatch() throws {
      let keys = batch.map(key)
      try finder.load(keys)
      for (element, key) in zip(batch, keys) {
        let object = unsafeDowncast(finder.findOrInsert(key), to: Object.self)
        objects.append(object)
        try apply(object, element)
      }
      batch.removeAll(keepingCapacity: true)
    }
    for element in elements {
      batch.append(element)
      if batch.count == KeyFinder.batchCount { try importBatch() }
    }
    if !batch.isEmpty { try importBatch() }
    return objects
  }

  /// The object with a value of an attribute, inserted when there is none.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - keyPath: The attribute; best a unique or indexed one.
  ///   - value: Its value.
  /// - Returns: The object; a new one has just this attribute set.
  /// - Throws: As ``upsert(_:from:matching:_:_:)``.
  public func findOrInsert<Object: ManagedEntity, Key: AttributeValue & Hashable>(
    _ type: Object.Type = Object.self,
    where keyPath: KeyPath<Object, Key>,
    equals value: Key
  ) throws -> Object {
    try upsert(type, from: CollectionOfOne(value), matching: keyPath, \.self, { _, _ in })[0]
  }
}

/// Finds objects by the value of one attribute, among the changed ones and in the store.
///
/// Values are hashed and compared as rows hold them; no value is decoded.
/// Safe because a finder lives within one call on the context, which owns the home.
struct KeyFinder {
  /// How many keys a query has.
  static let batchCount = 500

  private let context: ManagedObjectContext
  private let type: ManagedObject.Type
  private let home: UnsafeMutablePointer<EntityHome>
  private let slot: Int
  private let attribute: String
  /// Changed objects, and those that this finder inserted.
  private var changed = ObjectTable()
  /// The stored objects of the current batch, or all of them.
  private var stored = ObjectTable()
  private var hasLoadedAll = false

  init(
    context: ManagedObjectContext,
    type: ManagedObject.Type,
    attribute: String
  ) throws(PerennialError) {
    self.context = context
    self.type = type
    self.attribute = attribute
    home = context.home(of: type)
    let layout = home.pointee.layout
    guard let slot = layout.slotsByName[attribute] else {
      throw .unknownProperty(attribute, of: layout)
    }
    self.slot = slot
    for index in layout.family {
      for object in context.homes[index].changedObjects where !object.isDeleted {
        changed.insert(object, slot, layout)
      }
    }
  }

  /// Fetches the stored objects of a batch of keys.
  ///
  /// A store that would look at every row for every batch gives all of them once.
  mutating func load(_ keys: [some AttributeValue]) throws(PerennialError) {
    guard context.store.capabilities.contains(.queryEngine) else { return try loadAll() }
    stored.removeAll()
    let values = keys.map { ExpressionNode.constant($0._propertyValue) }
    var query = StoreQuery(entity: home.pointee.layout.index)
    query.predicate = FetchPredicate(
      .comparison(Comparison(.path(attribute), .isIn, .list(values)))
    )
    query.isForUpdate = true
    try load(query)
  }

  private mutating func loadAll() throws(PerennialError) {
    guard !hasLoadedAll else { return }
    hasLoadedAll = true
    try load(StoreQuery(entity: home.pointee.layout.index))
  }

  private mutating func load(_ query: StoreQuery) throws(PerennialError) {
    var objects: [ManagedObject] = []
    try context.store.fetchRows(query) { page in context.append(page, to: &objects) }
    for object in context.awakened(objects) where !object.isDeleted {
      stored.insert(object, slot, home.pointee.layout)
    }
  }

  /// The object of a key, or a new one that has it.
  mutating func findOrInsert(_ key: some AttributeValue) -> ManagedObject {
    key._withSlotValue { value in
      if let object = changed.find(value, slot) ?? stored.find(value, slot) { return object }
      let object = type.init(context: context)
      object._store(value, slot)
      changed.insert(object, slot, home.pointee.layout)
      return object
    }
  }
}

/// Objects by the hash of one slot.
private struct ObjectTable {
  private var objects: [UInt64: ManagedObject] = [:]
  private var collisions: [UInt64: [ManagedObject]] = [:]

  mutating func insert(_ object: ManagedObject, _ slot: Int, _ layout: EntityLayout) {
    guard let row = object._row, let hash = SlotKeyHash.hash(row, [slot], of: layout) else {
      return
    }
    if objects[hash] == nil {
      objects[hash] = object
    } else {
      collisions[hash, default: []].append(object)
    }
  }

  func find(_ value: SlotValue, _ slot: Int) -> ManagedObject? {
    let hash: UInt64
    switch value {
    case .null: return nil
    case .word(let word): hash = SlotKeyHash.hash(word: word)
    case .bytes(let bytes): hash = SlotKeyHash.hash(bytes)
    }
    guard let first = objects[hash] else { return nil }
    if Self.has(first, value, slot) { return first }
    return collisions[hash]?.first { Self.has($0, value, slot) }
  }

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    collisions = [:]
  }

  private static func has(_ object: ManagedObject, _ value: SlotValue, _ slot: Int) -> Bool {
    guard let row = object._row, !PackedRow.isNull(row, slot) else { return false }
    switch value {
    case .null: return false
    case .word(let word):
      let found = PackedRow.word(row, slot)
      if found == word { return true }
      guard let layout = object._home?.pointee.layout.slots[slot] else { return false }
      return SlotKeyHash.equal(found, word, layout)
    case .bytes(let bytes): return SlotKeyHash.equal(PackedRow.bytes(row, slot), bytes)
    }
  }
}
