// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import CPostgres
import PerennialStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection of libpq, as thin as can be: one call of C in each function.
///
/// Safe because the pointer is valid from `init` to `deinit`, whoever has the handle confines it to one
/// thread at a time, and libpq copies whatever it is given within the call.
final class LibpqHandle {
  private let connection: OpaquePointer
  private let process = ProcessWitness()

  /// Begins to connect; ``poll()`` goes on.
  ///
  /// - Returns: `nil` when there is no memory.
  init?(_ keywords: [(name: String, value: String)]) {
    let names = keywords.map { strdup($0.name) }
    let values = keywords.map { strdup($0.value) }
    defer { for pointer in names + values { free(pointer) } }
    let started = (names.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { names in
      (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
        PQconnectStartParams(names.baseAddress, values.baseAddress, 0)
      }
    }
    guard let started else { return nil }
    connection = started
    // So that the message of a failed connection has the server's code in it.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    // libpq would print what the server notes to the standard error.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  /// In a copy of the process nothing is said, as the original would have said it.
  deinit { if !process.isCopy { PQfinish(connection) } }

  var isBad: Bool { PQstatus(connection) == CONNECTION_BAD }
  var message: String { String(cString: PQerrorMessage(connection)) }
  var socket: Int32 { PQsocket(connection) }
  /// Which of several servers it is, also while connecting.
  var place: ServerList.Place {
    ServerList.Place(
      host: PQhost(connection).map { String(cString: $0) },
      port: PQport(connection).map { String(cString: $0) }
    )
  }
  var serverVersion: Int { Int(PQserverVersion(connection)) }
  var processID: Int { Int(PQbackendPID(connection)) }
  var isEncrypted: Bool { PQsslInUse(connection) != 0 }

  /// Whether a transaction is open, failed or not.
  var isInTransaction: Bool {
    [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(connection))
  }

  /// Whether a statement of the open transaction has failed: all it can do is roll back.
  var isTransactionFailed: Bool { PQtransactionStatus(connection) == PQTRANS_INERROR }

  /// Whether a statement runs.
  var isActive: Bool { PQtransactionStatus(connection) == PQTRANS_ACTIVE }

  /// The values of some parameters, whoever has given them.
  ///
  /// Safe because the list ends with a parameter without a name, and is freed after it was read.
  func settings(_ names: Set<String>) -> [String: String] {
    guard let list = PQconninfo(connection) else { return [:] }
    defer { PQconninfoFree(list) }
    var values: [String: String] = [:]
    var next = list
    while let keyword = next.pointee.keyword {
      let name = String(cString: keyword)
      if names.contains(name) { values[name] = next.pointee.val.map { String(cString: $0) } }
      next += 1
    }
    return values
  }

  /// What connecting waits for.
  enum Progress {
    case reading, writing, done, failed
  }

  /// Goes on with connecting.
  func poll() -> Progress {
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_OK: .done
    case PGRES_POLLING_READING: .reading
    case PGRES_POLLING_WRITING: .writing
    default: .failed
    }
  }

  /// No call waits from here on.
  func becomeNonBlocking() { PQsetnonblocking(connection, 1) }

  /// Begins to ask the server to end what runs.
  ///
  /// - Returns: `nil` when there is no memory.
  func cancel() -> CancelRequest? { PQgetCancel(connection).map(CancelRequest.init) }

  func send(_ sql: String) -> Bool { PQsendQuery(connection, sql) != 0 }

  func sendPrepare(_ name: String, _ sql: String, _ types: [PostgresType]) -> Bool {
    types.map { Oid($0.number) }.withUnsafeBufferPointer {
      PQsendPrepare(connection, name, sql, Int32($0.count), $0.baseAddress) != 0
    }
  }

  /// Sends a prepared statement, all parameters and results in binary form.
  func sendPrepared(_ name: String, _ fields: PostgresFields) -> Bool {
    Self.withParameters(fields) { values, lengths, formats in
      PQsendQueryPrepared(connection, name, Int32(fields.count), values, lengths, formats, 1) != 0
    }
  }

  /// Sends a statement that is not kept.
  func sendOnce(_ sql: String, _ types: [PostgresType], _ fields: PostgresFields) -> Bool {
    let numbers = types.map { Oid($0.number) }
    return Self.withParameters(fields) { values, lengths, formats in
      numbers.withUnsafeBufferPointer { numbers in
        PQsendQueryParams(
          connection,
          sql,
          Int32(fields.count),
          numbers.baseAddress,
          values,
          lengths,
          formats,
          1
        ) != 0
      }
    }
  }

  /// The rows of what was just sent are to come as they arrive.
  func wantSingleRows() -> Bool { PQsetSingleRowMode(connection) != 0 }

  func enterPipeline() -> Bool { PQenterPipelineMode(connection) != 0 }
  func exitPipeline() -> Bool { PQexitPipelineMode(connection) != 0 }
  func sendSync() -> Bool { PQpipelineSync(connection) != 0 }

  /// Sends what waits: 0 when all is sent, 1 when the socket takes no more, -1 on failure.
  func flush() -> Int32 { PQflush(connection) }

  /// Whether ``nextResult()`` would wait.
  var isBusy: Bool { PQisBusy(connection) != 0 }

  /// Reads what has arrived.
  func consume() -> Bool { PQconsumeInput(connection) != 0 }

  func nextResult() -> PostgresResult? { PQgetResult(connection).map(PostgresResult.init) }

  /// Hands over a part of a `COPY`: 1 when it is taken, 0 when the socket takes no more, -1 on failure.
  func putCopy(_ bytes: [UInt8]) -> Int32 {
    bytes.withUnsafeBytes {
      PQputCopyData(
        connection,
        $0.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32($0.count)
      )
    }
  }

  /// Ends a `COPY`, or makes it fail when there is a message; the result is that of ``putCopy(_:)``.
  func endCopy(_ message: String?) -> Int32 {
    if let message { PQputCopyEnd(connection, message) } else { PQputCopyEnd(connection, nil) }
  }

  /// The next notification that has been read.
  func nextNotification() -> (channel: String, payload: String)? {
    guard let notification = PQnotifies(connection) else { return nil }
    defer { PQfreemem(notification) }
    return (
      String(cString: notification.pointee.relname), String(cString: notification.pointee.extra)
    )
  }

  /// Calls a closure with the parameters as libpq wants them: pointers into the one buffer.
  private static func withParameters<Result>(
    _ fields: PostgresFields,
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) ->
      Result
  ) -> Result {
    let count = fields.count
    if count == 0 { return body(nil, nil, nil) }
    return fields.bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
          var offset = 0
          for index in 0..<count {
            let length = Int32(
              bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            )
            offset += 4
            let start = bytes.baseAddress?.advanced(by: offset)
            values[index] = length < 0 ? nil : start?.assumingMemoryBound(to: CChar.self)
            numbers[index] = max(length, 0)
            numbers[count + index] = 1
            offset += Int(max(length, 0))
          }
          let lengths = UnsafePointer(numbers.baseAddress)
          return body(UnsafePointer(values.baseAddress), lengths, lengths?.advanced(by: count))
        }
      }
    }
  }
}
#endif
