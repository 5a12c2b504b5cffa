// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

/// What a store does to answer a fetch.
///
/// Core Data: `-com.apple.CoreData.SQLDebug 4`.
public struct FetchExplanation: Sendable, Hashable {
  /// The statement; empty for a store without statements.
  public let sql: String
  /// The bound values as text, in the order of the statement's parameters.
  ///
  /// They may be private.
  public let bindings: [String]
  /// The steps of the query plan, in the store's words.
  public let plan: [String]
  /// What is done in memory with the rows that the statement gives: the rest of the predicate and of
  /// the sorts, as text; empty when the statement does everything.
  public let inMemory: [String]

  package init(sql: String, bindings: [String], plan: [String], inMemory: [String]) {
    self.sql = sql
    self.bindings = bindings
    self.plan = plan
    self.inMemory = inMemory
  }

  /// The explanation of a query that a store without an engine of its own evaluates in memory.
  package init(inMemory query: StoreQuery) {
    self.init(sql: "", bindings: [], plan: [], inMemory: query.memoryWork)
  }
}

extension ProjectionQuery {
  /// The values, groups, conditions and sorts as text.
  package var memoryWork: [String] {
    var work = ["values: " + columns.map(\.name).joined(separator: ", ")]
    if let groups, !groups.isEmpty {
      work.append("groups: " + groups.map(\.written.outline).joined(separator: ", "))
    }
    if let having { work.append("having: \(having.mapping { $0.written }.outline)") }
    if isDistinct { work.append("distinct") }
    return work
      + sorts.map { "sort: \($0.sort.key) \($0.sort.ascending ? "ascending" : "descending")" }
  }
}

extension StoreQuery {
  /// The predicate and the sorts as text.
  package var memoryWork: [String] {
    (predicate.map { ["filter: \($0)"] } ?? [])
      + sorts.map { "sort: \($0.key) \($0.ascending ? "ascending" : "descending")" }
  }
}
