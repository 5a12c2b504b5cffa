// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPostgres
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQL
@testable import PerennialSQLite

/// What is said in SQL exactly at a limit, and what becomes of one more.
@Suite("Limits of translations")
struct TranslationLimitTests {
  private let models: DialectModel

  init() throws { models = try DialectModel() }

  // MARK: Chains

  @Test func `32 parts joined by AND are one chain, one more makes a chain of chains`() throws {
    func format(_ count: Int) -> String {
      (0..<count).map { "age != \($0)" }.joined(separator: " AND ")
    }
    for (schema, part) in [
      (models.sqlite, "t0.ZAGE IS NOT ?"), (models.postgres, "t0.zage IS DISTINCT FROM ?"),
    ] {
      let chain = Array(repeating: part, count: 32).joined(separator: " AND ")
      let most = try models.condition(format(32), schema)
      #expect(most.sql == chain)
      #expect(most.bindings == (Int64(0)..<32).map(SQLValue.integer))
      #expect(most.residual == nil)
      let more = try models.condition(format(33), schema)
      #expect(more.sql == "((\(chain)) AND \(part))")
      #expect(more.bindings == (Int64(0)..<33).map(SQLValue.integer))
      #expect(more.residual == nil)
    }
  }

  @Test func `conditions and their opposites are joined as far as a chain goes`() {
    let dialect = PostgresDialect()
    let part = ConditionText("x", opposite: "y", [.integer(1)])
    func either(_ count: Int) -> ConditionText {
      ConditionText.any(Array(repeating: part, count: count), dialect)
    }
    func every(_ count: Int) -> ConditionText {
      ConditionText.all(Array(repeating: part, count: count), dialect)
    }
    #expect([either(0).sql, either(0).opposite] == ["FALSE", "TRUE"])
    #expect([every(0).sql, every(0).opposite] == ["TRUE", "FALSE"])
    for single in [either(1), every(1)] {
      #expect([single.sql, single.opposite] == ["x", "y"])
      #expect(single.bindings == [.integer(1)])
    }
    func chain(_ part: String, _ word: String) -> String {
      "(" + Array(repeating: part, count: 32).joined(separator: " \(word) ") + ")"
    }
    let (ors, ands) = (chain("x", "OR"), chain("y", "AND"))
    let most = either(32)
    #expect(most.sql == ors)
    #expect(most.opposite == ands)
    #expect(every(32).sql == chain("x", "AND"))
    #expect(every(32).opposite == chain("y", "OR"))
    let more = either(33)
    #expect(more.sql == "(\(ors) OR x)")
    #expect(more.opposite == "(\(ands) AND y)")
    #expect(more.bindings == Array(repeating: SQLValue.integer(1), count: 33))
  }

  @Test func `64 texts are compared one by one without case, 65 are left to memory`() throws {
    func format(_ count: Int) -> String {
      "name IN[c] {" + (0..<count).map { "'n\($0)'" }.joined(separator: ", ") + "}"
    }
    let part = Array(repeating: "pn_equal(t0.ZNAME, ?, 1)", count: 32).joined(separator: " OR ")
    let most = try models.condition(format(64), models.sqlite)
    #expect(most.sql == "((\(part)) OR (\(part)))")
    #expect(most.bindings == (0..<64).map { SQLValue.text("n\($0)") })
    #expect(most.residual == nil)
    let more = try models.condition(format(65), models.sqlite)
    #expect(more.sql.isEmpty)
    #expect(try more.residual == FetchPredicate(parsing: format(65)))
  }

  // MARK: Long values

