// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// How many connections there are, how old they get, and how long one waits for what.
package struct PostgresLimits: Sendable, Hashable {
  /// The most connections at a time, from 1 on.
  package var connectionCount = 8
  /// How many connections stay open while nobody uses them.
  package var idleCount = 1
  /// How long the others stay open while nobody uses them; they are looked at when one is given back.
  package var idleTime: Duration = .seconds(60)
  /// How long one waits for a free connection.
  package var poolTimeout: Duration = .seconds(30)
  /// The age from which a connection is closed when it is given back.
  package var maximumAge: Duration = .seconds(30 * 60)
  /// How long opening a connection may take.
  package var connectTimeout: Duration = .seconds(10)
  /// How long the server may take to answer; `nil` for as long as it likes.
  package var statementTimeout: Duration?
  /// How many prepared statements a connection keeps.
  package var statementCount = 256
  /// How long a server that was told to cancel may take to say so; then the connection is given up.
  package var cancelTimeout: Duration = .seconds(5)
  /// The least version of the server, as libpq counts: 120,000 is version 12.
  ///
  /// From 12 on a `WITH` that is used once is planned with its query, and there are collations that
  /// do not compare bytes: without the first, fetches by keys read whole tables.
  package var serverVersion = 120_000

  package init() {}
}
#endif
