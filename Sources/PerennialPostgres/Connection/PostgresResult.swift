// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import CPostgres
package import Foundation

/// The rows that a statement has given, as libpq holds them; rows and columns count from 0.
///
/// Safe because the pointer is valid from `init` to `deinit`, nothing changes a result once it is
/// there, and no bytes of it leave a call. Reading a value does not copy the row.
package final class PostgresResult {
  private let result: OpaquePointer
  /// The number of rows.
  package let count: Int
  /// The number of columns.
  package let columnCount: Int

  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
    columnCount = Int(PQnfields(result))
  }

  deinit { PQclear(result) }

  /// What kind of answer it is.
  enum Status {
    case rows, done, copyIn, failed, synchronised, skipped, other
  }

  var status: Status {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE: .rows
    case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .done
    case PGRES_COPY_IN: .copyIn
    case PGRES_PIPELINE_SYNC: .synchronised
    case PGRES_PIPELINE_ABORTED: .skipped
    case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE: .failed
    default: .other
    }
  }

  /// What the server says it has done: `INSERT 0 1`, `COMMIT`.
  package var tag: String { String(cString: PQcmdStatus(result)) }

  /// How many rows the statement inserted, changed, deleted or copied; of a query, gave.
  package var changeCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// A column's name.
  package func name(ofColumn column: Int) -> String {
    PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// The number of a column's type.
  package func typeNumber(ofColumn column: Int) -> UInt32 {
    UInt32(PQftype(result, Int32(column)))
  }

  @inline(__always)
  package func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) != 0
  }

  /// The bytes of a value, valid within the closure; empty for a null.
  @inline(__always)
  package func withBytes<Value>(
    _ row: Int,
    _ column: Int,
    _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    let row = Int32(truncatingIfNeeded: row)
    let column = Int32(truncatingIfNeeded: column)
    return withExtendedLifetime(self) {
      body(
        UnsafeRawBufferPointer(
          start: PQgetvalue(result, row, column),
          count: Int(PQgetlength(result, row, column))
        )
      )
    }
  }

  /// A `bigint`, `integer` or `smallint`; 0 for a null.
  @inline(__always)
  package func integer(_ row: Int, _ column: Int) -> Int64 {
    withBytes(row, column) { bytes in
      switch bytes.count {
      case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
      case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
      case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
      default: 0
      }
    }
  }

  /// A `double precision` or `real`; 0 for a null.
  @inline(__always)
  package func double(_ row: Int, _ column: Int) -> Double {
    withBytes(row, column) { bytes in
      switch bytes.count {
      case 8: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
      case 4: Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
      default: 0
      }
    }
  }

  /// A `boolean`; false for a null.
  @inline(__always)
  package func bool(_ row: Int, _ column: Int) -> Bool {
    withBytes(row, column) { $0.first == 1 }
  }

  /// A text; empty for a null.
  @inline(__always)
  package func text(_ row: Int, _ column: Int) -> String {
    withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  /// A `bytea`; empty for a null.
  package func data(_ row: Int, _ column: Int) -> Data { withBytes(row, column) { Data($0) } }

  /// What the server says is wrong; `nil` when nothing is.
  var failure: PostgresFailure? {
    guard status == .failed else { return nil }
    let state = field("C").map { SQLState($0) }
    let text = field("M") ?? String(cString: PQresultErrorMessage(result))
    var failure = PostgresFailure(.server, Self.withoutValues(text, state), state: state)
    failure.constraint = field("n")
    failure.table = field("t")
    failure.column = field("c")
    if state?.endsConnection ?? true { failure.kind = .connectionLost }
    return failure
  }

  /// A part of an error by its letter (PostgreSQL: "Error and Notice Message Fields").
  private func field(_ letter: Character) -> String? {
    let code = Int32(letter.asciiValue ?? 0)
    return PQresultErrorField(result, code).map { String(cString: $0) }
  }

  /// A message without the value that it quotes: those of class 22 end with it.
  private static func withoutValues(_ message: String, _ state: SQLState?) -> String {
    let trimmed = message.trimmingCharacters(in: .whitespacesAndNewlines)
    guard state?.isOfClass("22") ?? false, let quote = trimmed.firstIndex(of: "\"") else {
      return trimmed
    }
    return trimmed[..<quote].trimmingCharacters(in: CharacterSet(charactersIn: ": ")) + " …"
  }
}
#endif
