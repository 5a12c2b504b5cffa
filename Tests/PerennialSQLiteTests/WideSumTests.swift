// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Sums of large integers as values to fetch.
///
/// SQLite has a double for one that needs more than 64 bits.
@Suite("Sums of large integers in dictionaries")
struct WideSumTests {
  private static let formats = [
    "sum(large)", "noindex:(sum(large))", "noindex:(noindex:(sum(large)))",
  ]

  private let memory: InMemoryStore
  private let sqlite: SQLiteStore

  init() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Item",
        properties: [
          .attribute("kind", .int16, optional: true), .attribute("large", .int64, optional: true),
        ]
      )
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: nil, model: model)
  }

  private func fill(_ numbers: [Int64]) throws {
    let rows = numbers.enumerated().map { place, number in
      Row(Int64(place + 1), ["kind": 1, "large": .value(.integer(number))])
    }
    let changes = sqlite.model.insertion([("Item", rows + [Row(100, ["kind": 2, "large": 5])])])
    try memory.save(changes)
    try sqlite.save(changes)
  }

  private func plan(_ format: String, isGrouped: Bool) throws -> ProjectionQuery {
    var request = ProjectionRequest()
    request.properties = [.expression(try ExpressionDescription("sum", parsing: format))]
    if isGrouped { request.groups = ["kind"] }
    let items = StoreQuery(entity: sqlite.model.index("Item"))
    return try ProjectionPlanner.plan(request, of: items, in: sqlite.model)
  }

  @Test(arguments: formats, [false, true])
  func `one that does not fit is an error in memory and in SQLite`(
    _ format: String,
    _ isGrouped: Bool
  ) throws {
    try fill([.max, 1])
    let query = try plan(format, isGrouped: isGrouped)
    #expect(throws: Never.self) { try sqlite.checkForSQL(query) }
    #expect(code { _ = try memory.fetchValues(query) } == .predicateEvaluation)
    #expect(code { _ = try sqlite.fetchValues(query) } == .predicateEvaluation)
  }

  @Test(arguments: formats)
  func `one that fits is exact`(_ format: String) throws {
    try fill([.max, 1, -9])
    let query = try plan(format, isGrouped: false)
    let sum = "\(PropertyValue.integer(.max - 3))"
    #expect(try ProjectionSQLTests.rows(memory, query) == [sum])
    #expect(try ProjectionSQLTests.rows(sqlite, query) == [sum])
  }
}
