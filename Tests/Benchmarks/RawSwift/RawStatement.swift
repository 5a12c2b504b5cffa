// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSQLite
import Foundation

/// A prepared statement that is kept; columns and parameters are reached by index.
final class RawStatement {
  private let connection: RawConnection
  private let handle: OpaquePointer

  init(_ connection: RawConnection, _ sql: String) throws {
    self.connection = connection
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try connection.check(
      sqlite3_prepare_v3(connection.handle, sql, -1, flags, &prepared, nil)
    )
    guard let prepared else { throw BenchmarkError("The statement '\(sql)' is empty.") }
    handle = prepared
  }

  deinit {
    sqlite3_finalize(handle)
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) {
    sqlite3_bind_int64(handle, index, value)
  }

  @inline(__always)
  func bind(_ index: Int32, _ date: Date) {
    sqlite3_bind_double(handle, index, date.timeIntervalSinceReferenceDate)
  }

  /// Binds bytes that the caller keeps alive until the statement has run.
  @inline(__always)
  func bind(_ index: Int32, _ text: UnsafeBufferPointer<UInt8>) {
    // Safe because every caller runs the statement before its buffer ends.
    text.withMemoryRebound(to: CChar.self) {
      _ = csqlite_bind_text_static(handle, index, $0.baseAddress, UInt64($0.count))
    }
  }

  /// Binds a text that SQLite copies.
  @inline(__always)
  func bindCopy(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = csqlite_bind_text_transient(handle, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  /// Goes to the next row; false when there is none.
  @inline(__always)
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code != SQLITE_DONE { try connection.check(code) }
    return false
  }

  @inline(__always)
  func reset() {
    sqlite3_reset(handle)
  }

  /// Runs a statement that returns no row.
  @inline(__always)
  func run() throws {
    _ = try step()
    reset()
  }

  @inline(__always)
  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  @inline(__always)
  func date(_ column: Int32) -> Date {
    Date(timeIntervalSinceReferenceDate: sqlite3_column_double(handle, column))
  }

  @inline(__always)
  func text(_ column: Int32) -> String {
    // Safe because SQLite keeps the bytes until the next step, and the String copies them.
    let bytes = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
