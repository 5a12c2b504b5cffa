// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Conditions made ready for many objects")
struct PreparedPredicateTests {
  /// Counts how often it is asked who it is.
  private final class Source: KeyValueSource {
    private let id: ManagedObjectID
    private(set) var askedCount = 0

    init(_ id: ManagedObjectID) { self.id = id }

    var identity: ManagedObjectID? {
      askedCount += 1
      return id
    }

    func value(forKey key: String) throws(PerennialError) -> EvaluationValue { .null }
  }

  private static let owner = UUID()

  private static func id(_ key: Int64) -> ManagedObjectID {
    ManagedObjectID(entityName: "Author", owner: owner, key: key)
  }

  private func isIn(
    _ list: [PropertyValue],
    options: StringComparisonOptions = []
  ) -> PredicateNode {
    let elements = list.map { ExpressionNode.constant($0) }
    return .comparison(Comparison(.object, .isIn, .list(elements), options: options))
  }

  @Test func `a long list of objects is not gone through for each object`() throws {
    let listed = isIn((1...100).map { .objectID(Self.id($0)) })
    let prepared = PreparedPredicate(.and([.constant(true), .not(.not(listed))]))
    for key in [100, 101] as [Int64] {
      let source = Source(Self.id(key))
      let isListed = try prepared.evaluate(PredicateEvaluator(.object(source)))
      #expect(isListed == (key == 100))
      #expect(source.askedCount <= 2)
    }
  }

  private static let numbers: [PropertyValue] = (0..<10).map { .integer($0) }
  private static let texts: [PropertyValue] = (0..<10).map { .string("text \($0)") }
  private static let moments: [PropertyValue] = (0..<10).map {
    .date(Date(timeIntervalSinceReferenceDate: Double($0)))
  }
  private static let uuid = UUID()

  private static let lists: [[PropertyValue]] = [
    numbers, numbers + [.null], numbers + [.double(0.5)], numbers + [.boolean(true)],
    (0..<10).map { .double(Double($0) - 3) } + [.double(.nan), .double(-0.0)],
    (0..<10).map { .decimal(Decimal($0)) }, texts, texts + [.string("e\u{301}"), .null],
    texts + [.integer(3)], moments, (0..<10).map { _ in .uuid(UUID()) } + [.uuid(uuid)],
    (0..<10).map { .data(Data([$0])) }, (1...10).map { .objectID(id($0)) },
    Array(repeating: .null, count: 10), [], [.integer(3)],
  ]

  private static let scalars: [PropertyValue] = [
    .null, .integer(3), .integer(11), .double(3), .double(0.5), .double(.nan), .double(0),
    .boolean(true), .decimal(3), .string("text 3"), .string("TEXT 3"), .string("é"),
    .string("e\u{301}"), .date(Date(timeIntervalSinceReferenceDate: 3)), .uuid(uuid),
    .data(Data([3])), .objectID(id(3)), .objectID(id(11)),
  ]

  private var values: [EvaluationValue] {
    let objects = [Self.id(3), Self.id(11)].map { EvaluationValue.object(Source($0)) }
    return objects + [.list([.scalar(.integer(3))])] + Self.scalars.map { .scalar($0) }
  }

  @Test(arguments: lists.indices)
  func `answers are those of the evaluator`(_ index: Int) throws {
    for options in [[], .caseInsensitive] as [StringComparisonOptions] {
      let listed = isIn(Self.lists[index], options: options)
      let conditions: [PredicateNode] = [
        listed, .not(listed), .and([listed, .constant(true)]), .or([.constant(false), listed]),
      ]
      for condition in conditions {
        let prepared = PreparedPredicate(condition)
        for value in values {
          let evaluator = PredicateEvaluator(value)
          let expected = try evaluator.evaluate(condition)
          let answer = try prepared.evaluate(evaluator)
          #expect(answer == expected, "\(value) in \(Self.lists[index])")
        }
      }
    }
  }
}
