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
}
#endif
