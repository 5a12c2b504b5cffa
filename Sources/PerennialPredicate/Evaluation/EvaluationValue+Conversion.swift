// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension EvaluationValue {
  /// The value of anything that can be tested: what a predicate can hold, and dictionaries.
  ///
  /// - Throws: ``PerennialError`` with code `typeMismatch` naming a type that cannot be tested.
  init(converting value: Any?) throws(PerennialError) {
    guard let value = ArgumentConversion.unwrapped(value) else {
      self = .null
      return
    }
    switch value {
    case let value as EvaluationValue: self = value
    case let value as any KeyValueSource: self = .object(value)
    default:
      if let scalar = ArgumentConversion.scalar(value) {
        self.init(scalar)
      } else {
        try self.init(convertingCollection: value)
      }
    }
  }

  private init(convertingCollection value: Any) throws(PerennialError) {
    if let list = value as? [Any] {
      self = .list(try Self.converted(list))
    } else if let set = value as? Set<AnyHashable> {
      let members = try Self.converted(set.map(\.base))
      // As the members of an argument: equal sets are equal.
      self = .list(ArgumentConversion.sorted(members) { $0.written })
    } else if let dictionary = value as? [String: Any] {
      var values: [String: EvaluationValue] = [:]
      for (key, value) in dictionary { values[key] = try EvaluationValue(converting: value) }
      self = .dictionary(values)
    } else if let raw = value as? any RawRepresentable {
      try self.init(converting: Self.innermost(raw))
    } else if let view = value as? any PredicateListArgument {
      try self.init(converting: view.predicateMembers)
    } else if let collection = value as? any Collection,
      let first = ArgumentConversion.members(of: collection)
    {
      let members = try Self.converted(first)
      self = .list(
        ArgumentConversion.isOrdered(collection)
          ? members : ArgumentConversion.sorted(members) { $0.written }
      )
    } else {
      throw .untestable(value)
    }
  }

  /// What a raw value stands for; those that lie in each other without end have none.
  private static func innermost(_ raw: any RawRepresentable) throws(PerennialError) -> Any {
    var value: Any = raw.rawValue
    for _ in 0..<ArgumentConversion.maximumDepth {
      guard ArgumentConversion.scalar(value) == nil, let next = value as? any RawRepresentable
      else { return value }
      value = next.rawValue
    }
    throw .untestable(raw)
  }

  private static func converted(_ values: [Any]) throws(PerennialError) -> [EvaluationValue] {
    var converted: [EvaluationValue] = []
    converted.reserveCapacity(values.count)
    for value in values { converted.append(try EvaluationValue(converting: value)) }
    return converted
  }

  /// What decides about the value's place among the members of a set: how an argument is written.
  private var written: ExpressionNode {
    switch self {
    case .null: .null
    case .scalar(let value): .constant(value)
    case .list(let values): .list(values.map(\.written))
    case .dictionary(let values):
      .list(
        values.sorted { $0.key < $1.key }
          .flatMap { [ExpressionNode.constant(.string($0.key)), $0.value.written] }
      )
    case .object(let source): source.identity.map { .constant(.objectID($0)) } ?? .null
    }
  }
}

extension PerennialError {
  fileprivate static func untestable(_ value: Any) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "a predicate cannot test a value of the type '\(type(of: value))'",
      recovery: "pass a dictionary, a list, a string, number, date, UUID, URL or data."
    )
  }
}
