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
  /// The statements that have run, without those that begin and end transactions; in a store without
  /// statements, the requests.
  public package(set) var statements = 0
  /// How often the program waited for the store's server; 0 for a store in the process.
  ///
  /// Several statements may go to the server together, and a statement that has rows to give may
  /// be asked for them more than once. Opening the store is not counted.
  public package(set) var roundTrips = 0
  /// The rows that the statements or requests gave.
  public package(set) var rows = 0
  /// The faults of all contexts that fired, because their row was needed.
  public package(set) var faultsFired = 0

  package init(statements: Int = 0, rows: Int = 0, faultsFired: Int = 0, roundTrips: Int = 0) {
    self.statements = statements
    self.roundTrips = roundTrips
    self.rows = rows
    self.faultsFired = faultsFired
  }

  /// What was counted between two moments.
  ///
  /// - Parameters:
  ///   - later: The counters of a container at the later moment.
  ///   - earlier: The counters of the same container at the earlier one.
  /// - Returns: The difference of each count.
  public static func - (later: StoreCounters, earlier: StoreCounters) -> StoreCounters {
    StoreCounters(
      statements: later.statements - earlier.statements,
      rows: later.rows - earlier.rows,
      faultsFired: later.faultsFired - earlier.faultsFired,
      roundTrips: later.roundTrips - earlier.roundTrips
    )
  }

  package static func += (left: inout StoreCounters, right: StoreCounters) {
    left.statements += right.statements
    left.roundTrips += right.roundTrips
    left.rows += right.rows
    left.faultsFired += right.faultsFired
  }
}
