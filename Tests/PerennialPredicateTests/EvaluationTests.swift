// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Evaluation in memory")
struct EvaluationTests {
  private struct Source: KeyValueSource, Sendable {
    var identity: ManagedObjectID?
    var values: [String: PropertyValue] = [:]

    func value(forKey key: String) throws(PerennialError) -> EvaluationValue {
      guard let value = values[key] else {
        throw PerennialError(.unknownName, "no property '\(key)'")
      }
      return EvaluationValue(value)
    }
  }

  private static let object: [String: (any Sendable)?] = [
    "big": Int64(9_007_199_254_740_993), "name": "Ada", "gone": nil,
    "price": Decimal(string: "0.1"),
    "numbers": [3, 1, 2, 2], "empty": [Int](), "date": Date(timeIntervalSinceReferenceDate: 100),
    "decomposed": "e\u{301}", "composed": "é", "nul": "a\0b", "inf": Double.infinity,
    "people": [["age": 12, "pets": ["Rex", "Tom"]], ["age": 30, "pets": [String]()]]
      as [[String: any Sendable]],
    "max": Int64.max, "min": Int64.min, "text": "a\nb", "star": "a*b", "data": Data([1, 2, 3]),
  ]

  @Test(arguments: [
    ("big == 9007199254740992.0", false), ("big > 9007199254740992.0", true),
    ("max < 9223372036854775808.0", true), ("price == 0.1", true), ("price < 0.2", true),
    ("1 == TRUE", true), ("-0.0 == 0", true), ("inf > max", true),
    ("composed == decomposed", false), ("composed ==[d] decomposed", true),
    ("composed ==[c] decomposed", false), ("composed ==[c] 'É'", true),
    ("nul == 'a\\x00b'", true), ("nul LIKE 'a?b'", true), ("nul ENDSWITH 'b'", true),
    ("nul ENDSWITH[c] 'B'", true), ("nul CONTAINS 'c'", false),
    ("composed LIKE '?'", true), ("decomposed LIKE '?'", false), ("decomposed LIKE '??'", true),
    ("star LIKE 'a\\\\*b'", true), ("name LIKE 'A\\\\*'", false), ("name LIKE '*d*a'", true),
    ("name LIKE 'A'", false), ("name LIKE[c] 'a*'", true), ("text MATCHES 'a.b'", true),
    ("name MATCHES 'A|Ad'", false), ("name MATCHES 'A|Ada'", true),
    ("composed MATCHES[cd] 'E'", true),
    // Whichever of both patterns is kept, the other one is another.
    ("decomposed MATCHES '\\u00E9' OR decomposed MATCHES 'e\\u0301'", true),
    ("composed MATCHES 'e\\u0301' OR composed MATCHES '\\u00E9'", true),
    ("gone == gone", true), ("gone <= nil", true), ("gone < nil", false), ("gone != 1", true),
    ("NOT gone > 1", true), ("gone LIKE nil", true), ("gone CONTAINS nil", false),
    ("gone IN {nil}", true), ("gone IN 'abc'", false), ("name < 5", false), ("name == 5", false),
    ("name IN 'xAday'", true), ("name BETWEEN {'A', 'B'}", true), ("gone BETWEEN {1, 2}", false),
    ("ANY missing == 1", false), ("ALL missing == 1", true), ("NONE missing == 1", true),
    ("missing.@count == nil", true), ("ANY people.pets == 'Tom'", true),
    ("ALL people.age > 10", true), ("people.@sum.age == 42", true), ("people.@avg.age == 21", true),
    ("people.@sum.pets.@count == 2", true), ("people.pets.@count == 2", true),
    ("empty.@sum == 0", true), ("empty.@max == nil", true), ("empty.@avg == nil", true),
    ("numbers.@distinctUnionOfObjects.#self.@count == nil", false),
    ("numbers.@max.#self == 3", true), ("median(numbers) == 2", true), ("mode(numbers) == 2", true),
    ("average(numbers) == 2", true), ("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", true),
    ("numbers[0] == 3", true), ("numbers[LAST] == 2", true), ("numbers[SIZE] == 4", true),
    ("empty[FIRST] == nil", true), ("7 / 2 == 3", true), ("-7 / 2 == -3", true),
    ("7 / 2.0 == 3.5", true),
    ("2 ** -1 == 0.5", true), ("4 + 5 - 2**3 == 1", true), ("gone + 1 == nil", true),
    ("modulus:by:(7, 3) == 1", true), ("leftshift:by:(1, 4) == 16", true),
    ("onesComplement:(0) == -1", true), ("FUNCTION(7, 'modulus:by:', 4) == 3", true),
    ("floor(-1.5) == -2", true), ("ceiling(1.2) == 2", true), ("trunc(-1.5) == -1", true),
    ("log(100) == 2", true), ("exp(0) == 1", true), ("abs(-3) == 3", true), ("ln(1) == 0", true),
    ("CAST(date, 'NSNumber') == 100", true), ("now() > date", true), ("length(name) == 3", true),
    ("random() >= 0", true), ("randomn(5) < 5", true), ("name.length == 3", true),
    ("data == CAST('AQID', 'NSData')", true), ("date == CAST('100', 'NSDate')", true),
    ("date == CAST('2001-01-01T00:01:40Z', 'NSDate')", true),
    ("date == CAST('2001-01-01T00:01:40.000Z', 'NSDate')", true),
    ("date == CAST('2001-01-01T02:01:40+02:00', 'NSDate')", true),
    ("date == CAST('2001-01-01T02:01:40.000+02:00', 'NSDate')", true),
    ("date > CAST('2001-01-01', 'NSDate')", true), ("date < CAST('2001-01-02', 'NSDate')", true),
    ("SUBQUERY(people, $p, $p.age > 20).@count == 1", true),
    (
      "SUBQUERY(people, $p, SUBQUERY($p.pets, $q, $q == 'Tom' AND $p.age < 20).@count > 0).@count == 1",
      true
    ),
  ])
  func `a format has an answer`(_ format: String, _ expected: Bool) throws {
    #expect(try FetchPredicate(parsing: format).evaluate(with: Self.object) == expected)
  }

