// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import Testing

@testable import PerennialSQLite

@Suite("Requests that require an index")
struct RequireIndexTests {
  private let twins: PredicateTwins

  init() throws { twins = try PredicateTwins() }

  @Test(arguments: [
    "name == 'Ada'", "name BEGINSWITH 'A' AND age == 1", "born > CAST(1, 'NSDate')",
    "name IN {'Ada', 'Bob'}", "boss == nil AND age == 1",
  ])
  func `a condition that an index serves is taken`(_ format: String) throws {
    let query = twins.query("Author", try FetchPredicate(parsing: format))
    #expect(throws: Never.self) { try twins.sqlite.checkForIndex(query) }
  }

  @Test(arguments: [
    ("age == 1", "'age == %@' is asked of every one", "'@Indexed var age'"),
    ("NOT 1 == age", "'%@ == age' is asked of every one", "'@Indexed var age'"),
    ("FALSEPREDICATE OR (name != 'x' AND age > 1)", "'age > %@' is asked", "'@Indexed var age'"),
    ("name CONTAINS 'd'", "'name CONTAINS %@' is asked", "'@Indexed(.fullText) var name'"),
    ("name != 'Ada'", "'name != %@' is asked of every one", "that selects few"),
    ("posts.@count > 2", "'posts.@count > %@' is asked of every one", "that selects few"),
    ("TRUEPREDICATE", "'TRUEPREDICATE' is asked of every one", "that selects few"),
  ])
  func `a condition that reads all rows is refused, with the attribute to index`(
    _ format: String,
    _ reason: String,
    _ advice: String
  ) throws {
    let query = twins.query("Author", try FetchPredicate(parsing: format))
    let error = try #require(throws: PerennialError.self) {
      try twins.sqlite.checkForIndex(query)
    }
    #expect(error.code == .requiresIndex)
    #expect(error.entity == "Author")
    #expect(error.message.contains(reason), "\(error)")
    #expect(error.recovery.contains(advice), "\(error)")
  }

  @Test func `a request without a condition is refused`() throws {
    let error = try #require(throws: PerennialError.self) {
      try twins.sqlite.checkForIndex(twins.query("Author", nil))
    }
    #expect(error.message.contains("without a condition it reads all of them"))
  }
}
