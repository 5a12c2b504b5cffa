// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The connections of a store: one that writes, any number that read.
///
/// Invariants: a reader is either in `readers` or in the hands of one caller; the writer closes last,
/// so that it alone checkpoints.
///
/// Safe because `Confined` only ever moves a connection from the lock to one caller and back:
/// `@unchecked Sendable` states just that.
final class ConnectionPool: Sendable {
  private struct Confined: @unchecked Sendable {
    let connection: SQLiteConnection
  }

  private let readers = Mutex<[Confined]>([])
  private let writer: WritingConnection
  /// Whether there is a writer.
  let canWrite: Bool
  private let openReader: @Sendable () throws(SQLiteFailure) -> sending SQLiteConnection

  /// A pool.
  ///
  /// - Parameters:
  ///   - writer: The connection that writes; `nil` for a store that is only read.
  ///   - reader: Opens another connection that reads.
  init(
    writer: sending SQLiteConnection?,
    reader: @escaping @Sendable () throws(SQLiteFailure) -> sending SQLiteConnection
  ) {
    canWrite = writer != nil
    self.writer = WritingConnection(writer)
    openReader = reader
  }

  deinit {
    readers.withLock { $0.removeAll() }
    writer.close()
  }

  /// Calls a closure with a reader that nobody else uses meanwhile.
  func read<Result>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    let idle = readers.withLock { $0.popLast() }
    let reader = if let idle { idle } else { Confined(connection: try openReader()) }
    defer { giveBack(reader) }
    return try body(reader.connection)
  }

  /// Calls a closure with the writer; others wait.
  ///
  /// - Returns: The closure's result, or `nil` when there is no writer.
  func write<Result: Sendable>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result? {
    try writer.use(body)
  }

  private func giveBack(_ reader: Confined) {
    readers.withLock { idle in
      if idle.count < Self.idleLimit { idle.append(reader) }
    }
  }

  private static let idleLimit = 8
}
