// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

/// What only another program writes into a store: objects have keys from 1 to 2^47 - 1.
@Suite("Keys on PostgreSQL that no object can have", .needsServer)
struct StoreKeyTests {
  private let place: StorePlace
  private let container: PersistentContainer

  init() throws {
    place = try StorePlace()
    container = try place.containerWithTally()
  }

  @Test(arguments: ["z_pk", "zshelf"], [-1, 1 << 47, 1 << 48 + 1, .max, .min] as [Int64])
  func `a row that has one, or leads to it, is an error, not another object`(
    _ column: String,
    _ key: Int64
  ) throws {
    try place.execute("UPDATE ztally SET \(column) = \(key)")
    let context = container.newBackgroundContext()
    for request in [Tally.all, Tally.filter("name == 'one'")] {
      let error = try storeError { _ = try context.fetch(request) }
      #expect(error.code == .postgreSQL)
      #expect(error.message.contains("no object can have"), "\(error)")
    }
  }

  @Test(arguments: [-1, 1 << 47, 1 << 48 + 1, .max, .min] as [Int64])
  func `a row that has one is an error in lists of IDs, in batches and in sections, too`(
    _ key: Int64
  ) throws {
    try place.execute("UPDATE ztally SET z_pk = \(key)")
    let context = container.newBackgroundContext()
    let sorted = Tally.all.sorted(by: \.name)
    let fetches: [() throws -> Void] = [
      { _ = try context.fetchObjectIDs(sorted) },
      { _ = try context.fetch(sorted, batchSize: 20) },
      { _ = try context.results(sorted, sectionedBy: "name") },
    ]
    for fetch in fetches {
      let error = try storeError(fetch)
      #expect(error.code == .postgreSQL)
      #expect(error.message.contains("no object can have"), "\(error)")
    }
    var update = BatchUpdateRequest(Tally.self)
    update.set(\Tally.count, to: 7)
    #expect(try storeError { _ = try context.execute(update) }.code == .postgreSQL)
    #expect(try place.number("SELECT zcount FROM ztally") == 0)
  }

  @Test(arguments: [1 << 47 - 10, 1 << 50, -300] as [Int64])
  func `a counter that would give one is an error, and nothing is saved`(_ count: Int64) throws {
    try place.execute("UPDATE z_primarykey SET z_max = \(count); DELETE FROM ztally")
    let context = try place.container().newBackgroundContext()
    Tally(context: context).name = "two"
    let error = try storeError { try context.save() }
    #expect(error.code == .persistentStoreSave)
    #expect(error.message.contains("'Tally'"), "\(error)")
    #expect(try place.number("SELECT count(*) FROM ztally") == 0)
  }

  @Test(
    arguments: [
      "perennial_log SET first_change = 9223372036854775807", "perennial_log SET first_change = -1",
      "perennial_log SET changes = '{}'", "perennial_log SET changes = 'torn'",
      "perennial_log SET number = 9223372036854775807",
    ]
  )
  func `a transaction of the history that nobody can have written is an error`(
    _ damage: String
  ) throws {
    #expect(try place.number("SELECT COUNT(*) FROM perennial_log") > 0)
    try place.execute("UPDATE \(damage)")
    let error = try storeError {
      let token: PersistentHistoryToken? = nil
      _ = try container.newBackgroundContext().execute(
        PersistentHistoryChangeRequest.fetchHistory(after: token)
      )
    }
    #expect(error.code == .postgreSQL, "\(error)")
  }

  @Test func `a clock beyond all numbers is an error`() throws {
    try place.execute("DELETE FROM perennial_log")
    try place.execute("UPDATE perennial_clock SET number = 9223372036854775807")
    let error = try storeError { _ = try container.currentPersistentHistoryToken() }
    #expect(error.code == .postgreSQL, "\(error)")
  }
}
#endif