  /// An exclusive or says each side twice: of sides that are 200 bytes long, memory says it.
  @Test func `an exclusive or of 178 bytes is SQL, one of 200 is left to memory`() throws {
    func format(_ count: Int) -> String {
      "(age" + String(repeating: " & 1", count: count) + ") ^ 1 == 0"
    }
    func side(_ count: Int) -> String {
      (0..<count).reduce("CAST(t0.zage AS bigint)") { side, _ in "CAST((\(side) & ?) AS bigint)" }
    }
    let (left, longer) = (side(7), side(8))
    #expect([left, longer].map { "\($0)?".utf8.count } == [178, 200])
    let most = try models.condition(format(7), models.postgres)
    #expect(most.sql == "((\(left) | ?) - (\(left) & ?)) = ?")
    let ones = Array(repeating: SQLValue.integer(1), count: 16)
    #expect(most.bindings == ones + [.integer(0)])
    #expect(most.residual == nil)
    let more = try models.condition(format(8), models.postgres)
    #expect(more.sql.isEmpty)
    #expect(try more.residual == FetchPredicate(parsing: format(8)))
  }

  @Test func `a path of 32 keys is followed, one of 33 is left to memory`() throws {
    func format(_ count: Int) -> String {
      String(repeating: "boss.", count: count - 1) + "name == 'x'"
    }
    let most = try models.condition(format(32), models.postgres)
    #expect(most.sql.ranges(of: "IN (SELECT").count == 31)
    #expect(most.residual == nil)
    let more = try models.condition(format(33), models.postgres)
    #expect(more.sql.isEmpty)
    #expect(try more.residual == FetchPredicate(parsing: format(33)))
  }

  @Test(
    arguments: [
      (32, "asks a value for its 'length', which SQL cannot"), (33, "has more than 32 keys"),
    ]
  )
  func `only a path of more than 32 keys is said to be too long`(
    _ count: Int,
    _ reason: String
  ) throws {
    let format = String(repeating: "boss.", count: count - 2) + "photo.length == 1"
    var translator = PredicateTranslator(schema: models.sqlite, store: UUID())
    let node = try FetchPredicate(parsing: format).checked()
    let obstacle = translator.obstacle(in: node, entity: models.entity("Author"))
    #expect(obstacle?.reason == reason)
  }

