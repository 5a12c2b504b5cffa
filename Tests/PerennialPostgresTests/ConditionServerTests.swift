// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialPostgres
import PerennialPredicate
import PerennialSQL
import Testing

/// The server must select just the rows for which a condition holds in memory.
@Suite("Conditions on a server", .needsServer)
struct ConditionServerTests {
  private let connection: PostgresConnection
  private let schema: StoreSchema

  private static let texts = [
    "", "Ada", "ada", "Adam", "Émile", "Ze\u{301}", "Zé", "a*b", "a%b", "a_b", "a\\b", "a\r\nb",
    "ab",
    "aab", "ß", "\u{10FFFF}", "a\u{1F600}b", "A1", "\u{FFFF}x", "'\"?",
  ]
  private static let integers: [Int64] = [.min, -1, 0, 1, 2, 1 << 53, 1 << 53 + 1, .max - 1, .max]
  private static let doubles = [
    -Double.infinity, -0x1p63, -1, -0.5, 0, 0.1, 1, 1.5, 0x1p53, 0x1p63, 1e300, .infinity,
  ]
  private static let decimals = [
    "-1", "0", "0.1", "0.10000000000000000001", "1", "9007199254740993",
  ]

  init() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Item",
        properties: [
          .attribute("name", .string, optional: true), .attribute("age", .int64, optional: true),
          .attribute("score", .double, optional: true),
          .attribute("rate", .decimal, optional: true),
        ]
      )
    ).layout
    var builder = SchemaBuilder(model: model, numbers: nil, dialect: PostgresDialect())
    schema = builder.build()
    connection = try TestServer.connect()
    let columns = schema.definitions[0].columns.map { "\($0.name) \($0.type)" }
    try connection.execute(
      "CREATE TEMP TABLE zitem (Z_PK bigint PRIMARY KEY, \(columns.joined(separator: ", ")))"
    )
    try insert(Self.texts.map { .text($0) }, "zname", "$2")
    try insert(Self.integers.map { .integer($0) }, "zage", "$2")
    try insert(Self.doubles.map { .double($0) }, "zscore", "$2")
    try insert(Self.decimals.map { .text($0) }, "zrate", "$2::text::numeric")
  }

  private func insert(_ values: [PostgresValue], _ column: String, _ value: String) throws {
    for (index, parameter) in values.enumerated() {
      _ = try connection.run(
        "INSERT INTO zitem (Z_PK, \(column)) VALUES ($1, \(value)) "
          + "ON CONFLICT (Z_PK) DO UPDATE SET \(column) = EXCLUDED.\(column)",
        [.integer(Int64(index)), parameter]
      )
    }
  }

  /// The numbers of the rows that the server selects, or `nil` when memory has to.
  private func answer(_ comparison: Comparison) throws -> [Int]? {
    var translator = PredicateTranslator(schema: schema, store: UUID())
    let condition = translator.translate(.comparison(comparison), entity: 0)
    guard condition.residual == nil else { return nil }
    let sql = "SELECT t0.Z_PK FROM zitem AS t0 WHERE \(condition.sql) ORDER BY t0.Z_PK"
    let result = try connection.run(
      PostgresDialect().finished(sql),
      condition.bindings.map { PostgresValue($0) }
    )
    return (0..<result.count).map { Int(result.integer($0, 0)) }
  }

  /// Compares the answer with memory's; rows without a value are in it as null.
  ///
  /// - Returns: Whether there was something to compare.
  private func check(
    _ property: String,
    _ values: [PropertyValue],
    _ comparator: Comparison.Operator,
    _ constant: ExpressionNode
  ) throws -> Bool {
    let name = ExpressionNode.keyPath(.object, [property])
    guard let answer = try answer(Comparison(name, comparator, constant, options: [])) else {
      return false
    }
    let expected = try Self.texts.indices.filter { index in
      let value = index < values.count ? values[index] : .null
      let comparison = Comparison(.constant(value), comparator, constant, options: [])
      return try PredicateEvaluator(.null).evaluate(.comparison(comparison))
    }
    #expect(answer == expected, "\(property) \(comparator.rawValue) \(constant)")
    return true
  }

  private static let orders: [Comparison.Operator] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  @Test func `texts are compared by their bytes`() throws {
    let values = Self.texts.map { PropertyValue.string($0) }
    for comparator in Self.orders + [.contains, .beginsWith, .endsWith] {
      for text in Self.texts {
        #expect(try check("name", values, comparator, .constant(.string(text))))
      }
    }
    let all = Self.texts.map { ExpressionNode.constant(.string($0)) }
    #expect(try check("name", values, .isIn, .list(all)))
    #expect(try check("name", values, .isIn, .list(Array(all[3...7]) + [.null])))
  }

  @Test func `patterns that the server is given mean what ours mean`() throws {
    let values = Self.texts.map { PropertyValue.string($0) }
    for pattern in [
      "*", "?", "??", "a?b", "a*b", "a\\*b", "a%b", "a_b", "*\\\\b", "A*", "?*é", "a??b", "",
    ] {
      #expect(try check("name", values, .like, .constant(.string(pattern))), "\(pattern)")
    }
    for pattern in [
      "a.*b", "[A-Z][a-z]+", "a*b", "(a|b)+", "a{2}b", "A[0-9]?", "a\\*b", "a\\\\b", ".*", ".+",
      "É.*|ß",
    ] {
      #expect(try check("name", values, .matches, .constant(.string(pattern))), "\(pattern)")
    }
  }

  @Test func `numbers of different types are compared without rounding, or by memory`() throws {
    let decimals = Self.decimals.map { PropertyValue.decimal(Decimal(string: $0) ?? .nan) }
    let columns: [(String, [PropertyValue])] = [
      ("age", Self.integers.map { .integer($0) }), ("score", Self.doubles.map { .double($0) }),
      ("rate", decimals),
    ]
    let constants = columns.flatMap(\.1)
    var count = 0
    for (property, values) in columns {
      for comparator in Self.orders {
        for constant in constants where try check(property, values, comparator, .constant(constant))
        {
          count += 1
        }
      }
      let list = constants.map { ExpressionNode.constant($0) }
      _ = try check(property, values, .isIn, .list(list))
      let own = values.map { ExpressionNode.constant($0) }
      #expect(try check(property, values, .isIn, .list(own)) == (property != "rate"))
    }
    #expect(count > 300)
  }

  @Test func `lengths are those in UTF-16`() throws {
    for length in 0...7 {
      let name = ExpressionNode.function(.length, [.keyPath(.object, ["name"])])
      let constant = ExpressionNode.constant(.integer(Int64(length)))
      let answer = try answer(Comparison(name, .equal, constant, options: []))
      let expected = Self.texts.indices.filter { Self.texts[$0].utf16.count == length }
      #expect(answer == expected, "\(length)")
    }
  }
}

extension PostgresValue {
  /// A value of a statement's parameter.
  fileprivate init(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .text(let text): self = .text(text)
    case .blob(let data): self = .bytes(data)
    }
  }
}
#endif
