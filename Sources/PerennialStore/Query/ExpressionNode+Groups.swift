// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

// Values of groups of rows.

extension PredicateFunction {
  /// Whether the function makes one value of several.
  package var isStatistic: Bool {
    switch self {
    case .count, .sum, .min, .max, .average, .median, .mode, .stddev: true
    default: false
    }
  }
}

extension ExpressionNode {
  /// Whether this is the list of an expression's values in all rows of a group.
  package var isGroupList: Bool {
    if case .aggregate(ProjectionQuery.groupRows, _, _) = self { true } else { false }
  }

  /// Whether rows of a group decide about the value.
  var hasGroupRows: Bool {
    if isGroupList { return true }
    return parts.contains(where: \.hasGroupRows)
  }

  /// The first part that may differ among rows of a group that have some values in common.
  func loosePart(_ groups: [ExpressionNode]) -> ExpressionNode? {
    if isGroupList || groups.contains(where: { decides($0) }) { return nil }
    switch self {
    case .object, .keyPath(.object, _): return self
    default: return parts.lazy.compactMap { $0.loosePart(groups) }.first
    }
  }

  /// Whether a value that rows have in common decides about this one.
  private func decides(_ common: ExpressionNode) -> Bool {
    if self == common { return true }
    guard case .keyPath(.object, let steps) = common else { return common == .object }
    if steps.count == 1, ReservedNames.isIdentity(steps[0]) { return true }
    guard case .keyPath(.object, let own) = self else { return false }
    return own.starts(with: steps)
  }

  /// The value as it was written: aggregates of an expression, not of a list of its values.
  var written: ExpressionNode {
    mapping { node in
      if case .aggregate(ProjectionQuery.groupRows, _, let value) = node { value } else { nil }
    }
  }

  /// The key path's text, if it is one.
  var pathText: String? {
    switch self {
    case .object: "SELF"
    case .keyPath(_, let steps): steps.joined(separator: ".")
    default: nil
    }
  }

  /// The values that this one is made of.
  private var parts: [ExpressionNode] {
    switch self {
    case .constant, .object, .variable: []
    case .list(let nodes), .function(_, let nodes): nodes
    case .keyPath(let root, _): [root]
    case .aggregate(let collection, _, _): [collection]
    case .index(let collection, .element(let position)): [collection, position]
    case .index(let collection, _): [collection]
    case .subquery(let collection, _, let condition): [collection] + condition.operands
    case .ternary(let condition, let first, let second): condition.operands + [first, second]
    case .cast(let node, _): [node]
    }
  }
}
