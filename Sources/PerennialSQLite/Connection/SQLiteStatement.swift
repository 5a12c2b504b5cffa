// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialSQL
import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A compiled statement of one connection.
///
/// Parameters count from 1, columns from 0. Values that are bound without a copy must stay where
/// they are until the statement is reset.
final class SQLiteStatement {
  let handle: OpaquePointer
  /// Safe because the connection owns its statements and finalises them before it closes.
  private let owner: Unmanaged<SQLiteConnection>
  private var isFinalized = false
  /// The rows of this run, which the connection has not counted yet.
  private var rowCount = 0

  init(_ sql: String, on connection: SQLiteConnection, isKept: Bool) throws(SQLiteFailure) {
    var compiled: OpaquePointer?
    var text = sql
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let result = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_prepare_v3(
          connection.handle,
          $0.baseAddress,
          Int32($0.count),
          flags,
          &compiled,
          nil
        )
      }
    }
    guard result == SQLITE_OK else { throw connection.failure(result) }
    guard let compiled else { throw SQLiteFailure(code: SQLITE_MISUSE, message: "no statement") }
    handle = compiled
    owner = .passUnretained(connection)
  }

  deinit { finalize() }

  /// Frees the statement, which cannot be used any more.
  func finalize() {
    guard !isFinalized else { return }
    isFinalized = true
    sqlite3_finalize(handle)
  }

  /// Goes to the next row, if there is one.
  ///
  /// The statement is reset at the end and on failure.
  @inline(__always)
  func step() throws(SQLiteFailure) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW {
      rowCount &+= 1
      return true
    }
    note(hasEnded: true)
    if result != SQLITE_DONE {
      let failure = owner.takeUnretainedValue().failure(result)
      sqlite3_reset(handle)
      throw failure
    }
    sqlite3_reset(handle)
    return false
  }

  /// Has the connection count the rows of this run, and the run itself at its end.
  private func note(hasEnded: Bool) {
    owner._withUnsafeGuaranteedRef { connection in
      connection.counters.rows += rowCount
      if hasEnded { connection.noteEnd(of: handle) }
    }
    rowCount = 0
  }

  /// Runs a statement that gives no rows.
  @inline(__always)
  func run() throws(SQLiteFailure) {
    while try step() {}
  }

  /// Leaves the rows that have not been read.
  func reset() {
    note(hasEnded: sqlite3_stmt_busy(handle) != 0)
    sqlite3_reset(handle)
  }

  /// Leaves the remaining rows and lets go of values that were bound without a copy.
  func clear() {
    reset()
    sqlite3_clear_bindings(handle)
  }
}

extension SQLiteStatement {
  @inline(__always)
  func bind(_ index: Int, _ value: Int64) {
    sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value)
  }

  @inline(__always)
  func bind(_ index: Int, _ value: Double) {
    sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value)
  }

  @inline(__always)
  func bindNull(_ index: Int) {
    sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index))
  }

  /// Binds text without a copy.
  @inline(__always)
  func bindText(_ index: Int, _ bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) {
    try check(SQLiteLibrary.bindText(handle, Int32(truncatingIfNeeded: index), bytes))
  }

  /// Binds bytes without a copy.
  @inline(__always)
  func bindBlob(_ index: Int, _ bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) {
    try check(SQLiteLibrary.bindBlob(handle, Int32(truncatingIfNeeded: index), bytes))
  }

  /// Binds a copy of bytes.
  func bindCopy(_ index: Int, _ bytes: [UInt8]) throws(SQLiteFailure) {
    let index = Int32(truncatingIfNeeded: index)
    try check(bytes.withUnsafeBytes { SQLiteLibrary.bindCopy(handle, index, $0, isText: false) })
  }

  /// Binds a value, copied.
  func bind(_ index: Int, _ value: SQLValue) throws(SQLiteFailure) {
    switch value {
    case .null: bindNull(index)
    case .integer(let value): bind(index, value)
    case .double(let value): bind(index, value)
    case .text(let value):
      var text = value
      try check(
        text.withUTF8 {
          SQLiteLibrary.bindCopy(
            handle,
            Int32(truncatingIfNeeded: index),
            UnsafeRawBufferPointer($0),
            isText: true
          )
        }
      )
    case .blob(let value):
      try check(
        value.withUnsafeBytes {
          SQLiteLibrary.bindCopy(handle, Int32(truncatingIfNeeded: index), $0, isText: false)
        }
      )
    }
  }

  /// Binds a value to the first parameter, without a copy, while a closure runs.
  func withBound(
    _ value: SQLValue,
    _ body: () throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    defer { clear() }
    guard case .text(var text) = value else {
      try bind(1, value)
      return try body()
    }
    let result = text.withUTF8 { bytes in
      Result { () throws(SQLiteFailure) in
        try bindText(1, UnsafeRawBufferPointer(bytes))
        try body()
      }
    }
    try result.get()
  }

  /// Binds values to the parameters from 1 on.
  func bind(_ values: some Sequence<SQLValue>) throws(SQLiteFailure) {
    for (offset, value) in values.enumerated() { try bind(offset + 1, value) }
  }

  /// Binds keys to the parameters from 1 on.
  func bind(_ keys: some Sequence<Int64>) {
    for (offset, key) in keys.enumerated() { bind(offset + 1, key) }
  }

  @inline(__always)
  private func check(_ result: Int32) throws(SQLiteFailure) {
    guard result == SQLITE_OK else { throw owner.takeUnretainedValue().failure(result) }
  }
}

extension SQLiteStatement {
  @inline(__always)
  func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  @inline(__always)
  func double(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  @inline(__always)
  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// The bytes of text or data, valid until the next step.
  @inline(__always)
  func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let index = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }
  func data(_ column: Int) -> Data { Data(bytes(column)) }
}
