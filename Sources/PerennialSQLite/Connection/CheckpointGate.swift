// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Keeps other processes from committing while the write-ahead log is moved into the file.
///
/// Before 3.51.3 SQLite may lose what another connection commits during a checkpoint, when that commit
/// begins the log anew (sqlite.org/wal.html, "The WAL-Reset Bug"). Within a process one connection does
/// both; so that no other process commits meanwhile, a second connection holds the lock of writers. It
/// never writes.
struct CheckpointGate {
  private let open: (@Sendable () throws(SQLiteFailure) -> ConfinedConnection)?
  private var connection: SQLiteConnection?

  /// A gate.
  ///
  /// - Parameter open: Opens the second connection when it is needed for the first time; `nil` when SQLite
  ///   can do without.
  init(_ open: (@Sendable () throws(SQLiteFailure) -> ConfinedConnection)?) { self.open = open }

  /// Calls a closure while nobody else commits.
  ///
  /// - Parameters:
  ///   - waits: Whether another process's save is waited for, as long as by a save.
  ///   - body: Moves the log. It is not called when others do not let go: the log stays, which is no error, as
  ///     the next save tries again.
  mutating func whileClosed(waits: Bool = true, _ body: () -> Void) {
    guard let open else { return body() }
    do throws(SQLiteFailure) {
      let connection = if let connection { connection } else { try open().connection }
      self.connection = connection
      connection.waitsForLocks(waits)
      try connection.execute("BEGIN IMMEDIATE")
      body()
      try connection.execute("ROLLBACK")
    } catch {
      // Closing it ends whatever it is in.
      connection = nil
    }
  }
}
