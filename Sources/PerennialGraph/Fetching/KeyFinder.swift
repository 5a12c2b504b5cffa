// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

/// Finds objects by the value of one attribute, among the changed ones and in the store.
///
/// Values are hashed and compared as rows hold them; no value is decoded.
/// Safe because a finder lives within one call on the context, which owns the home.
@usableFromInline
struct KeyFinder {
  /// How many keys a query has.
  @usableFromInline static let batchCount = 500

  private let context: ManagedObjectContext
  private let type: ManagedObject.Type
  private let home: UnsafeMutablePointer<EntityHome>
  private let slot: Int
  private let isAbstract: Bool
  /// The constraint that the attribute is unique by, if the context knows changed objects by that.
  private let constraint: ConstraintIndex.Key?
  /// The temporary key that the next new object gets, unless others than this finder insert some.
  private var nextKey: Int64 = 0
  /// Changed objects, those of the batches' keys or all, and those that this finder inserted.
  private var changed = ObjectTable()
  /// The stored objects of the current batch, or all of them.
  private var stored = ObjectTable()
  private var hasLoaded = false
  private var hasLoadedAll = false

  /// A finder, once the context is ready to be read.
  ///
  /// - Throws: `unknownName` (200003) when the key path is not an attribute, or as
  ///   ``ManagedObjectContext/fetch(_:file:line:)``.
  @usableFromInline
  init(
    _ context: ManagedObjectContext,
    _ type: ManagedObject.Type,
    matching keyPath: AnyKeyPath
  ) throws(PerennialError) {
    try context.prepareToRead()
    self.context = context
    self.type = type
    let attribute = type.name(of: keyPath)
    home = context.home(of: type)
    let layout = home.pointee.layout
    guard let slot = layout.slotsByName[attribute] else {
      throw .unknownProperty(attribute, of: layout)
    }
    self.slot = slot
    isAbstract = layout.description.isAbstract
    constraint = layout.constraints.firstIndex(of: [slot]).map {
      ConstraintIndex.Key(entity: layout.constraintOwners[$0], number: $0)
    }
    guard constraint == nil else {
      addKeyChanges()
      return
    }
    for index in layout.family {
      for object in context.homes[index].changedObjects where !object.isDeleted {
        changed.insert(object, slot, layout)
      }
    }
  }

  /// Takes the objects that the constraint's index lacks: those that a listener has just changed, or that the closure
  /// of an upsert has inserted.
  private mutating func addKeyChanges() {
    for index in home.pointee.family {
      for object in context.homes[index].keyChanges
      where object._edit != nil && !object.isDeleted && !changed.contains(object, slot) {
        changed.insert(object, slot, home.pointee.layout)
      }
    }
    nextKey = home.pointee.keySource.pointee.nextTemporaryKey
  }

  /// Fetches the stored objects of a batch of keys.
  ///
  /// A store that would look at every row for every batch gives all of them once, from the second batch on.
  @usableFromInline
  mutating func load(_ keys: [PropertyValue]) throws(PerennialError) {
    if constraint != nil, home.pointee.keySource.pointee.nextTemporaryKey != nextKey {
      addKeyChanges()
    }
    addChanged(keys)
    if hasLoaded, !context.store.capabilities.contains(.queryEngine) { return try loadAll() }
    hasLoaded = true
    stored.removeAll()
    let lookUp = LookUp(forUpdateBy: slot, of: home.pointee.layout.index)
    let isOne = keys.count == 1 && !keys[0].isNull
    var objects: [ManagedObject] = []
    objects.reserveCapacity(keys.count)
    try context.store.fetchRows(lookUp, isOne ? .one(keys[0]) : .several(keys)) { page in
      context.append(page, to: &objects)
    }
    add(objects)
  }

