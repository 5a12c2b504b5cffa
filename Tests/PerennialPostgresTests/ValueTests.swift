// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialPostgres
import RandomTesting
import Testing

@Suite("Values to a server and back", .needsServer)
struct ValueTests {
  private static let extremes: [PostgresValue] = [
    .null, .bool(true), .bool(false),
    .integer(0), .integer(-1), .integer(.min), .integer(.max),
    .double(0), .double(-0.0), .double(.infinity), .double(-.infinity), .double(.nan),
    .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .double(0.1),
    .text(""), .text("e\u{301}"), .text("\u{e9}"), .text("\u{10FFFF}\u{1}\u{FEFF}"),
    .text(String(repeating: "ä", count: 100_000)), .text("'; DROP TABLE x; --"),
    .bytes(Data()), .bytes(Data([0, 1, 255])), .bytes(Data(repeating: 0, count: 300_000)),
    .timestamp(microseconds: 0), .timestamp(microseconds: .max), .timestamp(microseconds: .min),
    .timestamp(microseconds: -1), .timestamp(microseconds: 9_223_371_331_199_999_999),
    .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
    .array([], of: .integer), .array([.integer(1), .null, .integer(.min)], of: .integer),
    .array([.text(""), .null, .text("NULL"), .text("{,\"}")], of: .text),
    .array([.bytes(Data([0])), .null], of: .bytes), .array([.double(.nan)], of: .double),
    .array([.bool(true), .null], of: .bool),
  ]

  @Test func `extreme values come back as they were`() throws {
    let connection = try TestServer.connect()
    for value in Self.extremes {
      let result = try connection.run("SELECT $1", [value])
      // A null without a type is a text to the server.
      #expect(try result.value(0, 0) == value, "\(value.type)")
    }
  }

  /// The server reads the texts itself: our binary form must be the one that it makes of them.
  @Test(arguments: [
    "0", "0.0", "0.000", "1", "-1", "10000", "9999", "10000.0001", "0.0001", "0.00001", "-0.5",
    "123456789012345678901234567890.123456789", "1.10", "100000000", "NaN", "Infinity", "-Infinity",
    "0.99999999999999999999999999999999999999", "12345678901234567890000000000000000",
  ])
  func `a decimal number is the one that the server reads`(text: String) throws {
    let connection = try TestServer.connect()
    let number = try #require(PostgresNumeric(text))
    #expect(number.description == text)
    let result = try connection.run(
      "SELECT $1 = $2::text::numeric, ($1)::text, $2::text::numeric",
      [.numeric(number), .text(text)]
    )
    #expect(result.bool(0, 0))
    #expect(result.text(0, 1) == text)
    #expect(try result.value(0, 2) == .numeric(number))
  }

  @Test func `decimal numbers with an exponent are understood, other texts are none`() {
    #expect(PostgresNumeric("1e3")?.description == "1000")
    #expect(PostgresNumeric("1.5E-3")?.description == "0.0015")
    #expect(PostgresNumeric("-.5")?.description == "-0.5")
    #expect(PostgresNumeric("-0")?.description == "0")
    for text in ["", ".", "-", "1,5", "0x1", "1e", "1e999999", "nan", " 1", "1 "] {
      #expect(PostgresNumeric(text) == nil, "\(text)")
    }
  }

