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
  /// What the attribute is compared with.
  enum Condition {
    case value(SQLValue)
    /// At least one value.
    case list([SQLValue])
  }

  let slot: Int
  let condition: Condition

  /// The look-up that a query is, or `nil` when it is something else.
  init?(_ query: StoreQuery, schema: StoreSchema) throws(PerennialError) {
    guard case .all = query.scope, query.sorts.isEmpty, query.offset == 0 else { return nil }
    guard case .comparison(let comparison)? = try query.predicate?.checked() else { return nil }
    if let slot = query.lookUpSlot {
      guard case .constant(let constant) = comparison.right,
        let kind = Self.kind(of: slot, query, schema), let value = Self.value(of: constant, kind)
      else { return nil }
      self.slot = slot
      condition = .value(value)
      return
    }
    guard query.limit == 0, comparison.comparator == .isIn, comparison.modifier == .direct,
      comparison.options.isEmpty,
      case .keyPath(.object, let steps) = comparison.left, steps.count == 1,
      case .list(let nodes) = comparison.right, !nodes.isEmpty,
      let slot = schema.model.entities[query.entity].slot(named: steps[0]),
      let kind = Self.kind(of: slot, query, schema)
    else { return nil }
    var values: [SQLValue] = []
    values.reserveCapacity(nodes.count)
    for node in nodes {
      guard case .constant(let constant) = node, let value = Self.value(of: constant, kind) else {
        return nil
      }
      values.append(value)
    }
    self.slot = slot
    condition = .list(values)
  }

  /// The kind of a column whose values are compared as they are stored.
  private static func kind(of slot: Int, _ query: StoreQuery, _ schema: StoreSchema) -> ColumnKind?
  {
    guard let kind = schema.kind(of: slot, in: query.entity), kind == .text || kind == .integer,
      let type = schema.model.entities[query.entity].slots[slot].attributeType, type != .url
    else { return nil }
    return kind
  }

  private static func value(of constant: PropertyValue, _ kind: ColumnKind) -> SQLValue? {
    switch constant {
    case .string(let text) where kind == .text: .text(text)
    case .integer(let number) where kind == .integer: .integer(number)
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
