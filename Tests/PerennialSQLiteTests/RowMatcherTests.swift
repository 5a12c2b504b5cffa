// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Rows that are matched in place")
struct RowMatcherTests {
  private let twins: PredicateTwins

  init() throws { twins = try PredicateTwins() }

  private func matcher(_ format: String) throws -> RowMatcher? {
    let model = twins.model
    let predicate = try FetchPredicate(parsing: format).checked()
    return RowMatcher(predicate, of: model.entities[model.index("Author")], in: model)
  }

  @Test(arguments: [
    "name IN {'Ada', 'Bob'}", "name IN {'Ada', nil}", "NOT name IN {'Ada'}", "name IN {}",
    "NOT name IN {nil}", "name IN {'Z\u{E9}', 'Émile'}", "name IN {'', 'Ada', 'Ada'}",
    "age IN {10, 20}", "age IN {0, nil}", "NOT age IN {10, nil}", "age IN {}", "age IN {-1}",
    "age IN {10, 30} AND NOT name IN {'Ada'}",
  ])
  func `lists of texts and of integers are matched, with the rows of SQL`(_ format: String) throws {
    #expect(try matcher(format) != nil)
    let query = twins.query("Author", try FetchPredicate(parsing: format))
    #expect(
      PredicateTwins.answer(twins.memory, query) == PredicateTwins.answer(twins.sqlite, query)
    )
  }

  @Test(arguments: [
    "name IN[c] {'ada'}", "name IN {'Ada', 1}", "age IN {10, 20.0}", "age IN {TRUE}",
    "flag IN {TRUE}", "score IN {1, 0.5}", "name IN 'Adam'", "name IN {'Ada', name}",
    "boss.name IN {'Ada'}", "age BETWEEN {10, 20}", "name == {}",
  ])
  func `other lists are left to the evaluator`(_ format: String) throws {
    #expect(try matcher(format) == nil)
  }
}
