// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a container has asked of its store so far.
///
/// ```swift
/// let before = container.counters
/// show(try context.fetch(Commit.all))
/// assert((container.counters - before).statements == 1)
/// ```
public struct StoreCounters: Sendable, Hashable {
  /// The statements that have run, without the beginnings and ends of transactions; the requests, of
  /// a store that has no statements.
  public package(set) var statements = 0
  /// The rows that they gave.
  public package(set) var rows = 0
  /// Faults of any context whose row was needed.
  public package(set) var faultsFired = 0

  package init(statements: Int = 0, rows: Int = 0, faultsFired: Int = 0) {
    self.statements = statements
    self.rows = rows
    self.faultsFired = faultsFired
  }

  /// What was counted in between.
  public static func - (later: StoreCounters, earlier: StoreCounters) -> StoreCounters {
    StoreCounters(
      statements: later.statements - earlier.statements,
      rows: later.rows - earlier.rows,
      faultsFired: later.faultsFired - earlier.faultsFired
    )
  }

  package static func += (left: inout StoreCounters, right: StoreCounters) {
    left.statements += right.statements
    left.rows += right.rows
    left.faultsFired += right.faultsFired
  }
}
