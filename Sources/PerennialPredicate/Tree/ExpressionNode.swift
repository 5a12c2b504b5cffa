// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A value in a predicate: a constant, a key path, or something computed from others.
package indirect enum ExpressionNode: Sendable, Hashable, Codable {
  /// A fixed value.
  case constant(PropertyValue)
  /// Several values: `{1, 2, 3}`.
  case list([ExpressionNode])
  /// The object that is tested: `SELF`.
  case object
  /// A value named from outside or by a subquery, without its dollar sign.
  case variable(String)
  /// The value reached from a root through one or more keys. The root is never a key path itself.
  case keyPath(ExpressionNode, [String])
  /// A collection, what is asked of it, and the value of an element (`SELF` is the element).
  case aggregate(ExpressionNode, CollectionOperator, ExpressionNode)
  /// An element of an ordered collection, or its size.
  case index(ExpressionNode, CollectionIndex)
  /// A function of the fixed table, or an arithmetic operation.
  case function(PredicateFunction, [ExpressionNode])
  /// The elements of a collection that satisfy a condition on a variable.
  case subquery(ExpressionNode, String, PredicateNode)
  /// One of two values, by a condition.
  case ternary(PredicateNode, ExpressionNode, ExpressionNode)
  /// A value converted to another type.
  case cast(ExpressionNode, CastType)

  /// The absent value.
  package static let null = ExpressionNode.constant(.null)

  /// The value at a key path of the tested object.
  package static func path(_ steps: String...) -> ExpressionNode { object.appending(steps) }
}

extension ExpressionNode {
  /// This value's value for further keys, as one key path.
  package func appending(_ steps: [String]) -> ExpressionNode {
    guard !steps.isEmpty else { return self }
    if case .keyPath(let root, let first) = self { return .keyPath(root, first + steps) }
    return .keyPath(self, steps)
  }

  /// This value converted; constants are converted at once.
  package func casting(to type: CastType) -> ExpressionNode {
    guard case .constant(let value) = self, let converted = type.convert(value) else {
      return .cast(self, type)
    }
    return .constant(converted)
  }

  /// This value with the opposite sign; constants are negated at once.
  package var negated: ExpressionNode {
    switch self {
    case .constant(.integer(let value)) where value != .min: .constant(.integer(-value))
    case .constant(.double(let value)): .constant(.double(-value))
    default: .function(.negate, [self])
    }
  }
}

/// Which part of an ordered collection is meant: `tracks[0]`, `tracks[FIRST]`, `tracks[SIZE]`.
package indirect enum CollectionIndex: Sendable, Hashable, Codable {
  /// The first element, nil when there is none.
  case first
  /// The last element, nil when there is none.
  case last
  /// The number of elements.
  case size
  /// The element at a position from 0, or a dictionary's value for a key.
  case element(ExpressionNode)
}

/// What is asked of a collection in a key path: `commits.@count`.
package enum CollectionOperator: String, Sendable, Hashable, Codable, CaseIterable {
  /// The number of elements.
  case count = "@count"
  /// The sum; 0 for none.
  case sum = "@sum"
  /// The least value; nil for none.
  case min = "@min"
  /// The greatest value; nil for none.
  case max = "@max"
  /// The mean; nil for none.
  case average = "@avg"
  /// The values of all elements.
  case unionOfObjects = "@unionOfObjects"
  /// The values of all elements, each once.
  case distinctUnionOfObjects = "@distinctUnionOfObjects"

  /// Whether the answer is a collection, to which further operators apply.
  var isCollection: Bool { self == .unionOfObjects || self == .distinctUnionOfObjects }
}
