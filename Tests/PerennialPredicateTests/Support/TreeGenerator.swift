// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import RandomTesting

/// Makes random trees as the parser and the typed builders make them.
struct TreeGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func element<Element>(of values: [Element]) -> Element {
    values[pick(values.count)]
  }

  // MARK: Conditions

  mutating func predicate(depth: Int) -> PredicateNode {
    switch depth > 0 ? pick(6) : 5 {
    case 0: .constant(pick(2) == 0)
    case 1: .conjunction(predicates(depth: depth - 1))
    case 2: .disjunction(predicates(depth: depth - 1))
    case 3: .not(predicate(depth: depth - 1))
    default: .comparison(comparison(depth: depth - 1))
    }
  }

  private mutating func predicates(depth: Int) -> [PredicateNode] {
    (0..<(2 + pick(3))).map { _ in predicate(depth: depth) }
  }

  private mutating func comparison(depth: Int) -> Comparison {
    Comparison(
      expression(depth: depth),
      element(of: Comparison.Operator.allCases),
      expression(depth: depth),
      options: StringComparisonOptions(rawValue: UInt8(pick(32))),
      modifier: element(of: Comparison.Modifier.allCases)
    )
  }

  // MARK: Values

  mutating func expression(depth: Int) -> ExpressionNode {
    switch depth > 0 ? pick(12) : pick(4) {
    case 0: .constant(constant())
    case 1: .object
    case 2: .variable(element(of: ["x", "NAME", "_l1"]))
    case 3: .object.appending(steps())
    case 4: .list((0..<pick(4)).map { _ in expression(depth: depth - 1) })
    case 5: root(depth: depth - 1).appending(steps())
    case 6: aggregate(depth: depth - 1)
    case 7: .index(expression(depth: depth - 1), index(depth: depth - 1))
    case 8: function(depth: depth - 1)
    case 9:
      .subquery(expression(depth: depth - 1), "x", predicate(depth: depth - 1))
    case 10:
      .ternary(
        predicate(depth: depth - 1),
        expression(depth: depth - 1),
        expression(depth: depth - 1)
      )
    default: expression(depth: depth - 1).casting(to: element(of: CastType.allCases))
    }
  }

  private mutating func root(depth: Int) -> ExpressionNode { expression(depth: depth) }

  private mutating func steps() -> [String] {
    let names = [
      "name", "first", "SELF", "self", "héllo", "a b", "$x", "1st", "@count", "in", "", "é\"",
      "UTI",
    ]
    return (0...pick(3)).map { _ in element(of: names) }
  }

  private mutating func aggregate(depth: Int) -> ExpressionNode {
    let operation = element(of: CollectionOperator.allCases)
    let key: ExpressionNode =
      operation == .count || pick(2) == 0 ? .object : .object.appending(steps())
    return .aggregate(expression(depth: depth), operation, key)
  }

  private mutating func index(depth: Int) -> CollectionIndex {
    element(of: [.first, .last, .size, .element(expression(depth: depth))])
  }

  private mutating func function(depth: Int) -> ExpressionNode {
    let function = element(of: PredicateFunction.allCases)
    switch function {
    case .negate: return expression(depth: depth).negated
    case .now, .random: return .function(function, [])
    case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr,
      .bitwiseXor, .leftShift, .rightShift:
      return .function(function, [expression(depth: depth), expression(depth: depth)])
    default: return .function(function, [expression(depth: depth)])
    }
  }

  // MARK: Constants

  private mutating func constant() -> PropertyValue {
    switch pick(11) {
    case 0: .null
    case 1: .boolean(pick(2) == 0)
    case 2: .integer(element(of: [0, 1, -1, .max, .min, 42]))
    case 3: .integer(Int64(truncatingIfNeeded: random.next()))
    case 4: .double(double())
    case 5: .decimal(element(of: [0, Decimal(string: "-12.345678901234567890123") ?? 1, 5]))
    case 6: .date(Date(timeIntervalSinceReferenceDate: Double(pick(1_000_000)) / 7))
    case 7: .data(Data((0..<pick(20)).map { UInt8($0 * 13 & 255) }))
    case 8: .uuid(UUID())
    case 9:
      .objectID(ManagedObjectID(entityName: "Commit", owner: UUID(), key: pick(2) == 0 ? 7 : -3))
    default: .string(text())
    }
  }

  private mutating func double() -> Double {
    let value = Double(bitPattern: random.next())
    return value.isNaN ? .infinity : value
  }

  mutating func text() -> String {
    let parts = [
      "a", "B", "'", "\"", "\\", "\n", "\0", "é", "e\u{301}", "%@", "$x", "😀", "\u{7F}", "*",
    ]
    return (0..<pick(6)).map { _ in element(of: parts) }.joined()
  }
}