  @Test(
    arguments: [
      ("a", "b"), ("Ad", "Ae"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b"),
      ("a\u{10FFFF}\u{10FFFF}", "b"), ("\u{10FFFF}", nil), ("", nil),
    ] as [(String, String?)]
  )
  func `behind all texts with a beginning stands the next one`(
    _ prefix: String,
    _ next: String?
  ) {
    #expect(LikePattern.successor(of: prefix) == next)
  }

  // MARK: What an engine compiles

  /// Which texts with parameters are admitted, one after the other.
  private func admitted(
    _ texts: [(sql: String, values: [SQLValue])],
    bindings: Int = 3,
    bytes: Int = 100,
    nesting: Int? = nil,
    takesNUL: Bool = false
  ) -> [Bool] {
    let limits = SQLLimits(
      bindingCount: bindings,
      chainLength: 2,
      termCount: 2,
      byteCount: bytes,
      nesting: nesting,
      takesNUL: takesNUL
    )
    var account = SQLLimits.Account(limits)
    return texts.map { account.admit($0.sql, $0.values) }
  }

  @Test func `texts are admitted up to the last byte, and what is refused takes no room`() {
    let found = admitted([("12345", []), ("123456", []), ("67890", []), ("1", [])], bytes: 10)
    #expect(found == [true, false, true, false])
    // Letters of two bytes.
    #expect(admitted([("ééééé", []), ("", [])], bytes: 10) == [true, true])
    #expect(admitted([("éééééé", [])], bytes: 11) == [false])
  }

  @Test func `parameters are admitted up to the last, and what is refused takes none`() {
    func text(_ count: Int) -> (sql: String, values: [SQLValue]) {
      ("x", Array(repeating: .null, count: count))
    }
    #expect(admitted([text(2), text(2), text(1), text(1)]) == [true, false, true, false])
    #expect(admitted([text(4)]) == [false])
  }

  @Test func `a text with NUL is admitted where an engine takes it`() {
    let texts: [(sql: String, values: [SQLValue])] = [
      ("x", [.text("a"), .text("a\0")]), ("x", [.text("a"), .integer(0), .null]),
    ]
    #expect(admitted(texts) == [false, true])
    #expect(admitted(texts, bindings: 5, takesNUL: true) == [true, true])
  }

  @Test(
    arguments: [
      ("a", 0), ("(a)", 3), ("((a))", 6), ("(a) (b) (c)", 3), (")(a)", 3), ("(CASE a)", 8),
      ("(a (CASE b) c)", 11), ("(SELECT a)", 10), ("(SELECT a) (SELECT b)", 10),
      ("((SELECT a))", 13), ("(SELECT (a))", 13), ("(SELECT a) (((b)))", 10),
    ]
  )
  func `nesting is counted as the parser of SQLite counts it`(_ sql: String, _ count: Int) {
    #expect(admitted([(sql, [])], nesting: count) == [true])
    #expect(admitted([(sql, [])], nesting: count - 1) == [false])
    #expect(admitted([(sql, []), (sql, [])], nesting: count) == [true, true])
  }

  @Test func `as many sorts as an engine compiles are SQL, one more is left to memory`() {
    for (schema, term) in [(models.sqlite, "t0.ZAGE"), (models.postgres, "t0.zage NULLS FIRST")] {
      let translator = SortTranslator(schema: schema, store: UUID())
      func terms(_ count: Int) -> [String]? {
        let sorts = Array(repeating: FetchSort("age"), count: count)
        return translator.terms(for: sorts, entity: models.entity("Author"))
      }
      let count = schema.dialect.limits.termCount
      #expect(terms(count) == Array(repeating: term, count: count) + ["t0.Z_PK"])
      #expect(terms(count + 1) == nil)
    }
  }

  @Test func `as many values as an engine compiles are SQL, one more is left to memory`() throws {
    func translate(_ count: Int) throws -> (readerCount: Int?, obstacle: String) {
      var request = ProjectionRequest()
      request.properties = try (0..<count).map { number in
        PropertyToFetch.expression(try ExpressionDescription("n\(number)", parsing: "age"))
      }
      let query = try ProjectionPlanner.plan(
        request,
        of: StoreQuery(entity: models.entity("Author")),
        in: models.model
      )
      var translator = ProjectionTranslator(query, schema: models.sqlite, store: UUID())
      let statement = translator.statement(QueryTranslation())
      return (statement?.readers.count, translator.obstacle)
    }
    let count = models.sqlite.dialect.limits.termCount
    let most = try translate(count)
    #expect(most.readerCount == count)
    #expect(most.obstacle.isEmpty)
    let more = try translate(count + 1)
    #expect(more.readerCount == nil)
    #expect(more.obstacle.hasPrefix("the values, groups and sorts are too long"))
  }

  @Test func `the number of an entity is read where rows of several can come, and only there`()
    throws
  {
    let model = try ManagedObjectModel(
      EntityDescription("Shape", properties: [.attribute("name", .string, optional: true)]),
      EntityDescription(
        "Round",
        parent: "Shape",
        properties: [.attribute("size", .int64, optional: true)]
      )
    ).layout
    let schema = DialectModel.schema(of: model, SQLiteDialect())
    func columns(_ entity: String, _ includesSubentities: Bool) -> String {
      RowPlan(
        entity: model.entitiesByName[entity] ?? -1,
        includesSubentities: includesSubentities,
        schema: schema,
        externalFiles: .nowhere
      ).columns
    }
    #expect(columns("Shape", true) == "t0.Z_PK, t0.Z_OPT, t0.Z_ENT, t0.ZNAME, t0.ZSIZE")
    #expect(columns("Shape", false) == "t0.Z_PK, t0.Z_OPT, t0.ZNAME")
    #expect(columns("Round", true) == "t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZSIZE")
  }

  // MARK: Lists and numbers

  @Test(
    arguments: [
      (1, 1), (2, 16), (16, 16), (17, 128), (128, 128), (129, 500), (500, 500),
    ]
  )
  func `a list of parameters is filled up to its size with its last value`(
    _ count: Int,
    _ size: Int
  ) {
    let values = Array(1...count)
    let list = ParameterList(values[...])
    #expect(Array(list) == values + Array(repeating: count, count: size - count))
    // A part of an array begins elsewhere.
    let part = ParameterList(([0, 0] + values)[2...])
    #expect(Array(part) == Array(list))
  }

  @Test func `values are parted into as few lists of parameters as there can be`() {
    func sizes(_ count: Int) -> [Int] { Array(1...count).parameterLists.map(\.count) }
    #expect(sizes(500) == [500])
    #expect(sizes(501) == [500, 1])
    #expect(sizes(1_000) == [500, 500])
    #expect(sizes(1_002) == [500, 500, 16])
  }

  @Test(
    arguments: [
      // There is just room, and just none.
      ([Int64.max - 2_048, nil], [Int64.max - 2_048, Int64.max - 1_024]),
      ([Int64.max - 2_047, nil], [2_048, 3_072]),
      ([1, nil, 3], [1, 2, 3]), ([1, nil, 2], [2_048, 3_072, 4_096]),
      ([1, nil, nil, 4], [1, 2, 3, 4]), ([1, nil, nil, 3], [2_048, 3_072, 4_096, 5_120]),
      ([nil, 2], [1, 2]), ([nil, 1], [2_048, 3_072]),
      // One that stands out of line moves, of two that are equal the first.
      ([5_000, 1_024, 2_048, 3_072], [512, 1_024, 2_048, 3_072]), ([1_024, 1_024], [512, 1_024]),
      ([3_072, 1_024, nil], [512, 1_024, 2_048]),
    ] as [([Int64?], [Int64])]
  )
  func `members are numbered in gaps, as long as there are any`(
    _ current: [Int64?],
    _ expected: [Int64]
  ) {
    #expect(OrderNumbers.assign(current) == expected)
  }
}

@Suite("Values that a save takes and sets free")
struct FreedValueTests {
  private let model: ModelLayout

