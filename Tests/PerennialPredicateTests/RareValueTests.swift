// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

/// Values that are rarely compared and computed with.
@Suite("Rare values in memory")
struct RareValueTests {
  private enum Color: String { case red }

  private static let object: [String: (any Sendable)?] = [
    "half": Decimal(1) / 2, "three": Decimal(3), "odd": Set([1, 3]), "color": Color.red,
    "bytes": Data([1, 2, 3]), "url": URL(string: "https://e.org/1"), "flag": true, "real": 2.0,
    "id": ManagedObjectID(entityName: "A", owner: UUID(), key: 1), "uid": UUID(),
    "date": Date(timeIntervalSinceReferenceDate: 100), "min": Int64.min, "gone": nil, "name": "Ada",
    "map": ["x": 1, "y": 2], "same": ["y": 2, "x": 1], "other": ["x": 1, "z": 2], "list": [1, 2],
    "NaN": Decimal.nan, "huge": Double.infinity,
  ]

  @Test(arguments: [
    ("modulus:by:(7.5, 2) == 1.5", true), ("modulus:by:(min, -1) == 0", true),
    ("modulus:by:(three, 2) == 1", true), ("half + half == 1", true), ("half - 1 == -0.5", true),
    ("half * 4 == 2", true), ("three / 2 == 1.5", true), ("three ** 2 == 9", true),
    ("(-1) ** 3 == -1", true), ("(-1) ** 70 == 1", true), ("0 ** 0 == 1", true),
    ("abs(-1.5) == 1.5", true), ("abs(0 - half) == half", true), ("floor(half) == 0", true),
    ("ceiling(half) == 1", true), ("trunc(0 - half) == 0", true), ("floor(0 - half) == -1", true),
    ("floor(3) == 3", true), ("real & 3 == 2", true), ("three | 4 == 7", true),
    ("three ^ 1 == 2", true), ("length(bytes) == 3", true), ("bytes.length == 3", true),
    ("url.absoluteString == 'https://e.org/1'", true), ("noindex:(gone) == nil", true),
    ("odd.@count == 2", true), ("3 IN odd", true), ("color == 'red'", true),
    ("bytes CONTAINS CAST('AgM=', 'NSData')", true), ("bytes CONTAINS 'x'", false),
    ("bytes CONTAINS CAST('', 'NSData')", false), ("bytes CONTAINS CAST('Aw==', 'NSData')", true),
    ("list == {1, 2}", true), ("list == {2, 1}", false), ("list == {1}", false),
    ("list == 1", false), ("map == same", true), ("map == other", false), ("map == list", false),
    ("map['y'] == 2", true), ("map['z'] == nil", true), ("map.x == 1", true),
    ("map.z == nil", true),
    ("map.#self == map", true), ("2 IN map", true), ("3 IN map", false),
    ("CAST(date, 'NSDate') == date", true), ("CAST(half, 'NSDate') < date", true),
    ("CAST(flag, 'NSDecimalNumber') == 1", true), ("CAST(NO, 'NSDecimalNumber') == 0", true),
    ("CAST(real, 'NSDecimalNumber') == 2", true), ("CAST(name, 'NSString') == 'Ada'", true),
    ("CAST('-1.5e1', 'NSDecimalNumber') == -15", true),
    ("CAST('+1E2', 'NSDecimalNumber') == 100", true),
    ("CAST(half, 'NSString') == '0.5'", true), ("CAST(flag, 'NSString') == '1'", true),
    ("CAST(url, 'NSString') == 'https://e.org/1'", true), ("NaN == NaN", false),
    ("NaN < 1", false), ("NaN >= 1", false), ("half > NaN", false),
    ("SUBQUERY(gone, $x, $x == 1).@count == 0", true), ("gone[0] == nil", true),
    ("date >= CAST('nan', 'NSDate')", false), ("date < CAST('nan', 'NSDate')", false),
    ("date == CAST('nan', 'NSDate')", false), ("CAST(three, 'NSDate') < date", true),
    ("name MATCHES '(?x) Ada # all of it'", true), ("name MATCHES '(?x) Ad # a part'", false),
    ("name MATCHES '(?x) A | Ada # either'", true), ("name MATCHES '(?x) A | Ad # parts'", false),
    ("name == 'A\\x64\\141'", true), ("name == '\\u0041da'", true), ("'\\t' == '\\x09'", true),
    ("'\\r\\n' == '\\x0D\\x0A'", true), ("'\\uD83D\\uDE00' == '😀'", true), ("'\\777' == 'ǿ'", true),
    ("'\\q' == '\\\\q'", true),
  ])
  func `a format has an answer`(_ format: String, _ expected: Bool) throws {
    #expect(try FetchPredicate(parsing: format).evaluate(with: Self.object) == expected)
  }

