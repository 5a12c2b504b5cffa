// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CPostgres
import Foundation

/// A connection as one writes it by hand: prepared statements, binary values, calls that wait.
///
/// Safe because the pointer is valid from `init` to `deinit`, and libpq copies what it is given within the call.
final class RawSession {
  let connection: OpaquePointer

  init(_ url: String) throws {
    guard let connection = PQconnectdb(url) else { throw BenchmarkError("There is no memory.") }
    self.connection = connection
    guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  /// The version of libpq.
  static var libraryVersion: String { "\(PQlibVersion() / 10_000).\(PQlibVersion() % 10_000)" }

  var failure: BenchmarkError { BenchmarkError(String(cString: PQerrorMessage(connection))) }

  /// Prepares a statement whose parameters have the types that it says.
  func prepare(_ name: String, _ sql: String) throws {
    guard let result = PQprepare(connection, name, sql, 0, nil) else { throw failure }
    try check(RawResult(result))
  }

  /// Runs statements without parameters.
  @discardableResult
  func execute(_ sql: String) throws -> RawResult {
    guard let result = PQexec(connection, sql) else { throw failure }
    return try check(RawResult(result))
  }

  /// Runs a prepared statement.
  func run(_ name: String, _ parameters: RawParameters = RawParameters()) throws -> RawResult {
    let result = parameters.withPointers { values, lengths, formats, count in
      PQexecPrepared(connection, name, count, values, lengths, formats, 1)
    }
    guard let result else { throw failure }
    return try check(RawResult(result))
  }

  /// Sends what a closure sends in one go, and then reads its answers.
  func pipeline(_ send: () throws -> Void) throws {
    PQenterPipelineMode(connection)
    try send()
    PQpipelineSync(connection)
    while true {
      // The end of an answer is a result that is none.
      guard let next = PQgetResult(connection) else { continue }
      let result = RawResult(next)
      if result.status == PGRES_PIPELINE_SYNC { break }
      try check(result)
    }
    PQexitPipelineMode(connection)
  }

  /// Sends a prepared statement within a pipeline.
  func send(_ name: String, _ parameters: RawParameters = RawParameters()) throws {
    let isSent = parameters.withPointers { values, lengths, formats, count in
      PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
    }
    guard isSent != 0 else { throw failure }
  }

  @discardableResult
  func check(_ result: RawResult) throws -> RawResult {
    switch result.status {
    case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return result
    default: throw failure
    }
  }
}

/// What the server has answered.
///
/// Safe because the pointer is valid from `init` to `deinit`, and values are copied out of it.
final class RawResult {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var status: ExecStatusType { PQresultStatus(result) }
  var count: Int { Int(PQntuples(result)) }
  var changeCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  @inline(__always)
  func integer(_ row: Int32, _ column: Int32) -> Int64 {
    guard let value = PQgetvalue(result, row, column) else { return 0 }
    return Int64(bigEndian: UnsafeRawPointer(value).loadUnaligned(as: Int64.self))
  }

  @inline(__always)
  func date(_ row: Int32, _ column: Int32) -> Date {
    let bits = UInt64(bitPattern: integer(row, column))
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
  }

  @inline(__always)
  func text(_ row: Int32, _ column: Int32) -> String {
    let count = Int(PQgetlength(result, row, column))
    let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)
    return String(decoding: bytes, as: UTF8.self)
  }
}