  init() throws {
    model = try ManagedObjectModel(
      EntityDescription(
        "Coin",
        uniqueness: [["value"]],
        properties: [
          .attribute("value", .int64, optional: true), .attribute("note", .string, optional: true),
        ]
      )
    ).layout
  }

  private func conflicts(_ changes: ChangeSet) -> [SaveConflict] {
    let rows = [Row(1, ["value": 10]), Row(2, ["value": 20])]
    var finder = ConflictFinder(
      rows: WrittenRows(pages: model.pages("Coin", rows)),
      schema: DialectModel.schema(of: model, PostgresDialect()),
      changes: changes,
      isRepeated: false
    )
    finder.run()
    return finder.conflicts
  }

  /// New rows and stored ones of which both have a value.
  private func pairs(_ changes: ChangeSet) -> Set<[Int64]> {
    let pairs = conflicts(changes).compactMap { conflict -> [Int64]? in
      guard case .constraint(_, _, let newcomer, let stored) = conflict else { return nil }
      return [newcomer, stored.key]
    }
    return Set(pairs)
  }

  @Test func `a value that its row gives up is free, however it does`() {
    var changes = model.insertion([("Coin", [Row(3, ["value": 10]), Row(4, ["value": 20])])])
    #expect(pairs(changes) == [[3, 1], [4, 2]])
    changes.deletions = [model.deletion("Coin", [(1, 1)])]
    #expect(pairs(changes) == [[4, 2]])
    changes.updates = [model.update("Coin", ["note"], [Row(2, version: 2, ["value": 20])])]
    #expect(pairs(changes) == [[4, 2]])
    changes.updates = [model.update("Coin", ["value"], [Row(2, version: 2, ["value": 30])])]
    #expect(conflicts(changes).isEmpty)
    changes.updates = [model.update("Coin", ["value"], [Row(2, version: 2)])]
    #expect(conflicts(changes).isEmpty)
  }

  @Test func `a deletion conflicts with a row that has changed, not with one that is gone`() {
    var changes = ChangeSet()
    changes.deletions = [model.deletion("Coin", [(1, 7), (2, 1), (9, 1)])]
    let keys = conflicts(changes).map { conflict -> Int64 in
      if case .version(_, let key, let stored) = conflict, stored?.version == 1 { key } else { 0 }
    }
    #expect(keys == [1])
  }
}