  @Test(arguments: PropertyRuns.seeds(usually: 3))
  func `random rows come back as they were, by statements and by COPY`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let connection = try TestServer.connect()
    try connection.execute(
      """
      CREATE TEMP TABLE value (id int8, truth bool, number int8, real float8, words text, data bytea,
      time timestamptz, exact numeric, uuid uuid, list int8[])
      """
    )
    let rows = (0..<200).map { row in
      [.integer(row)] + Self.randomRow(&random)
    }
    let places = (1...10).map { "$\($0)" }.joined(separator: ", ")
    for row in rows.prefix(100) {
      _ = try connection.run("INSERT INTO value VALUES (\(places))", row)
    }
    let count = try connection.copy("COPY value FROM STDIN (FORMAT binary)", columnCount: 10) {
      (copy) throws(PostgresFailure) in
      for row in rows.dropFirst(100) {
        try copy.beginRow()
        for value in row { copy.fields.append(value) }
      }
    }
    #expect(count == 100)
    let result = try connection.run("SELECT * FROM value ORDER BY id")
    try #require(result.count == rows.count)
    for (index, row) in rows.enumerated() {
      #expect(try result.values(index) == row, "seed \(seed)")
    }
  }

  private static func randomRow(_ random: inout SeededGenerator) -> [PostgresValue] {
    let scalars = (0..<Int.random(in: 0...20, using: &random)).map { _ in
      Unicode.Scalar(UInt32.random(in: 1...0xD7FF, using: &random)) ?? " "
    }
    var words = ""
    words.unicodeScalars.append(contentsOf: scalars)
    let bits = UInt64.random(in: .min ... .max, using: &random)
    let real = Double(bitPattern: bits)
    let digits = Int.random(in: -99_999_999...99_999_999, using: &random)
    let exact = "\(digits)." + String(Int.random(in: 0...999_999, using: &random))
    let values: [PostgresValue] = [
      .bool(.random(using: &random)),
      .integer(.random(in: .min ... .max, using: &random)),
      .double(real.isNaN ? .nan : real),
      .text(words),
      .bytes(Data(words.utf16.map { UInt8(truncatingIfNeeded: $0) })),
      .timestamp(microseconds: .random(in: -1 << 57...1 << 58, using: &random)),
      PostgresNumeric(exact).map { .numeric($0) } ?? .null,
      .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(bits & 255)))),
      .array([.integer(Int64(digits)), .null], of: .integer),
    ]
    return values.map { Int.random(in: 0..<8, using: &random) == 0 ? .null : $0 }
  }

  @Test func `a date is the server's date`() throws {
    let connection = try TestServer.connect()
    let text = "2026-11-22 12:34:56.789012+00"
    let result = try connection.run("SELECT $1::text::timestamptz", [.text(text)])
    let date = try #require(try result.value(0, 0).date)
    // 2026-11-22 12:34:56 UTC in seconds since 1970, as `date -u +%s` says.
    #expect(abs(date.timeIntervalSince1970 - 1_795_350_896.789012) < 1e-6)
    #expect(try connection.run("SELECT $1", [.timestamp(date)]).value(0, 0) == result.value(0, 0))
    #expect(PostgresValue.timestamp(.distantFuture).date != nil)
    #expect(
      PostgresValue.timestamp(Date(timeIntervalSinceReferenceDate: 1e300)).date == .distantFuture
    )
  }

  @Test func `values of shorter types are read as the longer ones`() throws {
    let connection = try TestServer.connect()
    let result = try connection.run("SELECT 7::int2, -8::int4, 1.5::real, 'c'::varchar, 'n'::name")
    #expect(
      try result.values(0) == [.integer(7), .integer(-8), .double(1.5), .text("c"), .text("n")]
    )
    #expect(result.integer(0, 0) == 7 && result.integer(0, 1) == -8 && result.double(0, 2) == 1.5)
  }

  @Test func `a value of a type that nobody knows is an error that names the column`() throws {
    let connection = try TestServer.connect()
    let result = try connection.run("SELECT '1.2.3.4'::inet AS place")
    let error = try failure { () throws(PostgresFailure) in try result.value(0, 0) }
    #expect(error.kind == .unexpectedAnswer)
    #expect(error.message.contains("'place'"))
  }

  @Test func `texts and data are taken from where they lie`() throws {
    var fields = PostgresFields()
    // Safe because the bytes are read within the calls only.
    Array("grün".utf8).withUnsafeBytes { fields.appendText($0) }
    [1, 0, 2].withUnsafeBytes { fields.appendBytes($0) }
    #expect(fields.indexOfNUL == nil)
    let statement = PostgresStatement("SELECT $1, length($2)::int8", [.text, .bytes])
    let result = try TestServer.connect().run(statement, fields)
    #expect(try result.values(0) == [.text("grün"), .integer(Int64(3 * MemoryLayout<Int>.size))])
    Array("a\0".utf8).withUnsafeBytes { fields.appendText($0) }
    #expect(fields.indexOfNUL == 2)
  }

  @Test func `a NUL in a text is an error before anything is sent`() throws {
    let connection = try TestServer.connect()
    for value: PostgresValue in [.text("a\0b"), .array([.text("\0")], of: .text)] {
      let error = try failure { () throws(PostgresFailure) in
        try connection.run("SELECT $1, $2", [.integer(1), value])
      }
      #expect(error.kind == .nulInText)
      #expect(error.outcome == .notSent)
      #expect(error.message.contains("parameter 2"))
    }
    #expect(connection.counters.roundTrips == 0)
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }
}
#endif
