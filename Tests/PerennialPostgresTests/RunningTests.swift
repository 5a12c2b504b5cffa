// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialPostgres
import PerennialStore
import Testing

@Suite("Statements on a connection", .needsServer)
struct RunningTests {
  private let connection: PostgresConnection

  init() throws {
    connection = try TestServer.connect { $0.limits.statementCount = 3 }
    try connection.execute("CREATE TEMP TABLE item (id int8 PRIMARY KEY, name text NOT NULL)")
    connection.counters = PostgresCounters()
  }

  private static let insert = PostgresStatement(
    "INSERT INTO item VALUES ($1, $2)",
    [.integer, .text]
  )

  private static func row(_ id: Int64, _ name: String?) -> PostgresFields {
    PostgresFields([.integer(id), name.map { .text($0) } ?? .null])
  }

  private func count() throws -> Int64 {
    try connection.run("SELECT count(*) FROM item").integer(0, 0)
  }

  @Test func `a statement is one round trip, also when it is prepared`() throws {
    for id in 1...5 { _ = try connection.run(Self.insert, Self.row(Int64(id), "a")) }
    #expect(connection.counters == PostgresCounters(roundTrips: 5, statements: 5, prepared: 1))
    #expect(try count() == 5)
  }

  @Test func `as many statements are kept as allowed, the oldest makes room`() throws {
    for text in ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 1", "SELECT 4", "SELECT 1"] {
      _ = try connection.run(text)
    }
    // "SELECT 2" has made room for "SELECT 4".
    #expect(
      connection.counters == PostgresCounters(roundTrips: 6, statements: 6, rows: 6, prepared: 4)
    )
    #expect(connection.preparedCount == 3)
    let once = PostgresStatement(
      "SELECT statement FROM pg_prepared_statements ORDER BY 1",
      isKept: false
    )
    let result = try connection.run(once)
    #expect((0..<result.count).map { result.text($0, 0) } == ["SELECT 1", "SELECT 3", "SELECT 4"])
  }

  @Test func `more statements in one round trip than are kept are all prepared`() throws {
    let calls = (1...8).map { PostgresCall("SELECT \($0)::int8") }
    let results = try connection.run(calls)
    #expect(results.map { $0.integer(0, 0) } == Array(1...8))
    #expect(connection.counters.roundTrips == 1)
    #expect(try connection.run(calls).map { $0.integer(0, 0) } == Array(1...8))
  }

  @Test func `the same text with other types is another statement`() throws {
    #expect(try connection.run("SELECT $1", [.integer(1)]).value(0, 0) == .integer(1))
    #expect(try connection.run("SELECT $1", [.text("1")]).value(0, 0) == .text("1"))
    #expect(try connection.run("SELECT $1", [.double(1)]).value(0, 0) == .double(1))
  }

  @Test func `statements in one round trip are all done or none, and the failure has its number`()
    throws
  {
    let calls = [(1, "a"), (2, nil), (3, "c")].map {
      PostgresCall(Self.insert, Self.row($0.0, $0.1))
    }
    let error = try failure { () throws(PostgresFailure) in try connection.run(calls) }
    #expect(error.state == SQLState("23502"))
    #expect(error.call == 1)
    #expect(error.column == "name")
    #expect(error.outcome == .undone)
    #expect(try count() == 0)
    let good = [(1, "a"), (3, "c")].map { PostgresCall(Self.insert, Self.row($0.0, $0.1)) }
    #expect(try connection.run(good).map(\.changeCount) == [1, 1])
    #expect(try count() == 2)
  }

  @Test func `a statement that does not parse is not kept, and the connection goes on`() throws {
    for _ in 1...2 {
      let calls = [PostgresCall("SELECT 1"), PostgresCall("SELEKT 2"), PostgresCall("SELECT 3")]
      let error = try failure { () throws(PostgresFailure) in try connection.run(calls) }
      #expect(error.state == SQLState("42601"))
      #expect(error.call == 1)
    }
    #expect(connection.preparedCount == 1)
    #expect(try connection.run("SELECT 3").integer(0, 0) == 3)
  }

  @Test func `a transaction costs no round trip to begin, and none to end with its last statement`()
    throws
  {
    try connection.transaction { (connection) throws(PostgresFailure) in
      _ = try connection.run(Self.insert, Self.row(1, "a"))
      let last = [PostgresCall(Self.insert, Self.row(2, "b")), PostgresCall("SELECT 1")]
      let results = try connection.run(last, PostgresRunOptions(commits: true))
      #expect(results.count == 2)
    }
    // BEGIN and INSERT; INSERT, SELECT and COMMIT.
    #expect(
      connection.counters == PostgresCounters(roundTrips: 2, statements: 3, rows: 1, prepared: 2)
    )
    connection.counters = PostgresCounters()
    try connection.transaction { (connection) throws(PostgresFailure) in
      _ = try connection.run(Self.insert, Self.row(3, "c"))
    }
    #expect(connection.counters.roundTrips == 2)
    try connection.transaction { (_) throws(PostgresFailure) in }
    #expect(connection.counters.roundTrips == 2)
    #expect(try count() == 3)
  }

  @Test func `a transaction that fails leaves nothing, and the next one works`() throws {
    let error = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        _ = try connection.run(Self.insert, Self.row(1, "a"))
        _ = try connection.run(Self.insert, Self.row(1, "twice"))
      }
    }
    #expect(error.state == .uniqueViolation)
    #expect(error.constraint == "item_pkey")
    #expect(error.table == "item")
    #expect(!error.message.contains("twice"))
    #expect(!connection.isInTransaction)
    #expect(try count() == 0)
  }

  @Test func `a failure that is swallowed within a transaction fails its commit`() throws {
    let error = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        _ = try connection.run(Self.insert, Self.row(1, "a"))
        do throws(PostgresFailure) {
          _ = try connection.run(Self.insert, Self.row(1, "b"))
        } catch {}
      }
    }
    #expect(error.state == .failedTransaction)
    #expect(!connection.isInTransaction)
    #expect(try count() == 0)
  }

  @Test func `a commit in the round trip of a failing statement commits nothing`() throws {
    let error = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        let calls = [(1, "a"), (1, "b")].map { PostgresCall(Self.insert, Self.row($0.0, $0.1)) }
        _ = try connection.run(calls, PostgresRunOptions(commits: true))
      }
    }
    #expect(error.state == .uniqueViolation)
    #expect(error.call == 1)
    #expect(error.outcome == .undone)
    #expect(try count() == 0)
  }

  @Test
  func `a constraint that is checked at the end fails the commit, and the connection goes on`()
    throws
  {
    try connection.execute("CREATE TEMP TABLE late (id int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    let calls = (1...2).map { _ in PostgresCall("INSERT INTO late VALUES (7)") }
    let alone = try failure { () throws(PostgresFailure) in try connection.run(calls) }
    let within = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        _ = try connection.run(calls)
      }
    }
    for error in [alone, within] {
      #expect(error.state == .uniqueViolation)
      #expect(error.constraint == "late_id_key")
      #expect(error.outcome == .undone)
    }
    #expect(!connection.isBroken)
    #expect(try connection.run("SELECT count(*) FROM late").integer(0, 0) == 0)
  }

  @Test
  func `statements are prepared anew when a table has changed or the server has forgotten them`()
    throws
  {
    _ = try connection.run(Self.insert, Self.row(1, "a"))
    #expect(try connection.run("SELECT * FROM item").columnCount == 2)
    try connection.execute("ALTER TABLE item ADD more int8")
    #expect(try connection.run("SELECT * FROM item").columnCount == 3)
    try connection.execute("DEALLOCATE ALL")
    #expect(try connection.run("SELECT * FROM item").columnCount == 3)
    let calls = [PostgresCall("SELECT * FROM item"), PostgresCall("TABLE item")]
    _ = try connection.run(calls)
    try connection.execute("ALTER TABLE item ADD most int8")
    #expect(try connection.run(calls).first?.columnCount == 4)
    // Within a transaction it is an error, but the next one works.
    try connection.execute("ALTER TABLE item ADD last int8")
    let error = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        _ = try connection.run(calls)
      }
    }
    #expect(error.state == .featureNotSupported)
    #expect(try connection.run(calls).first?.columnCount == 5)
  }

  @Test func `COPY is two round trips for as many rows as one likes`() throws {
    let count = try connection.copy(
      "COPY item (id, name) FROM STDIN (FORMAT binary)",
      columnCount: 2
    ) { (rows) throws(PostgresFailure) in
      for id in 0..<20_000 {
        try rows.beginRow()
        rows.fields.append(Int64(id))
        rows.fields.append("name \(id)")
      }
    }
    #expect(count == 20_000)
    #expect(connection.counters.roundTrips == 2)
    let result = try connection.run("SELECT sum(id)::int8, count(DISTINCT name) FROM item")
    #expect(result.integer(0, 0) == 19_999 * 20_000 / 2)
    #expect(result.integer(0, 1) == 20_000)
  }

  @Test func `a COPY that fails leaves no rows, and the connection goes on`() throws {
    let sql = "COPY item (id, name) FROM STDIN (FORMAT binary)"
    let twice = try failure { () throws(PostgresFailure) in
      try connection.copy(sql, columnCount: 2) { (rows) throws(PostgresFailure) in
        for id in [1, 2, 1] as [Int64] {
          try rows.beginRow()
          rows.fields.append(id)
          rows.fields.append("x")
        }
      }
    }
    #expect(twice.state == .uniqueViolation)
    let ours = try failure { () throws(PostgresFailure) in
      try connection.copy(sql, columnCount: 2) { (rows) throws(PostgresFailure) in
        try rows.beginRow()
        rows.fields.append(Int64(1))
        rows.fields.append("x\0")
      }
    }
    #expect(ours.kind == .nulInText)
    let wrong = try failure { () throws(PostgresFailure) in
      try connection.copy("COPY nowhere FROM STDIN (FORMAT binary)", columnCount: 2) { _ in }
    }
    #expect(wrong.state == SQLState("42P01"))
    let none = try failure { () throws(PostgresFailure) in
      try connection.copy("SELECT 1", columnCount: 2) { _ in }
    }
    #expect(none.kind == .unexpectedAnswer)
    #expect(try count() == 0)
  }

  @Test func `a row that is too large for COPY is an error, and the connection goes on`() throws {
    let sql = "COPY item (id, name) FROM STDIN (FORMAT binary)"
    let error = try failure { () throws(PostgresFailure) in
      try connection.copy(sql, columnCount: 2) { (rows) throws(PostgresFailure) in
        rows.byteLimit = 100_000
        for id in 1...2 {
          try rows.beginRow()
          rows.fields.append(Int64(id))
          rows.fields.append(String(repeating: "x", count: id * 60_000))
        }
      }
    }
    #expect(error.kind == .tooLarge)
    #expect(!connection.isBroken)
    #expect(try count() == 0)
  }

  @Test func `COPY is part of a transaction`() throws {
    _ = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        let count = try connection.copy(
          "COPY item (id, name) FROM STDIN (FORMAT binary)",
          columnCount: 2
        ) { (rows) throws(PostgresFailure) in
          try rows.beginRow()
          rows.fields.append(Int64(1))
          rows.fields.append("x")
        }
        #expect(count == 1)
        _ = try connection.run("SELECT 1/0")
      }
    }
    #expect(try count() == 0)
  }

  /// Not in `FROM`, where the server makes all numbers before it gives the first.
  private static let series = PostgresStatement("SELECT generate_series(1, $1)", [.integer])

  @Test func `rows that are handed on as they arrive are those of the query`() throws {
    var sum: Int64 = 0
    try connection.forEachRows(Self.series, PostgresFields([.integer(50_000)])) { rows in
      for row in 0..<rows.count { sum += rows.integer(row, 0) }
    }
    #expect(sum == 50_000 * 50_001 / 2)
    #expect(connection.counters == PostgresCounters(roundTrips: 1, statements: 1, rows: 50_000))
    try connection.transaction(.reading) { (connection) throws(PostgresFailure) in
      try connection.forEachRows(Self.series, PostgresFields([.integer(3)])) { rows in
        sum += rows.integer(0, 0)
      }
      #expect(connection.isInTransaction)
    }
    #expect(sum == 50_000 * 50_001 / 2 + 6)
  }

  @Test func `rows stop at a failure of the server, of the reader, and when cancelled`() throws {
    let division = PostgresStatement("SELECT 1 / (5 - x) FROM generate_series(1, 10) AS x")
    var count = 0
    let servers = try failure { () throws(PostgresFailure) in
      try connection.forEachRows(division) { rows in count += rows.count }
    }
    #expect(servers.state == SQLState("22012"))
    #expect(count <= 4)
    let many = PostgresFields([.integer(1_000_000_000)])
    let ours = PostgresFailure(.unexpectedAnswer, "enough")
    count = 0
    let readers = try failure { () throws(PostgresFailure) in
      try connection.forEachRows(Self.series, many) { (rows) throws(PostgresFailure) in
        count += rows.count
        if count == 1000 { throw ours }
      }
    }
    #expect(readers == ours)
    #expect(count == 1000)
    let cancellation = FetchCancellation()
    let cancelled = try failure { () throws(PostgresFailure) in
      try connection.forEachRows(
        Self.series,
        many,
        PostgresRunOptions(cancellation: cancellation)
      ) { _ in cancellation.cancel() }
    }
    #expect(cancelled.kind == .cancelled)
    #expect(!connection.isBroken)
    #expect(try connection.run("SELECT 7").integer(0, 0) == 7)
  }

  @Test func `a cancellation that comes too late does not end the next statement`() throws {
    for _ in 0..<30 {
      // Two rows are on their way before the reader can say that one was enough.
      _ = try failure { () throws(PostgresFailure) in
        try connection.forEachRows(Self.series, PostgresFields([.integer(2)])) {
          (_) throws(PostgresFailure) in
          throw PostgresFailure(.unexpectedAnswer, "enough")
        }
      }
      let count = try connection.run("SELECT count(*) FROM generate_series(1, 50000)")
      #expect(count.integer(0, 0) == 50_000)
    }
  }

  @Test func `many statements with large answers do not wait for each other in a circle`() throws {
    let text = String(repeating: "x", count: 100_000)
    let calls = (0..<200).map { _ in PostgresCall("SELECT $1 || $1", [.text(text)]) }
    let results = try connection.run(calls)
    #expect(results.count == 200)
    #expect(results.allSatisfy { $0.text(0, 0).utf8.count == 200_000 })
    #expect(connection.counters.roundTrips == 1)
  }

  @Test func `more parameters than the protocol has are an error before anything is sent`() throws {
    var fields = PostgresFields()
    for _ in 0..<65_536 { fields.append(Int64(1)) }
    let statement = PostgresStatement("SELECT 1")
    let error = try failure { () throws(PostgresFailure) in try connection.run(statement, fields) }
    #expect(error.kind == .tooLarge)
    #expect(error.outcome == .notSent)
    #expect(connection.counters.roundTrips == 0)
  }

  @Test func `one parameter carries as many keys as one likes`() throws {
    var fields = PostgresFields()
    fields.append((0..<100_000).lazy.map { Int64($0) })
    let statement = PostgresStatement("SELECT sum(x)::int8 FROM unnest($1) AS x", [.integer.array])
    #expect(try connection.run(statement, fields).integer(0, 0) == 99_999 * 100_000 / 2)
  }

  @Test func `a message does not quote values`() throws {
    let error = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT $1::text::int8", [.text("hidden value")])
    }
    #expect(error.state == SQLState("22P02"))
    #expect(error.message == "invalid input syntax for type bigint …")
  }
}
#endif
