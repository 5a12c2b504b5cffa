// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPostgres
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Stored rows that a test has written down; of a constraint it gives all of them.
struct WrittenRows: StoredRows {
  let pages: [RowPage]

  private var all: [PageRow] {
    pages.flatMap { page in (0..<page.count).map { PageRow(page: page, index: $0) } }
  }

  func rows(keys: [Int64], root: Int) throws(Never) -> [PageRow] {
    all.filter { keys.contains($0.key) }
  }

  func rows(
    of constraint: TableConstraint,
    values: [[SlotKey]],
    root: Int
  ) throws(Never) -> [PageRow] { all }
}

@Suite("Conflicts of a save with what is stored")
struct ConflictFinderTests {
  private let model: ModelLayout

  init() throws {
    var coin = EntityDescription(
      "Coin",
      properties: [
        .attribute("value", .decimal, optional: true), .attribute("note", .string, optional: true),
      ]
    )
    coin.uniquenessConstraints = [["value"]]
    var round = EntityDescription(
      "Round",
      parent: "Shape",
      properties: [.attribute("size", .int64, optional: true)]
    )
    round.uniquenessConstraints = [["size"]]
    let square = EntityDescription(
      "Square",
      parent: "Shape",
      properties: [.attribute("angle", .int64, optional: true)]
    )
    model = try ManagedObjectModel(coin, EntityDescription("Shape", properties: []), round, square)
      .layout
  }

  private func find(
    _ changes: ChangeSet,
    in stored: [RowPage],
    _ dialect: any SQLDialect = PostgresDialect(),
    isRepeated: Bool = false
  ) -> ConflictFinder<WrittenRows> {
    var finder = ConflictFinder(
      rows: WrittenRows(pages: stored),
      schema: DialectModel.schema(of: model, dialect),
      changes: changes,
      isRepeated: isRepeated
    )
    finder.run()
    return finder
  }

  /// The newcomers and stored rows of conflicts about constraints.
  private func pairs(_ finder: ConflictFinder<WrittenRows>) -> [[Int64]] {
    finder.conflicts.compactMap {
      if case .constraint(_, _, let newcomer, let stored) = $0 {
        [newcomer, stored.key]
      } else {
        nil
      }
    }
  }

  @Test(
    arguments: [
      ("1.0", "1.00", true, true), ("-0.0", "0.00", true, true), ("1", "2", false, false),
      ("0.1234567890123456789", "0.1234567890123456788", false, true),
      ("9007199254740993.5", "9007199254740993.25", false, true),
    ]
  )
  func `decimals are equal as the engine keeps them`(
    _ new: String,
    _ old: String,
    _ inPostgres: Bool,
    _ inSQLite: Bool
  ) {
    let stored = model.pages("Coin", [Row(1, ["value": .value(.string(old))])])
    let changes = model.insertion([("Coin", [Row(2, ["value": .value(.string(new))])])])
    #expect(pairs(find(changes, in: stored)) == (inPostgres ? [[2, 1]] : []))
    #expect(pairs(find(changes, in: stored, SQLiteDialect())) == (inSQLite ? [[2, 1]] : []))
  }

  @Test func `a row that an earlier attempt has written is settled`() {
    let stored = model.pages("Coin", [Row(1, version: 2, ["value": "1.00", "note": "a"])])
    var changes = ChangeSet()
    changes.updates = [
      model.update("Coin", ["value"], [Row(1, version: 2, ["value": "1.0", "note": "a"])])
    ]
    let finder = find(changes, in: stored, isRepeated: true)
    #expect(finder.conflicts.isEmpty)
    #expect(finder.settled.contains(root: model.index("Coin"), key: 1))
    // Somebody else has written it.
    let first = find(changes, in: stored)
    #expect(first.settled.isEmpty)
    #expect(first.conflicts.count == 1)
    let other = model.pages("Coin", [Row(1, version: 2, ["value": "1.00", "note": "b"])])
    #expect(find(changes, in: other, isRepeated: true).conflicts.count == 1)
  }

  @Test func `rows of other entities do not hurt a constraint`() {
    let changes = model.insertion([("Round", [Row(2, ["size": 5])])])
    let square = model.pages("Square", [Row(1, ["angle": 5])])
    #expect(find(changes, in: square).conflicts.isEmpty)
    let round = model.pages("Round", [Row(1, ["size": 5])])
    #expect(pairs(find(changes, in: round)) == [[2, 1]])
  }
}
