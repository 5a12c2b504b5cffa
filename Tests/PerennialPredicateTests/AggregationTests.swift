// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

@Suite("Distinct values and modes")
struct AggregationTests {
  private struct Source: KeyValueSource {
    let identity: ManagedObjectID?

    func value(forKey key: String) -> EvaluationValue { .null }
  }

  private static let distinct = ExpressionNode.aggregate(
    .path("all"),
    .distinctUnionOfObjects,
    .object
  )
  private static let mode = ExpressionNode.function(.mode, [.path("all")])

  private func evaluator(_ values: [EvaluationValue]) -> PredicateEvaluator {
    PredicateEvaluator(.dictionary(["all": .list(values)]))
  }

  /// What is made of some values, as a list.
  private func result(
    _ node: ExpressionNode,
    of values: [PropertyValue]
  ) throws -> [PropertyValue] {
    let value = try evaluator(values.map { EvaluationValue($0) }).value(of: node)
    guard case .list(let elements) = value else { return value.scalar.map { [$0] } ?? [] }
    return elements.compactMap(\.scalar)
  }

  @Test(
    arguments: [
      ([.integer(2), .integer(1), .integer(2)], [.integer(2), .integer(1)]),
      ([.boolean(true), .integer(1), .integer(0)], [.boolean(true), .integer(0)]),
      ([.double(0), .double(-0.0), .double(1)], [.double(0), .double(1)]),
      ([.integer(1), .double(1), .double(2), .integer(2)], [.integer(1), .double(2)]),
      ([.integer(1), .decimal(1), .double(1), .integer(3)], [.integer(1), .integer(3)]),
      ([.string("1"), .integer(1), .string("1"), .decimal(1)], [.string("1"), .integer(1)]),
      ([.null, .integer(1), .null], [.integer(1)]),
    ] as [([PropertyValue], [PropertyValue])]
  )
  func `the first of equal values is kept, whatever their types`(
    _ values: [PropertyValue],
    _ expected: [PropertyValue]
  ) throws {
    #expect(try result(Self.distinct, of: values) == expected)
  }

  @Test(
    arguments: [
      ([.integer(1), .integer(2), .integer(2)], [.integer(2)]),
      ([.integer(3), .integer(1), .integer(1), .integer(3)], [.integer(3), .integer(1)]),
      ([.integer(1), .double(2), .decimal(1), .double(2), .boolean(true)], [.integer(1)]),
      ([.double(0.5), .integer(1), .double(1)], [.integer(1)]),
      ([], []),
    ] as [([PropertyValue], [PropertyValue])]
  )
  func `the mode counts equal numbers together, whatever their types`(
    _ values: [PropertyValue],
    _ expected: [PropertyValue]
  ) throws {
    #expect(try result(Self.mode, of: values) == expected)
  }

  @Test func `what is not a number is equal to nothing`() throws {
    let values: [PropertyValue] = [.double(.nan), .double(1), .double(.nan), .double(1)]
    #expect(try result(Self.distinct, of: values).count == 3)
    #expect(try result(Self.mode, of: values) == [.double(1)])
  }

  @Test func `distinct values and modes take time in the number of values`() {
    func expectTime(_ node: ExpressionNode, of values: [EvaluationValue]) {
      func time(_ count: Int) -> Duration {
        let evaluator = evaluator(Array(values.prefix(count)))
        return ThreadTime.of { _ = try? evaluator.value(of: node) }
      }
      // A time that grows with the square would be 16 times as long.
      #expect(time(values.count) < time(values.count / 4) * 8 + .milliseconds(100))
    }
    let keys = 0..<Int64(12_000)
    let integers = keys.map { EvaluationValue.scalar(.integer($0)) }
    let doubles = keys.map { EvaluationValue.scalar(.double(Double($0))) }
    let owner = UUID()
    let objects = keys.map { key in
      let id = ManagedObjectID(entityName: "A", owner: owner, key: key)
      return EvaluationValue.object(Source(identity: id))
    }
    expectTime(Self.distinct, of: integers)
    expectTime(Self.distinct, of: doubles)
    expectTime(Self.distinct, of: objects)
    expectTime(Self.mode, of: integers)
    expectTime(Self.mode, of: doubles)
  }
}
