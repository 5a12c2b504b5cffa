// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// One connection to a database, used by one caller at a time.
///
/// Invariants: the handle is open from `init` to `deinit`; every statement made here is finalised
/// before it closes; no statement stays in the middle of its rows once the call that stepped it has
/// returned. SQLite's own mutexes are off, so the pool must confine the connection.
final class SQLiteConnection {
  /// How a connection may use the file: `StoreFile+Connecting` chooses.
  enum Access: Sendable {
    /// Reads and writes; makes the file when it is missing.
    case create
    /// Reads and writes an existing file.
    case write
    /// Never writes.
    case read
    /// Never writes, and trusts that nobody else does: for folders that cannot be written.
    case immutable
    /// Never writes, makes no files, and trusts that nobody else writes; unlike `immutable` it reads the
    /// write-ahead log, whose index it keeps in its own memory.
    case solitary
    /// Never writes, not even to the memory beside the file that its users share.
    case spectator
  }

  let handle: OpaquePointer
  private let busyTimeout: Duration
  private let process = ProcessWitness()
  /// Whether the database lies in a file, not in memory.
  private let isFile: Bool
  private var statements: [StatementKey: SQLiteStatement] = [:]
  /// The kept statement that was asked for last: programs look things up in loops.
  ///
  /// Unchecked, as nothing that looks at it or changes it calls out.
  @exclusivity(unchecked) private var latest: (key: StatementKey, statement: SQLiteStatement)?
  private var textStatementCount = 0
  /// How many pages the write-ahead log held after the last commit, if somebody watches it.
  var logPageCount = 0
  /// What has run since the pool last asked.
  ///
  /// Unchecked, as nothing that looks at it or changes it calls out.
  @exclusivity(unchecked) var counters = StoreCounters()
  /// The texts of what has run since the pool last asked; `nil` while nobody wants to know.
  ///
  /// Unchecked as well.
  @exclusivity(unchecked) var texts: [String]?
  /// Notes what runs, when it is logged.
  private(set) var tracer: StatementTracer?

  init(
    path: String,
    access: Access,
    busyTimeout: Duration,
    logLevel: LogLevel = .off
  ) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    var flags =
      switch access {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
      case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
      case .read: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
      case .immutable, .solitary, .spectator:
        SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
      }
    isFile = !path.hasPrefix(StoreFile.memoryPrefix)
    if !isFile { flags |= SQLITE_OPEN_URI }
    if isFile, !process.noteOpening() { throw .openedBeforeFork }
    let name =
      switch access {
      case .immutable: Self.uri(path, "immutable=1")
      case .solitary: Self.uri(path, "vfs=unix-none")
      case .spectator: Self.uri(path, "readonly_shm=1")
      case .create, .write, .read: path
      }
    let result = sqlite3_open_v2(name, &opened, flags, nil)
    let systemCode = SQLiteFailure.lastSystemCode
    guard result == SQLITE_OK, let opened else {
      let message = String(cString: sqlite3_errstr(result))
      let code = opened.map { sqlite3_extended_errcode($0) } ?? result
      sqlite3_close_v2(opened)
      if isFile { process.noteClosed() }
      throw SQLiteFailure(code: code, message: message, systemCode: systemCode)
    }
    handle = opened
    self.busyTimeout = busyTimeout
    sqlite3_extended_result_codes(handle, 1)
    waitsForLocks(true)
    SQLiteLibrary.harden(handle)
    SQLiteLibrary.limit(handle)
    SQLiteLibrary.keepLogOnCommit(handle)
    try SQLFunction.register(on: self)
    try DecimalFunction.register(on: self)
    try TextTransform.register(on: self)
    try CoreDataFunction.register(on: self)
    // What is wrong in a page is found when it is read; what is not mapped cannot change meanwhile.
    try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    // Before the first look at the file: SQLite then needs no memory beside it for the log.
    if access == .solitary { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    if logLevel > .off { tracer = StatementTracer(of: handle, logLevel) }
  }

