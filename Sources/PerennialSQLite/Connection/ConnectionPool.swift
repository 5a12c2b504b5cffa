// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore
import Synchronization

/// The connections of a store: one that writes, any number that read.
///
/// Invariants: a reader is either in `idle` or in the hands of one caller; the writer closes last,
/// so that it alone checkpoints.
///
/// Safe because `Confined` only ever moves a connection from the lock to one caller and back:
/// `@unchecked Sendable` states just that.
final class ConnectionPool: Sendable {
  private struct Confined: @unchecked Sendable {
    let connection: SQLiteConnection
  }

  /// The readers that nobody uses, and what all connections have run.
  private struct Idle: Sendable {
    var readers: [Confined] = []
    var counters = StoreCounters()
    /// How many readers are in the hands of callers.
    var busyCount = 0
  }

  private let idle = Mutex(Idle())
  private let writer: WritingConnection
  /// Whether there is a writer.
  let canWrite: Bool
  private let openReader: @Sendable () throws(SQLiteFailure) -> sending SQLiteConnection
  private let log: EventLog
  /// Keeps the texts of statements, when somebody wants to know.
  let recorder = StatementRecorder()

  /// A pool.
  ///
  /// - Parameters:
  ///   - writer: The connection that writes; `nil` for a store that is only read.
  ///   - log: Is told what has run.
  ///   - reader: Opens another connection that reads.
  init(
    writer: sending SQLiteConnection?,
    log: EventLog,
    reader: @escaping @Sendable () throws(SQLiteFailure) -> sending SQLiteConnection
  ) {
    canWrite = writer != nil
    self.writer = WritingConnection(writer)
    openReader = reader
    self.log = log
  }

  deinit {
    idle.withLock { $0.readers.removeAll() }
    writer.close()
  }

  /// What the connections have run, as far as they have been given back.
  var counters: StoreCounters { idle.withLock { $0.counters } }

  /// Whether somebody reads.
  var isReading: Bool { idle.withLock { $0.busyCount > 0 } }

  /// Calls a closure with a reader that nobody else uses meanwhile.
  func read<Result>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    let known = idle.withLock { idle in
      idle.busyCount += 1
      return idle.readers.popLast()
    }
    let reader: Confined
    do throws(SQLiteFailure) {
      reader = if let known { known } else { Confined(connection: try openReader()) }
    } catch {
      idle.withLock { $0.busyCount -= 1 }
      throw error
    }
    if recorder.isOn { reader.connection.texts = [] }
    defer { giveBack(reader) }
    return try body(reader.connection)
  }

  /// Calls a closure with the writer; others wait.
  ///
  /// - Returns: The closure's result, or `nil` when there is no writer.
  func write<Result: Sendable>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result? {
    var events: [LogEvent] = []
    defer { if !events.isEmpty { log(events) } }
    return try writer.use { connection throws(SQLiteFailure) -> Result in
      if recorder.isOn { connection.texts = [] }
      defer {
        events = connection.takeEvents()
        idle.withLock { $0.counters += connection.takeCounters() }
        record(connection)
      }
      return try body(connection)
    }
  }

  /// Hands over the texts of what a connection has run, if it has kept them.
  private func record(_ connection: SQLiteConnection) {
    guard let texts = connection.texts else { return }
    connection.texts = nil
    recorder.note(texts)
  }

  private func giveBack(_ reader: Confined) {
    let events = reader.connection.takeEvents()
    record(reader.connection)
    idle.withLock { idle in
      idle.busyCount -= 1
      idle.counters += reader.connection.takeCounters()
      if idle.readers.count < Self.idleLimit { idle.readers.append(reader) }
    }
    if !events.isEmpty { log(events) }
  }

  private static let idleLimit = 8
}