  @Test(arguments: [
    ("2 ** 64 == 1", "64 bits"), ("2 ** 63 == 1", "64 bits"), ("three / 0 == 1", "zero"),
    ("modulus:by:(half, 0) == 1", "zero"),
    ("uppercase(list) == 'A'", "single value"), ("half & 1 == 0", "whole number"),
    ("name & 1 == 0", "whole number"), ("sqrt(name) == 1", "number"),
    ("SUBQUERY(name, $x, $x == 1).@count == 0", "SUBQUERY"), ("map[1] == 1", "index"),
    ("list['x'] == 1", "index"), ("list[7] == 1", "index"), ("name[0] == 1", "index"),
    ("1 IN flag", "IN"), ("CAST(list, 'NSString') == 'x'", "NSString"),
    ("CAST(date, 'NSDecimalNumber') == 1", "NSDecimalNumber"),
    ("CAST(flag, 'NSDate') == nil", "NSDate"), ("CAST(uid, 'NSDate') == nil", "NSDate"),
    ("CAST(huge, 'NSDecimalNumber') == 1", "NSDecimalNumber"),
    ("CAST('0x10', 'NSDecimalNumber') == 0", "NSDecimalNumber"),
    ("CAST('-inf', 'NSDecimalNumber') == 0", "NSDecimalNumber"),
    ("CAST('+nan', 'NSDecimalNumber') == 0", "NSDecimalNumber"),
    ("CAST('nan', 'NSDecimalNumber') == 0", "NSDecimalNumber"),
    ("CAST('2016-01-26T19:46:18', 'NSDate') == date", "NSDate"),
    ("CAST('2016-01-26T19:46:18Zjunk', 'NSDate') == date", "NSDate"),
    ("CAST('2016-01-26 garbage', 'NSDate') == date", "NSDate"),
    ("CAST('12:30:00', 'NSDate') == date", "NSDate"),
    (
      "CAST('9e127', 'NSDecimalNumber') * CAST('9e127', 'NSDecimalNumber') == 1",
      "a decimal number"
    ),
    ("url.x == 1", "URL"),
    ("flag.x == 1", "boolean"), ("real.x == 1", "double"), ("half.x == 1", "decimal"),
    ("date.x == 1", "date"), ("bytes.x == 1", "data"), ("uid.x == 1", "UUID"),
    ("id.x == 1", "object ID"), ("name.x == 1", "string"), ("list.x == 1", "integer"),
  ])
  func `a format that does not fit says what is wrong`(_ format: String, _ word: String) throws {
    let predicate = try FetchPredicate(parsing: format)
    let error = try #require(throws: PerennialError.self) {
      try predicate.evaluate(with: Self.object)
    }
    #expect(error.code == .predicateEvaluation || error.code == .typeMismatch)
    #expect(error.message.contains(word), "\(error)")
  }

  @Test func `trees that no format makes are errors and not crashes`() throws {
    func right(_ node: ExpressionNode) -> FetchPredicate {
      FetchPredicate(.comparison(Comparison(.constant(.integer(1)), .equal, node)))
    }
    let one = ExpressionNode.constant(.integer(1))
    for (function, nodes) in [
      (.sqrt, [one, one]), (.add, [one]), (.abs, [one, one, one]), (.uppercase, []),
    ] as [(PredicateFunction, [ExpressionNode])] {
      let error = try #require(throws: PerennialError.self) {
        try right(.function(function, nodes)).evaluate(with: ["a": 1])
      }
      #expect(error.code == .typeMismatch)
      #expect(error.message.contains(function.rawValue), "\(error)")
    }
    #expect(try !right(.function(.noindex, [])).evaluate(with: ["a": 1]))
    var condition = PredicateNode.constant(true)
    var value = one
    for _ in 0..<300 {
      condition = .not(condition)
      value = .function(.abs, [value])
    }
    for predicate in [FetchPredicate(condition), right(value)] {
      let error = try #require(throws: PerennialError.self) { try predicate.checked() }
      #expect(error.message.hasPrefix("the predicate is nested more than 200 levels deep"))
    }
  }

  @Test func `equal sets are equal, wherever their members lie`() throws {
    let names = Set((1...20).map { "n\($0)" })
    let pairs = Set(names.map { [$0: 1] })
    // The room of a set decides where its members lie.
    var spreadNames = Set<String>(minimumCapacity: 1_000)
    spreadNames.formUnion(names)
    var spreadPairs = Set<[String: Int]>(minimumCapacity: 1_000)
    spreadPairs.formUnion(pairs)
    let object: [String: any Sendable] = [
      "names": names, "spreadNames": spreadNames, "pairs": pairs, "spreadPairs": spreadPairs,
    ]
    for predicate in [
      "names == spreadNames", "pairs == spreadPairs", "names == \(names)",
      "spreadNames == \(names)",
    ] as [FetchPredicate] {
      #expect(try predicate.evaluate(with: object), "\(predicate)")
    }
  }

  @Test func `what no predicate can test is refused by its type`() throws {
    struct Strange: Sendable {}
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(parsing: "a == 1").evaluate(with: ["a": Strange()])
    }
    #expect(error.code == .typeMismatch)
    #expect(error.message.contains("'Strange'"))
  }

  @Test func `predicates are equal by their trees, or by their errors`() {
    let wrong = FetchPredicate(format: "a ==")
    #expect(wrong == FetchPredicate(format: "a =="))
    #expect(wrong != FetchPredicate(format: "b !="))
    #expect(wrong != FetchPredicate(format: "a == 1"))
    #expect(wrong.hashValue == FetchPredicate(format: "a ==").hashValue)
    #expect(wrong.withSubstitutionVariables(["x": 1]) == wrong)
    #expect(PredicateNode.conjunction([]) == .constant(true))
    #expect(PredicateNode.disjunction([]) == .constant(false))
    #expect(PredicateNode.disjunction([.constant(true)]) == .constant(true))
    #expect(PredicateNode.and([]).depth() == 1)
  }

  @Test(arguments: [
    ("TRUEPREDICATE OR NOT a == $x", ["x"]), ("{1, $a}[$i] == 1", ["a", "i"]),
    ("a[FIRST] == $y", ["y"]), ("TERNARY($t == 1, $u, $v) == 1", ["t", "u", "v"]),
    ("CAST($x, 'NSString') == 'a'", ["x"]),
    ("SUBQUERY(a, $x, $x == $y).@count == 1", ["y"]),
  ])
  func `variables without a value are found everywhere`(_ format: String, _ names: [String]) throws
  {
    let predicate = try FetchPredicate(parsing: format)
    for name in names {
      let others = Dictionary(uniqueKeysWithValues: names.filter { $0 != name }.map { ($0, 1) })
      let error = try #require(throws: PerennialError.self) {
        try predicate.withSubstitutionVariables(others).checkVariables()
      }
      #expect(error.message.contains(name), "\(error)")
    }
    let all = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
    #expect(throws: Never.self) { try predicate.withSubstitutionVariables(all).checkVariables() }
  }

  @Test(arguments: [
    ("TRUEPREDICATE AND NOT x == 1", "TRUEPREDICATE AND NOT y == 1"),
    ("a IN {x, 1}", "a IN {y, 1}"),
    ("a[x] == 1", "a[y] == 1"), ("x[LAST] == 1", "y[LAST] == 1"),
    ("SUBQUERY(x, $e, x == 1).@count == 1", "SUBQUERY(y, $e, x == 1).@count == 1"),
    ("TERNARY(x == 1, x, 2) == 1 OR abs(x) == 1", "TERNARY(y == 1, y, 2) == 1 OR abs(y) == 1"),
    ("CAST(x, 'NSString') == 'a'", "CAST(y, 'NSString') == 'a'"),
  ])
  func `parts are replaced everywhere but in conditions of subqueries`(
    _ format: String,
    _ expected: String
  ) throws {
    let node = try FetchPredicate(parsing: format).checked()
    let mapped = node.mapping { $0 == .path("x") ? .path("y") : nil }
    #expect(
      FetchPredicate(mapped).description == (try FetchPredicate(parsing: expected)).description
    )
    #expect(!node.operands.isEmpty)
    #expect(PredicateNode.not(.constant(true)).operands.isEmpty)
  }

  @Test func `object IDs are sorted by key and then by entity`() throws {
    let owner = UUID()
    func id(_ entity: String, _ key: Int64) -> PropertyValue {
      .objectID(ManagedObjectID(entityName: entity, owner: owner, key: key))
    }
    let sort = FetchSort("id")
    #expect(sort.order(id("A", 1), id("A", 2)) < 0)
    #expect(sort.order(id("B", 3), id("A", 2)) > 0)
    #expect(sort.order(id("A", 2), id("B", 2)) < 0)
    #expect(sort.order(id("A", 2), id("A", 2)) == 0)
    #expect(FetchSort("id", ascending: false).order(id("A", 1), id("A", 2)) > 0)
  }

  @Test func `what is no number stands before all numbers`() {
    let sort = FetchSort("x")
    let strange = Date(timeIntervalSinceReferenceDate: .nan)
    let date = Date(timeIntervalSinceReferenceDate: -.infinity)
    #expect(sort.order(.date(strange), .date(date)) < 0)
    #expect(sort.order(.date(date), .date(strange)) > 0)
    #expect(sort.order(.date(strange), .date(strange)) == 0)
    #expect(sort.order(.decimal(.nan), .decimal(-1)) < 0)
    #expect(sort.order(.double(.nan), .double(.nan)) == 0)
  }
}
