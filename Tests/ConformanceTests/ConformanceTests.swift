// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialTestKit
import Testing

/// Every store of the house, and the toy store, against every behaviour.
@Suite("Conformance")
struct ConformanceTests {
  @Test(arguments: Stores.memory.behaviours)
  func `memory is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Stores.memory)
  }

  @Test(arguments: Stores.sqlite.behaviours)
  func `a SQLite file is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Stores.sqlite)
  }

  @Test(arguments: Stores.sqliteInMemory.behaviours)
  func `a SQLite database in memory is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Stores.sqliteInMemory)
  }

  @Test(arguments: Stores.json.behaviours)
  func `a JSON file is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Stores.json)
  }

  @Test(arguments: Stores.csv.behaviours)
  func `1I.6 a folder of CSV files is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Stores.csv)
  }

  @Test(arguments: Stores.keptCSV.behaviours)
  func `1I.7 a folder of CSV files that is read once is a store`(
    _ behaviour: StoreBehaviour
  ) async throws {
    try await behaviour.run(on: Stores.keptCSV)
  }

  @Test(arguments: Stores.tables.behaviours)
  func `a database is a store, by the statements of PerennialSQL`(
    _ behaviour: StoreBehaviour
  ) async throws {
    try await behaviour.run(on: Stores.tables)
  }

  @Test(arguments: Stores.engine.behaviours)
  func `1I.6 a store with an engine that can do some things is a store`(
    _ behaviour: StoreBehaviour
  ) async throws {
    try await behaviour.run(on: Stores.engine)
  }

  @Test(arguments: Stores.plain.behaviours)
  func `1I.6 a store that claims nothing is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Stores.plain)
  }
}
