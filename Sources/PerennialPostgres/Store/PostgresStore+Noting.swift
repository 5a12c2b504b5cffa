// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialStore

extension PostgresStore {
  /// Runs a closure on a connection, and tells afterwards what it has asked the server, if somebody wants to know.
  func noting<Result>(
    on connection: PostgresConnection,
    _ body: (PostgresConnection) throws(PostgresFailure) -> Result
  ) throws(PostgresFailure) -> Result {
    guard recorder.isOn || log.level > .off else { return try body(connection) }
    connection.notes = []
    defer {
      let notes = connection.notes ?? []
      connection.notes = nil
      recorder.note(notes.map(\.statement.sql))
      if log.level > .off { log(notes.flatMap { $0.events(log.level) }) }
    }
    return try body(connection)
  }
}
#endif
