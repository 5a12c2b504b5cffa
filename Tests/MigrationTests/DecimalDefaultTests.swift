// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQLite
import PerennialStore
import RowTesting
import Testing

/// Defaults of decimals, which the migration of a SQLite store writes into the rows that are there.
@Suite("Defaults of decimals in migrated stores")
struct DecimalDefaultTests {
  @Test(arguments: ["0.002877", "-0.011227", "5.326349", "0.5", "7"])
  func `conditions find those of new attributes and those that fill gaps`(_ text: String) throws {
    let value = try #require(Decimal(string: text))
    func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
      try ManagedObjectModel(EntityDescription("Coin", properties: properties))
    }
    let old = try model(.optional("rate", .decimal))
    let new = try model(
      .attribute("rate", .decimal, default: value),
      .attribute("price", .decimal, default: value)
    )
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    try SQLiteStore(url: url, model: old.layout).insert([
      StoredObject("Coin", 1), StoredObject("Coin", 2, ["rate": .value(.decimal(1))]),
    ])
    try SQLiteFiles(busyTimeout: .zero).migrate(
      url,
      along: MigrationPlan(from: old, to: new).mapping,
      backup: nil,
      MigrationMonitor(nil, stepCount: 1)
    )
    let store: any RowStore = try SQLiteStore(url: url, model: new.layout)
    func keys(_ format: String) throws -> [Int64] {
      let predicate = try FetchPredicate(parsing: format, arguments: [value])
      let query = StoreQuery(entity: store.model.index("Coin"), predicate: predicate)
      return try store.fetchReferences(query).map(\.key).sorted()
    }
    #expect(try keys("price == %@") == [1, 2])
    #expect(try keys("price != %@") == [])
    #expect(try keys("rate == %@") == [1])
    #expect(try keys("rate != %@") == [2])
  }
}
