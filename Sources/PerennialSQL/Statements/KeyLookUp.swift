// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
package import PerennialStore

/// A query for the rows in which one attribute has a value of a list: `sha IN %@`.
///
/// It is the query of every upsert, so, as a look-up of one value, it has kept statements and no
/// translation. Its answer is the translator's.
package struct KeyLookUp: Sendable {
  package let slot: Int
  /// At least one value.
  package let values: [SQLValue]

  /// The look-up that a query is, or `nil` when it is something else.
  package init?(_ query: StoreQuery, schema: StoreSchema) throws(PerennialError) {
    guard case .all = query.scope, query.sorts.isEmpty, query.offset == 0, query.limit == 0,
      case .comparison(let comparison)? = try query.predicate?.checked(),
      comparison.comparator == .isIn, comparison.modifier == .direct, comparison.options.isEmpty,
      case .keyPath(.object, let steps) = comparison.left, steps.count == 1,
      case .list(let nodes) = comparison.right, !nodes.isEmpty,
      let slot = schema.model.entities[query.entity].slot(named: steps[0]),
      let kind = Self.kind(of: slot, in: query.entity, schema)
    else { return nil }
    var values: [SQLValue] = []
    values.reserveCapacity(nodes.count)
    for node in nodes {
      guard case .constant(let constant) = node, let value = Self.value(of: constant, kind, schema)
      else { return nil }
      values.append(value)
    }
    self.init(slot: slot, values: values)
  }

  private init(slot: Int, values: [SQLValue]) {
    self.slot = slot
    self.values = values
  }

  /// The look-up of several values, or `nil` when there is one, or one of them needs a translation.
  package init?(_ lookUp: LookUp, _ values: LookUp.Values, _ schema: StoreSchema) {
    guard case .several(let constants) = values,
      let kind = Self.kind(of: lookUp.slot, in: lookUp.entity, schema)
    else { return nil }
    var values: [SQLValue] = []
    values.reserveCapacity(constants.count)
    for constant in constants {
      guard let value = Self.value(of: constant, kind, schema) else { return nil }
      values.append(value)
    }
    self.init(slot: lookUp.slot, values: values)
  }

  /// The kind of a column whose values are compared as they are stored.
  private static func kind(
    of slot: Int,
    in entity: Int,
    _ schema: StoreSchema
  ) -> ColumnKind? {
    guard let kind = schema.kind(of: slot, in: entity), kind == .text || kind == .integer,
      let type = schema.model.entities[entity].slots[slot].attributeType, type != .url
    else { return nil }
    return kind
  }

  /// The only value that a look-up compares a column with, or `nil` when there are several, or it needs a translation.
  package static func onlyValue(
    of lookUp: LookUp,
    _ values: LookUp.Values,
    _ schema: StoreSchema
  ) -> SQLValue? {
    guard case .one(let constant) = values,
      let kind = kind(of: lookUp.slot, in: lookUp.entity, schema)
    else { return nil }
    return value(of: constant, kind, schema)
  }

  private static func value(
    of constant: PropertyValue,
    _ kind: ColumnKind,
    _ schema: StoreSchema
  ) -> SQLValue? {
    switch constant {
    case .string(let text) where kind == .text:
      schema.takesNUL || !text.containsNUL ? .text(text) : nil
    case .integer(let number) where kind == .integer: .integer(number)
    default: nil
    }
  }

  /// The condition for so many values.
  package static func condition(
    _ column: String,
    count: Int,
    _ dialect: any StatementDialect
  ) -> ConditionSQL {
    let sql = count == 1 ? "t0.\(column) = ?" : dialect.isAmong("t0.\(column)", parameters: count)
    return ConditionSQL(sql: sql)
  }
}
