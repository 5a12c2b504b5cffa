// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore
import Synchronization

/// The connections of a store: one that writes, any number that read.
///
/// The connection that the store was opened with serves its first use, reading or writing, and the same
/// from then on.
///
/// Invariants: a reader is either in `idle` or in the hands of one caller; the writer closes last,
/// so that it alone checkpoints; where nothing was written, the last reader does.
final class ConnectionPool: Sendable {
  /// The readers that nobody uses, and what all connections have run.
  private struct Idle: Sendable {
    var readers: [ConfinedConnection] = []
    var counters = StoreCounters()
  }

  private let idle = Mutex(Idle())
  private let first: FirstConnection
  private let writer: WritingConnection
  /// Whether the store may be written.
  let canWrite: Bool
  private let maker: ConnectionMaker
  private let log: EventLog
  private let process = ProcessWitness()
  /// Keeps the texts of statements, when somebody wants to know.
  let recorder = StatementRecorder()

  /// A pool.
  ///
  /// - Parameters:
  ///   - first: The connection that the store was opened with, ready to write; `nil` for a store that is only
  ///     read.
  ///   - maker: Opens others.
  ///   - log: Is told what has run.
  init(first: sending SQLiteConnection?, maker: ConnectionMaker, log: EventLog) {
    canWrite = first != nil
    let first = FirstConnection(first.map { ConfinedConnection(connection: $0) })
    self.first = first
    writer = WritingConnection(gate: maker.gate) { () throws(SQLiteFailure) in
      if let known = first.take() { return known }
      return ConfinedConnection(connection: try maker.openWriter())
    }
    self.maker = maker
    self.log = log
  }

  deinit {
    let isWriterOpen = writer.isOpen
    idle.withLock { idle in
      if canWrite, !isWriterOpen, let last = idle.readers.first {
        SQLiteLibrary.keepLogOnClose(last.connection.handle, false)
      }
      while idle.readers.popLast() != nil {}
    }
    writer.close()
  }

  /// What the connections have run, as far as they have been given back.
  var counters: StoreCounters { idle.withLock { $0.counters } }

  /// Calls a closure with a reader that nobody else uses meanwhile.
  func read<Result>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    let reader = try takeReader()
    if recorder.isOn { reader.connection.texts = [] }
    defer { giveBack(reader) }
    return try body(reader.connection)
  }

  /// Calls a closure with the writer; others wait.
  ///
  /// When the triggers of a full-text index were not let write, the closure is called again: it undoes what it has
  /// done before it throws.
  ///
  /// - Returns: The closure's result, or `nil` when there is no writer.
  func write<Result: Sendable>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result? {
    guard canWrite else { return nil }
    if process.isCopy { throw .openedBeforeFork }
    var events: [LogEvent] = []
    defer { if !events.isEmpty { log(events) } }
    return try writer.use { connection throws(SQLiteFailure) -> Result in
      if recorder.isOn { connection.texts = [] }
      defer {
        events = connection.takeEvents()
        idle.withLock { $0.counters += connection.takeCounters() }
        record(connection)
      }
      do throws(SQLiteFailure) {
        return try body(connection)
      } catch {
        // Another program has made a full-text index since the connection was opened.
        guard error.isAboutTrust, connection.isIdle, try connection.trustTextTriggers() else {
          throw error
        }
        return try body(connection)
      }
    }
  }

  /// Whether nobody, in whatever process, reads what was before the last transaction: the log is moved to find out.
  func hasOnlyNewReaders() -> Bool { !process.isCopy && writer.moveLog() }

  /// A reader for one caller, who gives it back.
  private func takeReader() throws(SQLiteFailure) -> ConfinedConnection {
    if process.isCopy { throw .openedBeforeFork }
    let known = idle.withLock { $0.readers.popLast() }
    guard let reader = consume known else { return try newReader() }
    try reader.connection.settle()
    return reader
  }

  /// The connection that the store was opened with, if nothing has used it yet, else another one.
  private func newReader() throws(SQLiteFailure) -> ConfinedConnection {
    guard let known = first.take() else {
      return ConfinedConnection(connection: try maker.openReader())
    }
    try maker.turnIntoReader(known.connection)
    return known
  }

  /// Hands over the texts of what a connection has run, if it has kept them.
  private func record(_ connection: SQLiteConnection) {
    guard let texts = connection.texts else { return }
    connection.texts = nil
    recorder.note(texts)
  }

  private func giveBack(_ reader: ConfinedConnection) {
    let events = reader.connection.takeEvents()
    record(reader.connection)
    idle.withLock { idle in
      idle.counters += reader.connection.takeCounters()
      if idle.readers.count < Self.idleLimit { idle.readers.append(reader) }
    }
    if !events.isEmpty { log(events) }
  }

  private static let idleLimit = 8
}
