// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The connection that writes, and that moves what the write-ahead log holds into the file.
///
/// It is there from the first use on: many programs begin with reading, and some end with it.
///
/// SQLite would do so within the commit that makes the log too long: one save would wait for the work
/// of many. Here it is done on another thread as soon as the save has returned. Only when saves come
/// faster than that thread gets its turn, and the log is eight times as long, does one wait.
///
/// Invariants: the connection is used under the lock only; nothing outlives ``close()``, which waits
/// for a checkpoint in progress; there is one checkpoint in the queue at most.
///
/// Safe because `State` only ever holds the connection under the lock: `@unchecked Sendable` states
/// just that.
final class WritingConnection: Sendable {
  private struct State: @unchecked Sendable {
    var connection: SQLiteConnection?
    var gate: CheckpointGate
    var isClosed = false
    var isCheckpointQueued = false

    /// Moves the log, if others let us.
    ///
    /// - Parameter waits: Whether another process's save is waited for.
    /// - Returns: Whether all of it was moved.
    @discardableResult
    mutating func checkpoint(waits: Bool = true) -> Bool {
      var isMoved = false
      if let connection { gate.whileClosed(waits: waits) { isMoved = connection.checkpoint() } }
      return isMoved
    }
  }

  /// The length of the log, in pages, from which it is moved: SQLite's own (`wal_autocheckpoint`).
  static let logPageLimit = 1000
  /// The length from which a save moves it, if what is in the queue has not.
  static let logPageHardLimit = 8 * logPageLimit

  private let state: Mutex<State>
  private let open: @Sendable () throws(SQLiteFailure) -> ConfinedConnection

  /// A connection that is opened when it is used for the first time.
  ///
  /// - Parameters:
  ///   - gate: Closed while the log is moved.
  ///   - open: Opens the connection.
  init(
    gate: CheckpointGate,
    _ open: @escaping @Sendable () throws(SQLiteFailure) -> ConfinedConnection
  ) {
    state = Mutex(State(gate: gate))
    self.open = open
  }

  /// Whether there is a connection.
  var isOpen: Bool { state.withLock { $0.connection != nil } }

  /// Calls a closure with the connection; others wait.
  ///
  /// - Returns: The closure's result, or `nil` after ``close()``.
  /// - Throws: What the closure does, or that the file has lost its name: what is written there, nobody finds.
  func use<Result: Sendable>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result? {
    let (result, isDue) = try state.withLock { state throws(SQLiteFailure) -> (Result?, Bool) in
      if state.isClosed { return (nil, false) }
      let connection: SQLiteConnection
      if let known = state.connection {
        connection = known
      } else {
        connection = try open().connection
        connection.watchLog()
        state.connection = connection
      }
      try connection.settle()
      // SQLite asks before it writes a journal, but not before it writes the log.
      if connection.hasMoved { throw SQLiteFailure.fileMoved }
      let result = try body(connection)
      let length = connection.logPageCount
      if state.isCheckpointQueued {
        if length >= Self.logPageHardLimit { state.checkpoint() }
        return (result, false)
      }
      state.isCheckpointQueued = length >= Self.logPageLimit
      return (result, state.isCheckpointQueued)
    }
    if isDue { DispatchQueue.global(qos: .utility).async { self.checkpoint() } }
    return result
  }

  /// Moves the log now, without waiting for anybody.
  ///
  /// - Returns: Whether all of it was moved, which readers of what is older would not have let happen; not when
  ///   another file has the store's name.
  func moveLog() -> Bool {
    state.withLock { state in
      guard let connection = state.connection, connection.isIdle, !connection.hasMoved else {
        return false
      }
      return state.checkpoint(waits: false)
    }
  }

  /// Closes the connection; later uses have none.
  func close() {
    state.withLock { state in
      state.isClosed = true
      // The writer closes last, and moves the log.
      state.gate = CheckpointGate(nil)
      state.connection = nil
    }
  }

  private func checkpoint() {
    state.withLock { state in
      state.isCheckpointQueued = false
      state.checkpoint()
    }
  }
}

extension SQLiteConnection {
  /// Keeps ``logPageCount`` up to date, instead of SQLite's own checkpoints.
  ///
  /// Safe because SQLite calls back within calls on this connection only, and `deinit` closes it.
  fileprivate func watchLog() {
    sqlite3_wal_hook(
      handle,
      { pointer, _, _, pageCount in
        guard let pointer else { return SQLITE_OK }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(pointer).takeUnretainedValue()
        connection.logPageCount = Int(pageCount)
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Moves as much of the log into the file as readers let it, waiting for nobody.
  ///
  /// A failure is no error of a save: what was saved is safe in the log.
  ///
  /// - Returns: Whether all of it was moved; so it is where there is no log.
  func checkpoint() -> Bool {
    var length: Int32 = 0
    var moved: Int32 = 0
    let mode = SQLITE_CHECKPOINT_PASSIVE
    let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, &length, &moved)
    logPageCount = 0
    return result == SQLITE_OK && length == moved
  }
}
