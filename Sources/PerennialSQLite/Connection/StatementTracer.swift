// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// Notes the statements of a connection for the log (SQLite: `sqlite3_trace_v2`).
///
/// It exists only while statements are logged: else nothing is asked and nothing is called. It notes
/// while SQLite works, and tells afterwards, when whoever listens may do as they like.
///
/// Safe because the connection owns it, is confined, and stops it before it closes.
final class StatementTracer {
  /// A statement that has ended.
  private struct Run {
    let sql: String
    /// What is shown: with values in place of parameters if they are logged.
    let text: String
    let seconds: Double
    let rowCount: Int
  }

  private let level: LogLevel
  private var runs: [Run] = []
  /// Statements that have begun and not ended: SQLite's own clock counts milliseconds.
  private var running: [UnsafeMutableRawPointer: (start: ContinuousClock.Instant, rowCount: Int)] =
    [:]
  /// Whether nothing is noted for now.
  var isSuspended = false

  /// More of a statement with its values is not shown, in bytes.
  private static let longestText = 4_000

  init(of database: OpaquePointer, _ level: LogLevel) {
    self.level = level
    let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW)
    let tracer = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_trace_v2(
      database,
      events,
      { event, tracer, statement, _ in
        guard let tracer, let statement else { return 0 }
        Unmanaged<StatementTracer>.fromOpaque(tracer).takeUnretainedValue()
          .note(Int32(bitPattern: event), of: statement)
        return 0
      },
      tracer
    )
  }

  /// Lets go of the connection.
  func stop(on database: OpaquePointer) { sqlite3_trace_v2(database, 0, nil, nil) }

  private func note(_ event: Int32, of statement: UnsafeMutableRawPointer) {
    guard !isSuspended else { return }
    switch event {
    case SQLITE_TRACE_STMT where running[statement] == nil:
      running[statement] = (ContinuousClock.now, 0)
    case SQLITE_TRACE_ROW: running[statement]?.rowCount += 1
    case SQLITE_TRACE_PROFILE: noteEnd(of: statement)
    // The statements of triggers, in the midst of one.
    default: break
    }
  }

  private func noteEnd(of statement: UnsafeMutableRawPointer) {
    let handle = OpaquePointer(statement)
    guard let (start, rowCount) = running.removeValue(forKey: statement),
      let sql = sqlite3_sql(handle).map({ String(cString: $0) }), !Self.isOfFullText(sql)
    else { return }
    runs.append(
      Run(
        sql: sql,
        text: level >= .values ? Self.expanded(handle) ?? sql : sql,
        seconds: (ContinuousClock.now - start) / .seconds(1),
        rowCount: rowCount
      )
    )
  }

  /// Whether a full-text table has run the statement by itself: it writes names in another way.
  private static func isOfFullText(_ sql: String) -> Bool { sql.contains("'main'.'") }

  private static func expanded(_ statement: OpaquePointer) -> String? {
    guard let text = sqlite3_expanded_sql(statement) else { return nil }
    defer { sqlite3_free(text) }
    let expanded = String(cString: text)
    guard expanded.utf8.count > longestText else { return expanded }
    // A slice of a string ends between scalars.
    let end = expanded.utf8.index(expanded.startIndex, offsetBy: longestText)
    return "\(expanded[..<end])… (\(expanded.utf8.count) bytes)"
  }

  // MARK: Telling

  /// The events of what has run since this was called last.
  ///
  /// - Parameter connection: The connection, which runs nothing now, and whose statements are not
  ///   noted.
  /// - Returns: The events, statement by statement.
  func takeEvents(on connection: SQLiteConnection) -> [LogEvent] {
    guard !runs.isEmpty else { return [] }
    defer { runs = [] }
    return runs.flatMap { events(of: $0, on: connection) }
  }

  private func events(of run: Run, on connection: SQLiteConnection) -> [LogEvent] {
    var events = [LogEvent(.sql, run.text)]
    if level >= .plans {
      events += plan(of: run.sql, on: connection).map { LogEvent(.details, $0) }
    }
    if level >= .times { events.append(.time(run.seconds, rows: run.rowCount)) }
    return events
  }

  /// The plan, as far as the statement has one; it may have been forgotten since.
  private func plan(of sql: String, on connection: SQLiteConnection) -> [String] {
    let hasPlan = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE"].contains {
      sql.hasPrefix($0)
    }
    guard hasPlan, let steps = try? connection.prepare("EXPLAIN QUERY PLAN " + sql) else {
      return []
    }
    defer { steps.finalize() }
    var plan: [String] = []
    while (try? steps.step()) == true { plan.append("plan: " + steps.text(3)) }
    return plan
  }
}
