// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Comparisons that hold for no row, or fail with every one: errors before any row is looked at.
extension PredicateWalk {
  /// One side of a comparison and what it leads to.
  private struct Side {
    let node: ExpressionNode
    var type: PathType

    /// Whether it is a key path through a to-many relationship, or some of its objects.
    var isMany: Bool {
      guard case .many = type else { return false }
      switch node {
      case .keyPath, .subquery: return true
      default: return false
      }
    }

    /// Whether it is one value, or none.
    var isOne: Bool {
      if case .constant = node { return true }
      switch type {
      case .attribute, .objects, .identity: return true
      case .many, .unknown: return false
      }
    }

    /// Whether nothing can be in it: it is neither a collection, nor text, nor data.
    var isIndivisible: Bool {
      if case .constant(let value) = node {
        switch value {
        case .string, .data, .null: return false
        default: return true
        }
      }
      switch type {
      case .objects, .identity: return true
      case .many, .unknown: return false
      case .attribute(let slot):
        switch slot.attribute?.type {
        case .string, .binaryData, .transformable, .undefined, .composite, nil: return false
        default: return true
        }
      }
    }

    /// Whether it is kept as bytes, as a `Codable` value is too.
    var isData: Bool {
      guard case .attribute(let slot) = type else { return false }
      return slot.attributeType == .binaryData || slot.attributeType == .transformable
    }

    /// Whether it can be a part of bytes, as far as the model tells: bytes, or nothing.
    var canBeInData: Bool {
      if case .constant(let value) = node {
        switch value {
        case .data, .null: return true
        default: return false
        }
      }
      if case .attribute = type { return isData }
      return true
    }

    /// Its key path, or what stands for it in messages.
    var text: String {
      switch node {
      case .keyPath, .subquery: node.outline
      default: "a value"
      }
    }
  }

  mutating func visit(_ comparison: Comparison, scope: Scope) throws(PerennialError) {
    var left = Side(node: comparison.left, type: try type(of: comparison.left, scope: scope))
    if comparison.modifier != .direct {
      // `ANY` and its like look at each element.
      left.type = try Self.element(
        of: left.type,
        for: "the left side of \(comparison.modifier.rawValue)"
      )
    }
    if comparison.comparator == .between, case .list(let bounds) = comparison.right {
      guard bounds.count == 2 else { throw EvaluationError.rangeIsNoPair }
      for bound in bounds {
        let end = Side(node: bound, type: try type(of: bound, scope: scope))
        try Self.checkCount(comparison, left, end)
        try Self.checkOrder(comparison, left, end)
      }
      return
    }
    let right = Side(node: comparison.right, type: try type(of: comparison.right, scope: scope))
    try Self.checkCount(comparison, left, right)
    switch comparison.comparator {
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      try Self.checkOrder(comparison, left, right)
    case .between: if right.isOne { throw EvaluationError.rangeIsNoPair }
    case .isIn, .contains:
      let (part, whole) = comparison.comparator == .isIn ? (left, right) : (right, left)
      if whole.isIndivisible { throw EvaluationError.notACollection(for: "IN or CONTAINS") }
      try Self.checkData(comparison, part, in: whole)
    case .matches:
      if case .constant(.string(let pattern)) = comparison.right {
        _ = try PatternMatcher.matcher(for: pattern, comparison.options)
      }
    case .equal, .notEqual, .beginsWith, .endsWith, .like: return
    }
  }

  /// Several values are neither equal to one value nor ordered against it: somebody forgot `ANY`.
  private static func checkCount(
    _ comparison: Comparison,
    _ left: Side,
    _ right: Side
  ) throws(PerennialError) {
    let isLeft: Bool
    switch comparison.comparator {
    case .isIn where left.isMany: isLeft = true
    case .contains where right.isMany: isLeft = false
    case .isIn, .contains: return
    default:
      guard left.isMany && right.isOne || right.isMany && left.isOne else { return }
      isLeft = left.isMany
    }
    let path = (isLeft ? left : right).text
    let before =
      isLeft
      ? "write ANY, ALL or NONE before '\(path)'"
      : "write '\(path)' on the left, with ANY, ALL or NONE before it"
    throw PerennialError(
      .typeMismatch,
      "'\(path)' has many values, which are not compared with one: \(text(comparison)).",
      recovery: "\(before), or compare '\(path).@count'"
    )
  }

  /// Text is not ordered against numbers, nor does it lie between them.
  private static func checkOrder(
    _ comparison: Comparison,
    _ left: Side,
    _ right: Side
  ) throws(PerennialError) {
    guard let a = isText(left), let b = isText(right), a != b else { return }
    throw PerennialError(
      .typeMismatch,
      "Text cannot be ordered against a number or a date: \(text(comparison)).",
      recovery: "compare values of one type, or use CAST"
    )
  }

  /// Bytes contain bytes only: a `Codable` list is one value, whose elements nothing looks at.
  private static func checkData(
    _ comparison: Comparison,
    _ part: Side,
    in whole: Side
  ) throws(PerennialError) {
    guard whole.isData, !part.canBeInData else { return }
    throw PerennialError(
      .typeMismatch,
      "'\(whole.text)' is kept as bytes, which contain nothing but bytes: \(text(comparison)).",
      recovery: "keep what is searched for in a text or a to-many relationship, or filter in Swift"
    )
  }

  /// Whether an operand is text (`true`), a number or date (`false`), or neither (`nil`).
  private static func isText(_ side: Side) -> Bool? {
    if case .constant(let value) = side.node {
      switch value {
      case .string: return true
      case .integer, .double, .decimal, .boolean, .date: return false
      default: return nil
      }
    }
    guard case .attribute(let slot) = side.type, let attribute = slot.attribute else { return nil }
    switch attribute.type {
    case .string, .url: return true
    case .int16, .int32, .int64, .double, .float, .decimal, .bool, .date: return false
    default: return nil
    }
  }

  /// The comparison without its values.
  private static func text(_ comparison: Comparison) -> String {
    func side(_ node: ExpressionNode) -> String { Side(node: node, type: .unknown).text }
    return "\(side(comparison.left)) \(comparison.comparator.rawValue) \(side(comparison.right))"
  }
}