  @Test(arguments: [
    "1 / 0 == 1", "1.0 / 0 == 1", "modulus:by:(1, 0) == 1", "max + 1 == 1", "min - 1 == 1",
    "min / -1 == 1", "abs(min) == 1", "-min == 1", "max * 2 == 1", "10 ** 30 == 1",
    "sum({max, 1}) == 1",
    "name + 1 == 2", "name MATCHES '['", "name MATCHES 'a)|(b'", "numbers[9] == 1",
    "numbers[-1] == 1",
    "name BETWEEN {1}", "1 IN 5", "ANY name == 'A'", "name.age == 1", "$x == 1", "1.5 & 1 == 1",
    "CAST('x', 'NSNumber') == 1", "date > CAST('yesterday', 'NSDate')",
    "numbers.@sum.a == 1", "people.@max.pets.@count.a == 1",
    "randomn(0) == 1", "uppercase(1) == 'a'", "sum({'a'}) == 1",
  ])
  func `a format that does not fit is an error`(_ format: String) throws {
    let predicate = try FetchPredicate(parsing: format)
    #expect(throws: PerennialError.self) { try predicate.evaluate(with: Self.object) }
  }

  @Test
  func `a text for which a pattern needs too much memory is an error, not false`() throws {
    let predicate: FetchPredicate = "text MATCHES '(.|\\n)*b(.|\\n)*'"
    let text = String(repeating: "a", count: 149_999) + "b"
    let error = try #require(throws: PerennialError.self) {
      try predicate.evaluate(with: ["text": text])
    }
    #expect(error.code == .predicateEvaluation)
  }

  @Test
  func `objects are equal by their identity`() throws {
    let owner = UUID()
    let one = Source(identity: ManagedObjectID(entityName: "A", owner: owner, key: 1))
    let two = Source(identity: ManagedObjectID(entityName: "A", owner: owner, key: 2))
    let evaluator = PredicateEvaluator(
      .dictionary(["a": .object(one), "b": .object(one), "c": .object(two)])
    )
    #expect(try evaluator.evaluate(FetchPredicate(format: "a == b").checked()))
    #expect(try !evaluator.evaluate(FetchPredicate(format: "a == c").checked()))
    #expect(try evaluator.evaluate(FetchPredicate(format: "a == %@", one.identity).checked()))
    #expect(try evaluator.evaluate(FetchPredicate(format: "c IN %@", [two.identity]).checked()))
  }

  @Test
  func `what an object throws is passed on`() throws {
    let evaluator = PredicateEvaluator(.object(Source()))
    let error = try #require(throws: PerennialError.self) {
      try evaluator.evaluate(FetchPredicate(format: "nam == 1").checked())
    }
    #expect(error.code == .unknownName)
  }

  @Test
  func `later conditions are not evaluated when an earlier one decides`() throws {
    #expect(try !FetchPredicate(format: "1 == 2 AND 1 / 0 == 1").evaluate(with: nil))
    #expect(try FetchPredicate(format: "1 == 1 OR 1 / 0 == 1").evaluate(with: nil))
  }
}