  /// Takes the changed objects of a batch of keys from the constraint's index, so that a call costs no
  /// time for the others.
  ///
  /// A stored object that the index lacks has the value in the store, too.
  private mutating func addChanged(_ keys: [PropertyValue]) {
    let layout = home.pointee.layout
    guard let constraint, !context.constraintIndex.isEmpty(under: constraint),
      let type = layout.slots[slot].attributeType
    else { return }
    for key in keys {
      let found = key.withSlotValue(as: type) { key -> ManagedObject? in
        guard let hash = ObjectTable.hash(key) else { return nil }
        return context.constraintIndex.first(hash, under: constraint) { object in
          object._edit != nil && !object.isDeleted && isOfFamily(object)
            && ObjectTable.has(object, key, slot)
        }
      }
      if let found { changed.insert(found, slot, layout) }
    }
  }

  private func isOfFamily(_ object: ManagedObject) -> Bool {
    object._home.map { home.pointee.family.contains($0.pointee.index) } ?? false
  }

  private mutating func loadAll() throws(PerennialError) {
    guard !hasLoadedAll else { return }
    hasLoadedAll = true
    let query = StoreQuery(entity: home.pointee.layout.index)
    var objects: [ManagedObject] = []
    try context.store.fetchRows(query) { page in context.append(page, to: &objects) }
    add(objects)
  }

  private mutating func add(_ objects: [ManagedObject]) {
    for object in context.awakened(objects) where !object.isDeleted {
      stored.insert(object, slot, home.pointee.layout)
    }
  }

  /// Why no object is inserted for a key that none has.
  @usableFromInline
  var obstacle: PerennialError { .noObjects(of: home.pointee.layout) }

  /// The object of a key, or a new one that has it; `nil` where there is none, and the entity is abstract.
  @usableFromInline
  mutating func findOrInsert(_ key: SlotValue) -> ManagedObject? {
    if let hash = ObjectTable.hash(key),
      let object = changed.find(key, hash, slot) ?? stored.find(key, hash, slot)
    {
      return object
    }
    if isAbstract { return nil }
    let object = type.init(context: context)
    nextKey -= 1
    object._store(key, slot)
    changed.insert(object, slot, home.pointee.layout)
    return object
  }
}

/// Objects by the hash of one slot.
private struct ObjectTable {
  private var objects: [UInt64: ManagedObject] = [:]
  private var collisions: [UInt64: [ManagedObject]] = [:]

  mutating func insert(_ object: ManagedObject, _ slot: Int, _ layout: EntityLayout) {
    guard let row = object._row, !PackedRow.isNull(row, slot) else { return }
    let hash = Self.hash(of: row, slot, layout)
    guard let first = objects.updateValue(object, forKey: hash) else { return }
    objects[hash] = first
    collisions[hash, default: []].append(object)
  }

  /// The hash of a value; `nil` for none, which no object is found by.
  static func hash(_ value: SlotValue) -> UInt64? {
    switch value {
    case .null: nil
    case .word(let word): SlotKeyHash.hash(word: word)
    case .bytes(let bytes): SlotKeyHash.hash(bytes)
    }
  }

  /// The first object with a value, whose hash is known.
  func find(_ value: SlotValue, _ hash: UInt64, _ slot: Int) -> ManagedObject? {
    guard let first = objects[hash] else { return nil }
    if Self.has(first, value, slot) { return first }
    return collisions[hash]?.first { Self.has($0, value, slot) }
  }

  /// Whether an object has been inserted with the value that it has.
  func contains(_ object: ManagedObject, _ slot: Int) -> Bool {
    guard let row = object._row, let layout = object._home?.pointee.layout,
      !PackedRow.isNull(row, slot)
    else { return false }
    let hash = Self.hash(of: row, slot, layout)
    return objects[hash] === object || collisions[hash]?.contains { $0 === object } == true
  }

  private static func hash(
    of row: UnsafeRawPointer,
    _ slot: Int,
    _ layout: EntityLayout
  ) -> UInt64 {
    layout.slots[slot].storage == .bytes
      ? SlotKeyHash.hash(PackedRow.bytes(row, slot))
      : SlotKeyHash.hash(word: PackedRow.word(row, slot))
  }

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    collisions = [:]
  }

  static func has(_ object: ManagedObject, _ value: SlotValue, _ slot: Int) -> Bool {
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
