// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// A query for rows by the value of one attribute: `sha == %@` or `sha IN %@`.
///
/// It is the query that runs in loops and in every upsert, so it has a kept statement of its own
/// and no translation. Its answer is the translator's.
struct KeyLookUp {
  let slot: Int
  /// The values; at least one, and one alone for `==`.
  let values: [SQLValue]

  /// The look-up that a query is, or `nil` when it is something else.
  init?(_ query: StoreQuery, node: PredicateNode, schema: StoreSchema) {
    guard case .all = query.scope, query.sorts.isEmpty, query.offset == 0,
      case .comparison(let comparison) = node, comparison.modifier == .direct,
      comparison.options.isEmpty, case .keyPath(.object, let steps) = comparison.left,
      steps.count == 1
    else { return nil }
    let entity = schema.model.entities[query.entity]
    guard let slot = entity.slot(named: steps[0]),
      let kind = schema.kind(of: slot, in: query.entity), kind == .text || kind == .integer,
      let type = entity.slots[slot].attributeType, type != .url
    else { return nil }
    switch (comparison.comparator, comparison.right) {
    case (.equal, let right):
      guard let value = Self.value(of: right, kind) else { return nil }
      values = [value]
    case (.isIn, .list(let nodes)) where query.limit == 0 && !nodes.isEmpty:
      var values: [SQLValue] = []
      values.reserveCapacity(nodes.count)
      for node in nodes {
        guard let value = Self.value(of: node, kind) else { return nil }
        values.append(value)
      }
      self.values = values
    default: return nil
    }
    self.slot = slot
  }

  private static func value(of node: ExpressionNode, _ kind: ColumnKind) -> SQLValue? {
    switch node {
    case .constant(.string(let text)) where kind == .text: .text(text)
    case .constant(.integer(let number)) where kind == .integer: .integer(number)
    default: nil
    }
  }

  /// The condition for so many values.
  static func condition(_ column: String, count: Int) -> ConditionSQL {
    let marks = repeatElement("?", count: count).joined(separator: ", ")
    return ConditionSQL(
      sql: count == 1 ? "t0.\(column) = ?" : "t0.\(column) IN (\(marks))",
      bindings: [],
      residual: nil
    )
  }
}
