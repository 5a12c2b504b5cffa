// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialTestKit
import Testing

/// Stores that give what they should not: an error, never a crash or a wrong row.
@Suite("Stores that misbehave")
struct MisbehavingStoreTests {
  /// A store that gives one thing wrong.
  private struct Wrong: PersistentStore {
    var capabilities: StoreCapabilities = []
    var rows: [StoreRow] = []
    var key: Int64 = 1
    var refusal: PreferInMemory?

    func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? { nil }
    func write(_ metadata: PersistentStoreMetadata) throws {}
    func fetch(_ request: StoreRequest) throws -> [StoreRow] {
      if let refusal { throw refusal }
      return rows
    }
    func rows(of table: String, keys: [Int64]) throws -> [StoreRow] { rows }
    func members(
      of relationship: StoreRelationship,
      owners: [Int64]
    ) throws -> [Int64: [Int64]] { [:] }
    func reserveKeys(_ count: Int, of table: String) throws -> Int64 { key }
    func save(_ changes: StoreChanges) throws -> [StoreConflict] { [] }
  }

  private static func context(_ store: Wrong) throws -> ManagedObjectContext {
    try PersistentContainer(
      name: "Wrong",
      model: BehaviourModel.make(),
      store: .custom { store }
    ).newBackgroundContext(isolation: nil)
  }

  private static func row(
    _ entity: String,
    table: String = "Person",
    key: Int64 = 1,
    version: Int = 1,
    _ values: [String: PropertyValue] = [:]
  ) -> StoreRow {
    StoreRow(
      id: StoreRowID(table: table, key: key),
      entityName: entity,
      version: version,
      values: values
    )
  }

  @Test(
    arguments: [
      row("Nobody"), row("Team"), row("Person", table: "Team"), row("Person", key: 0),
      row("Person", key: -3), row("Person", version: -1), row("Person", version: 1 << 40),
      row("Person", ["name": .integer(3)]), row("Person", ["age": .double(1.5)]),
      row("Person", ["team": .string("Red")]), row("Person", ["isActive": .integer(1)]),
      row("Person", key: 1 << 47), row("Person", ["nmae": .string("Ada")]),
      row("Person", ["mood": .string("not stored")]),
    ]
  )
  func `1I.6 a row that does not fit the model is an error`(_ row: StoreRow) throws {
    let context = try Self.context(Wrong(rows: [row]))
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    let error = #expect(throws: PerennialError.self) { _ = try context.fetch(request) }
    #expect(error?.code == .persistentStoreOpen)
  }

  @Test func `rows of entities that were not asked for are left out`() throws {
    let rows = [Self.row("Person"), Self.row("Manager", key: 2)]
    let context = try Self.context(Wrong(rows: rows))
    let managers = FetchRequest<ManagedObject>(entityName: "Manager").filter("name == nil")
    #expect(try context.fetch(managers).count == 1)
    #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).count == 2)
  }

  @Test(arguments: [0, -1, 1 << 47, .max])
  func `a key that is none is an error`(_ key: Int64) throws {
    let context = try Self.context(Wrong(key: key))
    _ = try context.insert(entityNamed: "Person")
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .persistentStoreSave)
  }

  @Test func `a store that refuses even a plain request is an error`() throws {
    let context = try Self.context(Wrong(capabilities: [.filter, .sort], refusal: .filter))
    var request = FetchRequest<ManagedObject>(entityName: "Person").filter("age > 3")
    request.sortDescriptors = [FetchSort("age")]
    let error = #expect(throws: PerennialError.self) { _ = try context.fetch(request) }
    #expect(error?.code == .persistentStoreOpen)
  }
}
