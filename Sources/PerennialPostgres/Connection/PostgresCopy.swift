// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// The rows of a `COPY … FROM STDIN (FORMAT binary)`, on their way to the server.
///
/// ```swift
/// let count = try connection.copy("COPY commit (id, sha) FROM STDIN (FORMAT binary)", columnCount: 2) {
///   (rows) throws(PostgresFailure) in
///   for commit in commits {
///     try rows.beginRow()
///     rows.fields.append(commit.id)
///     rows.fields.append(commit.sha)
///   }
/// }
/// ```
package final class PostgresCopy {
  /// The values of the row that has begun go here, one for each column.
  package var fields = PostgresFields()
  /// The first number of bytes that a packet cannot have: a row goes in one.
  package var byteLimit = PostgresConnection.byteLimit
  private let connection: PostgresConnection
  private let columnCount: Int16
  private var rowCount = 0

  init(_ connection: PostgresConnection, columnCount: Int) {
    self.connection = connection
    self.columnCount = Int16(columnCount)
    fields.appendRaw(Self.header)
  }

  /// Begins the next row; what is enough for a packet is sent.
  package func beginRow() throws(PostgresFailure) {
    if fields.bytes.count >= Self.packetByteCount { try send() }
    fields.beginRow(columnCount)
    rowCount += 1
  }

  /// Ends the rows.
  func finish() throws(PostgresFailure) {
    fields.beginRow(-1)
    try send()
  }

  private func send() throws(PostgresFailure) {
    if fields.indexOfNUL != nil {
      throw PostgresFailure(.nulInText, "it is in one of the rows up to \(rowCount)")
    }
    let byteCount = fields.bytes.count
    guard byteCount < byteLimit else {
      throw PostgresFailure(.tooLarge, "row \(rowCount) of a table has about \(byteCount) bytes")
    }
    try connection.put(fields.bytes)
    fields.removeAll()
  }

  private static let packetByteCount = 1 << 16
  /// A signature that shows whether somebody has changed line ends, no flags, and no extension.
  private static let header =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
}

extension PostgresConnection {
  /// Fills a table faster than statements do: two round trips for as many rows as one likes.
  ///
  /// - Parameters:
  ///   - sql: `COPY table (columns) FROM STDIN (FORMAT binary)`; the columns' types must be those of the
  ///     values, as nothing is converted.
  ///   - columnCount: The number of columns.
  ///   - options: As for other statements; `commits` does nothing.
  ///   - body: Writes the rows.
  /// - Returns: How many rows the server has taken.
  /// - Throws: What the closure throws, or the server says; none of the rows is there then.
  package func copy(
    _ sql: String,
    columnCount: Int,
    _ options: PostgresRunOptions = PostgresRunOptions(),
    _ body: (PostgresCopy) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) -> Int {
    let beginning = begin
    try beginExchange(options)
    defer { endExchange() }
    begin = nil
    // Rows that do not end are undone.
    let commits = isCommitting
    isCommitting = false
    guard handle.send((beginning.map { $0.rawValue + "; " } ?? "") + sql) else { throw lost() }
    try awaitCopy()
    let copy = PostgresCopy(self, columnCount: columnCount)
    var failure: PostgresFailure?
    do throws(PostgresFailure) {
      try body(copy)
      try copy.finish()
    } catch {
      failure = error
    }
    if isBroken { throw failure ?? lost() }
    counters.roundTrips += 1
    isCommitting = commits && failure == nil
    while handle.endCopy(failure.map { _ in "the rows end early" }) == 0 {
      try waitForSocket(writing: true)
    }
    var count = 0
    if let result = try nextAnswer() {
      // What we have said ourselves, the server repeats.
      if let answer = result.failure {
        let understood = understood(answer)
        if failure == nil || failure?.kind == .cancelled || isBroken { failure = understood }
      }
      if result.status == .done {
        note(result)
        count = result.changeCount
      }
    }
    if let failure { throw failure }
    return count
  }

  /// Waits until the server wants the rows.
  private func awaitCopy() throws(PostgresFailure) {
    var failure: PostgresFailure?
    while let result = try nextResult() {
      if result.status == .copyIn { return }
      if let answer = result.failure { failure = failure ?? understood(answer) }
    }
    throw failure ?? PostgresFailure(.unexpectedAnswer, "the statement is no COPY FROM STDIN")
  }

  /// Sends a part of the rows, as soon as the socket takes it.
  fileprivate func put(_ bytes: [UInt8]) throws(PostgresFailure) {
    while true {
      switch handle.putCopy(bytes) {
      case 1: break
      case 0:
        try waitForSocket(writing: true)
        continue
      default: throw lost()
      }
      // Not more than the socket takes: the rows would gather in memory.
      while handle.flush() > 0 { try waitForSocket(writing: true) }
      if isInterrupted { throw PostgresFailure(.cancelled, "the rows are not wanted any more") }
      return
    }
  }
}
#endif
