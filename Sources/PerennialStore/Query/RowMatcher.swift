// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
package import PerennialPredicate

/// A condition on a row's own attributes, made ready so that a row is decided about in place.
///
/// It knows comparisons of an attribute with a constant or a list of them, and what AND, OR and NOT make
/// of them; its answers are the evaluator's (PREDICATES.md, A3), which decides about everything else.
package struct RowMatcher {
  /// Boxed only where it must be: most nodes are read for each row.
  private enum Node {
    case constant(Bool)
    case all([Node])
    case any([Node])
    indirect case not(Node)
    case isNull(slot: Int)
    case integer(slot: Int, Comparison.Operator, Int64)
    /// A double or a date.
    case double(slot: Int, Comparison.Operator, Double)
    case text(slot: Int, Comparison.Operator, [UInt8], StringComparisonOptions)
    /// An integer, or nil, among others.
    case integerIn(slot: Int, Set<PropertyValue>)
    /// A text, or nil, among others.
    case textIn(slot: Int, Set<PropertyValue>)
  }

  /// The place of the first entity of the family.
  private let first: Int
  /// The condition for rows of each entity of the family, in the order of their places.
  private let nodes: [Node]

  /// The matcher of a condition on rows of an entity and its subentities; `nil` when the evaluator has
  /// to decide.
  package init?(_ predicate: PredicateNode, of entity: EntityLayout, in model: ModelLayout) {
    var nodes: [Node] = []
    for index in entity.family {
      guard let node = Self.node(predicate, model.entities[index]) else { return nil }
      nodes.append(node)
    }
    first = entity.index
    self.nodes = nodes
  }

  /// Whether a row of the family satisfies the condition.
  package func matches(_ row: UnsafeRawPointer) -> Bool {
    Self.matches(row, nodes[PackedRow.entity(row) - first])
  }

  // MARK: Making ready

  private static func node(_ predicate: PredicateNode, _ entity: EntityLayout) -> Node? {
    switch predicate {
    case .constant(let value): return .constant(value)
    case .not(let inner): return node(inner, entity).map(Node.not)
    case .and(let inner): return self.nodes(inner, entity).map(Node.all)
    case .or(let inner): return self.nodes(inner, entity).map(Node.any)
    case .comparison(let comparison): return node(comparison, entity)
    }
  }

  private static func nodes(_ predicates: [PredicateNode], _ entity: EntityLayout) -> [Node]? {
    let nodes = predicates.compactMap { node($0, entity) }
    return nodes.count == predicates.count ? nodes : nil
  }

  private static func node(_ comparison: Comparison, _ entity: EntityLayout) -> Node? {
    guard comparison.modifier == .direct, case .keyPath(.object, let steps) = comparison.left,
      steps.count == 1, let slot = entity.slot(named: steps[0]),
      let type = entity.slots[slot].attributeType
    else { return nil }
    if case .list(let nodes) = comparison.right {
      guard comparison.comparator == .isIn, comparison.options.isEmpty else { return nil }
      return node(slot, type, in: nodes)
    }
    guard case .constant(let value) = comparison.right else { return nil }
    let comparator = comparison.comparator
    switch (type, value) {
    case (_, .null):
      guard comparator == .equal || comparator == .notEqual else { return nil }
      return comparator == .equal ? .isNull(slot: slot) : .not(.isNull(slot: slot))
    case (.int16, .integer(let number)), (.int32, .integer(let number)),
      (.int64, .integer(let number)):
      return comparator.isOrder ? .integer(slot: slot, comparator, number) : nil
    case (.double, .double(let number)):
      return comparator.isOrder ? .double(slot: slot, comparator, number) : nil
    case (.date, .date(let date)):
      guard comparator.isOrder else { return nil }
      return .double(slot: slot, comparator, date.timeIntervalSinceReferenceDate)
    case (.string, .string(let text)):
      guard comparator.isOrder || comparator.isAboutText else { return nil }
      return .text(slot: slot, comparator, Array(text.utf8), comparison.options)
    default: return nil
    }
  }

  /// Whether a value is in a list: of integers for an integer, of texts for a text, both with nil.
  private static func node(
    _ slot: Int,
    _ type: AttributeType,
    in nodes: [ExpressionNode]
  ) -> Node? {
    let isText = type == .string
    guard isText || type == .int16 || type == .int32 || type == .int64 else { return nil }
    var values: Set<PropertyValue> = []
    for node in nodes {
      switch node {
      case .constant(.string(let text)) where isText: values.insert(.string(text))
      case .constant(.integer(let number)) where !isText: values.insert(.integer(number))
      case .constant(.null): values.insert(.null)
      default: return nil
      }
    }
    return isText ? .textIn(slot: slot, values) : .integerIn(slot: slot, values)
  }

  // MARK: Deciding

  private static func matches(_ row: UnsafeRawPointer, _ node: Node) -> Bool {
    switch node {
    case .constant(let value): return value
    case .not(let node): return !matches(row, node)
    case .all(let nodes): return nodes.allSatisfy { matches(row, $0) }
    case .any(let nodes): return nodes.contains { matches(row, $0) }
    case .isNull(let slot): return PackedRow.isNull(row, slot)
    case .integer(let slot, let comparator, let number):
      if PackedRow.isNull(row, slot) { return comparator == .notEqual }
      let value = PackedRow.integer(row, slot)
      return comparator.holds(value < number ? -1 : value > number ? 1 : 0)
    case .double(let slot, let comparator, let number):
      if PackedRow.isNull(row, slot) { return comparator == .notEqual }
      return comparator.holds(order(PackedRow.double(row, slot), number))
    case .text(let slot, let comparator, let bytes, let options):
      if PackedRow.isNull(row, slot) { return comparator == .notEqual }
      // Safe because the buffers are used within the call only.
      return bytes.withUnsafeBufferPointer { part in
        PackedRow.bytes(row, slot).withMemoryRebound(to: UInt8.self) { text in
          matches(text, comparator, part, options)
        }
      }
    case .integerIn(let slot, let values):
      if PackedRow.isNull(row, slot) { return values.contains(.null) }
      return values.contains(.integer(PackedRow.integer(row, slot)))
    case .textIn(let slot, let values):
      if PackedRow.isNull(row, slot) { return values.contains(.null) }
      return values.contains(.string(String(decoding: PackedRow.bytes(row, slot), as: UTF8.self)))
    }
  }

  /// How two numbers are ordered; `nil` when one is not a number.
  private static func order(_ left: Double, _ right: Double) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  private static func matches(
    _ text: UnsafeBufferPointer<UInt8>,
    _ comparator: Comparison.Operator,
    _ part: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions
  ) -> Bool {
    switch comparator {
    case .contains: TextMatcher.contains(text, part, options)
    case .beginsWith: TextMatcher.hasPrefix(text, part, options)
    case .endsWith: TextMatcher.hasSuffix(text, part, options)
    case .like: TextMatcher.isLike(text, part, options)
    case .equal: TextMatcher.isEqual(text, part, options)
    case .notEqual: !TextMatcher.isEqual(text, part, options)
    default: comparator.holds(TextMatcher.order(text, part, options))
    }
  }
}

extension Comparison.Operator {
  /// Whether an order decides.
  fileprivate var isOrder: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  fileprivate var isAboutText: Bool {
    switch self {
    case .contains, .beginsWith, .endsWith, .like: true
    default: false
    }
  }

  /// Whether values in an order, or in none, satisfy the operator.
  fileprivate func holds(_ order: Int?) -> Bool {
    guard let order else { return self == .notEqual }
    return switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    default: false
    }
  }
}