  deinit {
    // Closing would remove the original's log under its feet.
    if process.isCopy { return }
    tracer?.stop(on: handle)
    for statement in statements.values { statement.finalize() }
    sqlite3_close_v2(handle)
    if isFile { process.noteClosed() }
  }

  /// Makes the connection wait for locks as long as it was made to, or not at all.
  func waitsForLocks(_ waits: Bool) {
    sqlite3_busy_timeout(handle, waits ? Self.milliseconds(busyTimeout) : 0)
  }

  /// Whether no transaction is open.
  var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

  /// Whether another file has the name of the one that is open: somebody has replaced the store.
  ///
  /// SQLite: `SQLITE_FCNTL_HAS_MOVED`.
  var hasMoved: Bool {
    var moved: Int32 = 0
    let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return result == SQLITE_OK && moved != 0
  }

  /// How many bytes of the file the connection keeps in memory.
  var cacheByteCount: Int {
    var current: Int32 = 0
    var greatest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &greatest, 0)
    return Int(current)
  }

  /// How often the kept statements have run.
  var runCount: Int {
    var count = 0
    var next = sqlite3_next_stmt(handle, nil)
    while let statement = next {
      count += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0))
      next = sqlite3_next_stmt(handle, statement)
    }
    return count
  }

  /// What is to be logged since this was called last, while nothing runs.
  func takeEvents() -> [LogEvent] {
    guard let tracer else { return [] }
    return unnoticed { tracer.takeEvents(on: self) }
  }

  /// Runs a closure whose statements nobody has asked for: they are neither counted nor logged.
  func unnoticed<Failure: Error, Result>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let before = counters
    let textsBefore = texts
    tracer?.isSuspended = true
    defer {
      counters = before
      texts = textsBefore
      tracer?.isSuspended = false
    }
    return try body()
  }

  /// Counts a statement that has ended.
  @inline(__always)
  func noteEnd(of statement: OpaquePointer) {
    counters.statements += 1
    if texts != nil { noteText(of: statement) }
  }

  @inline(never)
  private func noteText(of statement: OpaquePointer) {
    texts?.append(sqlite3_sql(statement).map { String(cString: $0) } ?? "")
  }

  /// What has run since this was called last.
  func takeCounters() -> StoreCounters {
    defer { counters = StoreCounters() }
    return counters
  }

  /// The number of rows that the last statement changed.
  var changeCount: Int { Int(sqlite3_changes(handle)) }

  /// Throws when SQLite has refused what would be missing in later statements, for want of memory.
  func check(_ result: Int32) throws(SQLiteFailure) {
    if result != SQLITE_OK { throw failure(result) }
  }

  /// Adds a function that keeps no state.
  func add(
    _ name: String,
    arguments: Int32,
    _ flags: Int32,
    _ callback:
      @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws(SQLiteFailure) {
    try check(
      sqlite3_create_function_v2(handle, name, arguments, flags, nil, callback, nil, nil, nil)
    )
  }

  /// The last failure.
  func failure(_ code: Int32) -> SQLiteFailure {
    let systemCode = SQLiteFailure.lastSystemCode
    let known = sqlite3_extended_errcode(handle)
    return SQLiteFailure(
      code: known == SQLITE_OK ? code : known,
      message: String(cString: sqlite3_errmsg(handle)),
      systemCode: systemCode
    )
  }

  /// Lets a fetch that begins now be interrupted, until ``end(_:)``.
  ///
  /// SQLite forgets an interruption that comes just before the statement runs (`sqlite3_interrupt`): so the
  /// statement asks, too, again and again.
  ///
  /// Safe because whoever calls holds the cancellation until `end`.
  ///
  /// - Throws: `SQLITE_INTERRUPT` when it has been cancelled already.
  func begin(_ cancellation: FetchCancellation?) throws(SQLiteFailure) {
    guard let cancellation else { return }
    let interrupter = Interrupter(handle: handle)
    guard cancellation.begin({ interrupter.interrupt() }) else {
      throw SQLiteFailure(code: SQLiteFailure.interrupt, message: "interrupted")
    }
    sqlite3_progress_handler(
      handle,
      Self.stepsBetweenQuestions,
      { pointer in
        guard let pointer else { return 0 }
        let cancellation = Unmanaged<FetchCancellation>.fromOpaque(pointer).takeUnretainedValue()
        return cancellation.isCancelled ? 1 : 0
      },
      Unmanaged.passUnretained(cancellation).toOpaque()
    )
  }

  /// Steps of SQLite's machine: a millisecond or less.
  private static let stepsBetweenQuestions: Int32 = 10_000

  /// Ends what ``begin(_:)`` has begun.
  func end(_ cancellation: FetchCancellation?) {
    guard let cancellation else { return }
    sqlite3_progress_handler(handle, 0, nil, nil)
    cancellation.end()
  }

  /// Safe because SQLite lets any thread interrupt a connection that is open, which it is as long as the
  /// fetch that uses it has not ended: `@unchecked Sendable` states just that.
  private struct Interrupter: @unchecked Sendable {
    let handle: OpaquePointer

    func interrupt() { sqlite3_interrupt(handle) }
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(SQLiteFailure) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw failure(result) }
  }

  /// Compiles a statement that is used once.
  func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
    try SQLiteStatement(sql, on: self, isKept: false)
  }

  /// A kept statement, compiled when it is asked for the first time.
  func statement(
    _ key: StatementKey,
    _ sql: () throws(SQLiteFailure) -> String
  ) throws(SQLiteFailure) -> SQLiteStatement {
    if let latest, latest.key == key { return latest.statement }
    if let statement = statements[key] {
      latest = (key, statement)
      return statement
    }
    let statement = try SQLiteStatement(sql(), on: self, isKept: true)
    makeRoom(for: key)
    statements[key] = statement
    latest = (key, statement)
    return statement
  }

  /// Forgets the statements of arbitrary texts when there are many: their number has no bound.
  private func makeRoom(for key: StatementKey) {
    guard case .text = key else { return }
    textStatementCount += 1
    guard textStatementCount > Self.textStatementLimit else { return }
    latest = nil
    for (key, statement) in statements {
      guard case .text = key else { continue }
      statement.finalize()
      statements[key] = nil
    }
    textStatementCount = 1
  }

  private static let textStatementLimit = 100

  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    let total = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    return Int32(min(max(total, 0), Double(Int32.max)))
  }

  private static func uri(_ path: String, _ option: String) -> String {
    var escaped = ""
    for byte in path.utf8 {
      let isPlain = byte > 0x20 && byte < 0x7F && !"%?#".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      escaped +=
        isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
    }
    return "file:\(escaped)?\(option)"
  }
}

