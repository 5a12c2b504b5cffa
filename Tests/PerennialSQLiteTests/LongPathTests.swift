// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Key paths of any length")
struct LongPathTests {
  private let twins: PredicateTwins

  init() throws { twins = try PredicateTwins() }

  /// So many calls within one another are more than any stack bears.
  private static let hops = steps(50_000)

  private static func steps(_ count: Int) -> String { String(repeating: "boss.", count: count) }

  @Test(arguments: [
    "%name == 'Ada'", "%name == name", "%name BEGINSWITH boss.name", "'Ada' IN %name",
    "SELF IN %reports", "%reports.@count == 1", "ANY %reports.name == 'Ada'",
    "ANY reports.%reports.name == 'Ada'",
  ])
  func `a condition on a long path is left to memory`(_ format: String) throws {
    let predicate = try FetchPredicate(parsing: format.replacing("%", with: Self.hops))
    #expect(try twins.condition("Author", predicate).residual == predicate)
  }

  @Test func `a sort by a long path is left to memory`() {
    let translator = SortTranslator(schema: twins.sqlite.schema, store: twins.sqlite.identifier)
    let sorts = [FetchSort(Self.hops + "name")]
    #expect(translator.terms(for: sorts, entity: twins.model.index("Author")) == nil)
  }

  @Test(arguments: [31, 32, 200])
  func `both stores follow a long path`(_ count: Int) throws {
    let hops = Self.steps(count)
    for format in ["\(hops)name == nil", "NONE \(hops)reports.name == 'Ada'"] {
      var query = twins.query("Author", try FetchPredicate(parsing: format))
      query.sorts = [FetchSort(hops + "age")]
      let expected = PredicateTwins.answer(twins.memory, query)
      #expect(!expected.hasPrefix("error"))
      #expect(PredicateTwins.answer(twins.sqlite, query) == expected)
    }
  }

  @Test func `where SQL alone must answer a long path is refused as such`() throws {
    let predicate = try FetchPredicate(parsing: Self.steps(40) + "name == 'Ada'")
    let query = twins.query("Author", predicate)
    let error = try #require(throws: PerennialError.self) { try twins.sqlite.checkForSQL(query) }
    #expect(error.code == .requiresMemory)
    #expect(error.message.contains("has more than 32 keys"), "\(error)")
  }

  @Test func `a long path with an unknown name is refused in time`() throws {
    let checker = QueryChecker(twins.model)
    func time(_ count: Int) throws -> Duration {
      let path = "wings" + String(repeating: ".a", count: count)
      let query = twins.query("Author", try FetchPredicate(parsing: path + " == 1"))
      #expect(throws: PerennialError.self) { try checker.check(query) }
      return ThreadTime.of { _ = try? checker.check(query) }
    }
    // A time that grows with the square would be 16 times as long.
    #expect(try time(20_000) < time(5_000) * 8 + .milliseconds(200))
  }
}
