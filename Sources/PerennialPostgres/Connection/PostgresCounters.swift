// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// What a connection, or all of a pool, has asked its server.
package struct PostgresCounters: Sendable, Hashable {
  /// How often one waited for the server, without the making of connections.
  package var roundTrips = 0
  /// The statements that have run, without the beginnings and ends of transactions.
  package var statements = 0
  /// The rows that they gave.
  package var rows = 0
  /// The statements that were prepared.
  package var prepared = 0

  package init(roundTrips: Int = 0, statements: Int = 0, rows: Int = 0, prepared: Int = 0) {
    self.roundTrips = roundTrips
    self.statements = statements
    self.rows = rows
    self.prepared = prepared
  }

  static func += (left: inout PostgresCounters, right: PostgresCounters) {
    left.roundTrips += right.roundTrips
    left.statements += right.statements
    left.rows += right.rows
    left.prepared += right.prepared
  }
}
#endif