extension SQLiteConnection {
  /// Runs a closure in a transaction: committed when it returns, undone when it throws.
  func transaction<Result>(
    _ kind: TransactionKind,
    _ body: () throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    do {
      try execute(kind.rawValue)
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Calls a closure while nobody else writes.
  ///
  /// Nothing is written here either, so that letting go is no step that could fail.
  func whileLocked<Result>(
    _ body: () throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    try execute(TransactionKind.immediate.rawValue)
    defer { rollBack() }
    return try body()
  }

  /// Undoes the open transaction, if SQLite has not done it by itself.
  ///
  /// That may fail, for want of memory for instance: ``settle()`` makes up for it.
  func rollBack() {
    if !isIdle { try? execute("ROLLBACK") }
  }

  /// Undoes a transaction that could not be undone when it failed, before the connection is used again.
  func settle() throws(SQLiteFailure) {
    if !isIdle { try execute("ROLLBACK") }
  }

  enum TransactionKind: String {
    /// A snapshot to read from.
    case deferred = "BEGIN"
    /// The right to write, waited for at the beginning.
    case immediate = "BEGIN IMMEDIATE"
  }

  /// The integers of a query's first column.
  func integers(_ sql: String) throws(SQLiteFailure) -> [Int64] {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    var values: [Int64] = []
    while try statement.step() { values.append(statement.integer(0)) }
    return values
  }

  /// The texts of a query's first column.
  func texts(_ sql: String) throws(SQLiteFailure) -> [String] {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    var values: [String] = []
    while try statement.step() { values.append(statement.text(0)) }
    return values
  }
}
