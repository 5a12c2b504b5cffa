// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialSQL

#if canImport(CSQLite)
import CSQLite
#else
import SQLite3
#endif

/// The least that a store needs of a database: to run a statement, and a transaction.
///
/// Safe because the handle is never given away, and the store uses it under its lock.
final class Database {
  private let handle: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open(path, &handle)
    guard code == SQLITE_OK, let handle else {
      throw StoreProblem(
        .unreadable,
        "The database '\(path)' cannot be opened.",
        recovery: "restore it from a copy"
      )
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close(handle) }

  /// Runs a statement.
  ///
  /// - Returns: The values of its rows.
  @discardableResult
  func run(_ statement: SQLStatement) throws -> [[SQLValue]] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, statement.text, -1, &prepared, nil) == SQLITE_OK else {
      throw problem(statement)
    }
    defer { sqlite3_finalize(prepared) }
    for (place, value) in statement.parameters.enumerated() {
      bind(value, Int32(place + 1), prepared)
    }
    var rows: [[SQLValue]] = []
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(prepared)).map { value($0, prepared) })
      case SQLITE_DONE: return rows
      default: throw problem(statement)
      }
    }
  }

  /// Runs a closure in a transaction.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run(SQLStatement("BEGIN IMMEDIATE"))
    do {
      let result = try body()
      try run(SQLStatement("COMMIT"))
      return result
    } catch {
      _ = try? run(SQLStatement("ROLLBACK"))
      throw error
    }
  }

  private func problem(_ statement: SQLStatement) -> StoreProblem {
    let message = String(cString: sqlite3_errmsg(handle))
    return StoreProblem(
      .unwritable,
      "The database says '\(message)' to '\(statement.text)'.",
      recovery: "restore it from a copy"
    )
  }

  private func bind(_ value: SQLValue, _ place: Int32, _ prepared: OpaquePointer?) {
    // SQLITE_TRANSIENT: the bytes are copied.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: sqlite3_bind_null(prepared, place)
    case .integer(let number): sqlite3_bind_int64(prepared, place, number)
    case .double(let number): sqlite3_bind_double(prepared, place, number)
    case .text(let text):
      sqlite3_bind_text(prepared, place, text, Int32(text.utf8.count), copied)
    case .blob(let data):
      _ = data.withUnsafeBytes { bytes in
        if bytes.isEmpty {
          sqlite3_bind_zeroblob(prepared, place, 0)
        } else {
          sqlite3_bind_blob(prepared, place, bytes.baseAddress, Int32(bytes.count), copied)
        }
      }
    }
  }

  private func value(_ column: Int32, _ prepared: OpaquePointer?) -> SQLValue {
    switch sqlite3_column_type(prepared, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(prepared, column))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(prepared, column))
    case SQLITE_TEXT: return .text(String(decoding: bytes(column, prepared), as: UTF8.self))
    case SQLITE_BLOB: return .blob(bytes(column, prepared))
    default: return .null
    }
  }

  private func bytes(_ column: Int32, _ prepared: OpaquePointer?) -> Data {
    guard let start = sqlite3_column_blob(prepared, column) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(prepared, column)))
  }
}
