// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// A view of a to-many relationship, whatever its elements.
protocol ToManyView {
  /// What one of the view's key paths asks for.
  static func member(_ keyPath: AnyKeyPath) -> TranslatedProperty.Member?
}

extension ToMany: ToManyView {
  static func member(_ keyPath: AnyKeyPath) -> TranslatedProperty.Member? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    default: nil
    }
  }
}

extension OrderedToMany: ToManyView {
  static func member(_ keyPath: AnyKeyPath) -> TranslatedProperty.Member? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    case \Self.first: .first
    case \Self.last: .last
    default: nil
    }
  }
}

/// What a sequence in a `#Predicate` is.
enum CollectionKind {
  case text
  /// The objects of a relationship, or some of them.
  case objects
  /// Values that the predicate has captured.
  case captured([ExpressionNode])

  /// The kind of a sequence by its type and what it has become.
  ///
  /// An array that is an attribute is stored as JSON: no store can look into it.
  init(_ type: Any.Type, _ value: ExpressionNode) throws(UntranslatablePredicate) {
    switch value {
    case .list(let elements): self = .captured(elements)
    case .subquery: self = .objects
    default:
      if type == String.self || type == Substring.self {
        self = .text
      } else if type is any ToManyView.Type {
        self = .objects
      } else {
        throw UntranslatablePredicate(
          "a look into a value of the type '\(type)'",
          recovery: "keep what is looked for in an attribute or a relationship of its own, "
            + "or filter the objects after the fetch."
        )
      }
    }
  }

  /// Checks that the elements of a sequence can be asked for.
  static func check(_ type: Any.Type, _ value: ExpressionNode) throws(UntranslatablePredicate) {
    _ = try CollectionKind(type, value)
  }
}
