// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

@testable import PerennialGraph
@testable import PerennialStore

/// What one of several stores would refuse, and what would be taken for another store's.
@Suite("Several stores as one: conflicts and keys")
struct CombinedConflictTests {
  private let model: ModelLayout
  private let stores: [InMemoryStore]
  private let coordinator: StoreCoordinator

  init() throws {
    model = try ManagedObjectModel(
      EntityDescription(
        "Item",
        uniqueness: [["code"]],
        properties: [
          .attribute("code", .int64), .attribute("name", .string, optional: true),
          .toOne("box", "Box", inverse: "items"),
        ]
      ),
      EntityDescription(
        "Box",
        properties: [.toMany("items", "Item", inverse: "box", ordered: true)]
      )
    ).layout
    stores = [InMemoryStore(model: model), InMemoryStore(model: model)]
    let combined = CombinedStore(model: model)
    for store in stores {
      try combined.add(.init(store, entities: Set(model.entities.indices)))
    }
    coordinator = StoreCoordinator(store: combined, classes: [:])
  }

  private func entity(_ name: String) throws -> EntityLayout {
    model.entities[try #require(model.entitiesByName[name])]
  }

  private func items() -> FetchRequest<ManagedObject> {
    FetchRequest<ManagedObject>(entityName: "Item")
  }

  @discardableResult
  private func insert(
    _ number: Int,
    in store: Int,
    _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    let item = try context.insert(entityNamed: "Item")
    try item.setValue(number, forKey: "code")
    try context.assign(item, toStore: stores[store].identifier)
    return item
  }

  /// A context of one store alone.
  private func alone(_ store: Int) -> ManagedObjectContext {
    ManagedObjectContext(coordinator: StoreCoordinator(store: stores[store], classes: [:]))
  }

  /// What a store has.
  private func codes(in store: Int) throws -> [Int64] {
    let context = alone(store)
    return try context.fetch(items()).compactMap { try $0.value(forKey: "code") as? Int64 }.sorted()
  }

  // MARK: Unique values

  @Test func `1I.3 equal values of new objects are found before any store is written`() throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    try insert(1, in: 0, context)
    for _ in 0..<2 { try insert(7, in: 1, context) }
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(try codes(in: 0).isEmpty)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(try codes(in: 0) == [1])
    #expect(try codes(in: 1) == [7])
  }

