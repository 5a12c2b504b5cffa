// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// A connection on its way from one caller to the next.
///
/// Safe because whoever passes it on does not use it any more: `@unchecked Sendable` states just that.
struct ConfinedConnection: @unchecked Sendable {
  let connection: SQLiteConnection
}

/// The connection that a store was opened with, until its first use.
final class FirstConnection: Sendable {
  private let connection: Mutex<ConfinedConnection?>

  init(_ connection: ConfinedConnection?) { self.connection = Mutex(connection) }

  /// The connection, for the first who asks.
  func take() -> ConfinedConnection? { connection.withLock { $0.take() } }
}
