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
    /// Whether requests for nothing but rows are not refused.
    var givesAllRows = false

    func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? { nil }
    func write(_ metadata: PersistentStoreMetadata) throws {}
    func fetch(_ request: StoreRequest) throws -> [StoreRow] {
      let isWhole =
        request.predicate == nil && request.sorts.isEmpty && request.limit == 0
        && request.offset == 0
      if let refusal, !(isWhole && givesAllRows) { throw refusal }
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

  /// What a request may ask for, and what a store may claim.
  private static let abilities: [StoreCapabilities] = [.filter, .sort, .limit]

  @Test(arguments: [PreferInMemory.filter, .sort], [true, false])
  func `1I.6 a store may refuse what it claims in any way, and is not asked the same twice`(
    _ refusal: PreferInMemory,
    _ givesAllRows: Bool
  ) throws {
    let rows = (Int64(1)...4).map { Self.row("Person", key: $0, ["age": .integer($0)]) }
    for claims in 0..<8 {
      let claimed = Self.abilities.indices.filter { claims >> $0 & 1 == 1 }
      let store = Wrong(
        capabilities: StoreCapabilities(claimed.map { Self.abilities[$0] }),
        rows: rows,
        refusal: refusal,
        givesAllRows: givesAllRows
      )
      let context = try Self.context(store)
      for wanted in 0..<8 {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        var ages: [Int64?] = [1, 2, 3, 4]
        if wanted & 1 == 1 {
          request.predicate = try FetchPredicate(parsing: "age > 1")
          ages.removeFirst()
        }
        if wanted & 2 == 2 {
          request.sortDescriptors = [FetchSort("age", ascending: false)]
          ages.reverse()
        }
        if wanted & 4 == 4 {
          request.fetchLimit = 2
          ages = Array(ages.prefix(2))
        }
        let words: Comment = "claims \(store.capabilities), asked for \(wanted)"
        guard givesAllRows else {
          let error = #expect(throws: PerennialError.self, words) {
            _ = try context.fetch(request)
          }
          #expect(error?.code == .persistentStoreOpen, words)
          continue
        }
        let found = try context.fetch(request).map { try $0.value(forKey: "age") as? Int64 }
        #expect(found == ages, words)
        #expect(try context.count(for: request) == ages.count, words)
      }
    }
  }
}