  @Test func `1I.3 equal values that objects get are found before any store is written`() throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    let known = [try insert(7, in: 1, context), try insert(8, in: 1, context)]
    try context.save()
    for item in known { try item.setValue(9, forKey: "code") }
    try insert(1, in: 0, context)
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(try codes(in: 0).isEmpty)
    #expect(try codes(in: 1) == [7, 8])
  }

  @Test func `1I.3 the values of an object of which others change are looked at, too`() throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    let known = try insert(7, in: 1, context)
    try context.save()
    try known.setValue("changed", forKey: "name")
    try insert(7, in: 1, context)
    try insert(1, in: 0, context)
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(try codes(in: 0).isEmpty)
    #expect(try codes(in: 1) == [7])
    // What goes, and what gets another value, leaves its own to others.
    try known.setValue(8, forKey: "code")
    try context.save()
    #expect(try codes(in: 0) == [1])
    #expect(try codes(in: 1) == [7, 8])
  }

  @Test func `1I.3 stored rows of one first value are looked at once`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Entry",
        uniqueness: [["tenant", "number"]],
        properties: [.attribute("tenant", .int64), .attribute("number", .int64)]
      )
    ).layout
    let stores = [InMemoryStore(model: model), InMemoryStore(model: model)]
    let combined = CombinedStore(model: model)
    for store in stores { try combined.add(.init(store, entities: [0])) }
    let context = ManagedObjectContext(
      coordinator: StoreCoordinator(store: combined, classes: [:])
    )
    func insert(_ number: Int, in store: Int) throws {
      let entry = try context.insert(entityNamed: "Entry")
      try entry.setValue(1, forKey: "tenant")
      try entry.setValue(number, forKey: "number")
      try context.assign(entry, toStore: stores[store].identifier)
    }
    try insert(0, in: 0)
    try context.save()
    for number in 1...1_200 { try insert(number, in: 0) }
    try insert(1, in: 1)
    let rows = stores[0].counters.rows
    try context.save()
    #expect(stores[0].counters.rows - rows == 1)
  }

  // MARK: Keys

  /// A key that a store can have only when it is alone.
  private static let farKey: Int64 = 1 << 40 + 1

  @Test(arguments: [0, 1])
  func `1I.3 an ID with a key that no store can have beside others is no other store's`(
    _ store: Int
  ) throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    let known = [try insert(1, in: 0, context), try insert(2, in: 1, context)]
    try context.save()
    #expect(known.map(\.objectID.key) == [1, 1])
    let id = ManagedObjectID(
      entityName: "Item",
      owner: stores[store].identifier,
      key: Self.farKey
    )
    #expect(code { _ = try context.existingObject(with: id) } == .objectGone)
    #expect(code { _ = try context.fault(for: id) } == .objectGone)
    #expect(context.registeredObject(for: id) == nil)
  }

  @Test(arguments: [0, 1], ["Item", "Box"])
  func `1I.3 rows with such keys, or that lead to some, are an error and no other store's`(
    _ store: Int,
    _ name: String
  ) throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    try insert(1, in: 1 - store, context)
    try context.save()
    let root = try entity(name).index
    _ = try stores[store].reserveKeys(root: root, count: 1 << 40)
    let filling = alone(store)
    let box = try filling.insert(entityNamed: "Box")
    let item = try filling.insert(entityNamed: "Item")
    try item.setValue(2, forKey: "code")
    try item.setObject(box, forKey: "box")
    try filling.save()
    #expect((name == "Item" ? item : box).objectID.key == Self.farKey)
    let reader = ManagedObjectContext(coordinator: coordinator)
    let sorted = items().sorted(by: FetchSort("code"))
    for request in [items(), sorted] {
      let error = #expect(throws: PerennialError.self) { _ = try reader.fetch(request) }
      #expect(error?.code == .persistentStoreOpen)
      #expect(error?.message.contains("\(Self.farKey)") == true)
      #expect(error?.message.contains("\(stores[store].identifier)") == true)
    }
    let all = FetchRequest<ManagedObject>(entityName: name)
    #expect(code { _ = try reader.fetchObjectIDs(all) } == .persistentStoreOpen)
    guard name == "Item" else { return }
    #expect(code { _ = try reader.fetchObjectIDs(sorted) } == .persistentStoreOpen)
    let members = try #require(try entity("Box").toManys.first)
    let owner = StoreKey.combined(box.objectID.key, store: store)
    #expect(
      code { _ = try coordinator.store.fetchMembers(of: members, owners: [owner], limit: 0) }
        == .persistentStoreOpen
    )
  }

  // MARK: Many changes

  @Test func `1I.3 the orders of many owners are given to their stores in linear time`() throws {
    let items = try #require(try entity("Box").toManys.first)
    var changes = ChangeSet()
    for number in 0..<Int64(40_000) {
      let store = Int(number % 2)
      let members = [number * 2 + 1, number * 2 + 2].map { StoreKey.combined($0, store: store) }
      let owner = StoreKey.combined(number + 1, store: store)
      changes.orders.append(.init(relationship: items, owner: owner, members: members))
    }
    var parts: [Int: ChangeSet] = [:]
    let time = ThreadTime.of { parts = (try? ChangeSetSplitter(model).split(changes)) ?? [:] }
    #expect(parts.mapValues(\.orders.count) == [0: 20_000, 1: 20_000])
    #expect(parts[1]?.orders.last?.members == [79_999, 80_000])
    #expect(time < .seconds(1))
  }
}
