// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Conditions that indexes of texts narrow.
extension PredicateTranslator {
  /// The rows of `t0` that may satisfy a condition, or `nil` when no index knows.
  ///
  /// A conjunction is narrowed by what narrows one of its conditions, a disjunction when each of its
  /// conditions is.
  func candidates(_ node: PredicateNode, _ scope: Scope) -> ConditionText? {
    guard let textIndexes else { return nil }
    switch node {
    case .constant, .not: return nil
    case .and(let nodes):
      let found = nodes.compactMap { candidates($0, scope) }
      return found.isEmpty ? nil : .all(found, dialect)
    case .or(let nodes):
      let found = nodes.compactMap { candidates($0, scope) }
      return found.count == nodes.count ? .any(found, dialect) : nil
    case .comparison(let comparison): return candidates(comparison, scope, textIndexes)
    }
  }

  private func candidates(
    _ comparison: Comparison,
    _ scope: Scope,
    _ indexes: any TextIndexes
  ) -> ConditionText? {
    let row = scope.object
    guard comparison.modifier == .direct,
      comparison.comparator != .equal || !comparison.options.effective.isEmpty,
      case .constant(.string(let text)) = comparison.right.folded,
      case .keyPath(.object, let steps) = comparison.left.folded,
      case (.attribute(_, .string), steps.count)? = property(ArraySlice(steps), of: row),
      let slot = schema.model.entities[row.entity].slotsByName[steps.joined(separator: ".")],
      let column = schema.column(of: slot, in: row.entity)
    else { return nil }
    return indexes.candidates(
      column: column.name,
      of: schema.table(of: row.entity),
      alias: row.alias,
      comparison.comparator,
      text,
      comparison.options
    )
  }
}
