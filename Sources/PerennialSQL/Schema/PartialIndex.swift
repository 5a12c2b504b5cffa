// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// The condition of a partial index (SQLite and PostgreSQL: "Partial Indexes").
///
/// It may name the table's own columns and constants only: no parameter, no subquery and no function of
/// ours. A condition that needs one of these is left out, and the index covers all rows.
struct PartialIndex {
  private let schema: StoreSchema

  init(_ schema: StoreSchema) { self.schema = schema }

  /// The condition of an index of an entity in SQL; `nil` for none.
  func condition(of index: FetchIndexDescription, of entity: EntityLayout) -> String? {
    guard let text = index.partialIndexPredicate,
      let node = try? FetchPredicate(parsing: text).checked()
    else { return nil }
    var translator = PredicateTranslator(schema: schema, store: .indexOwner)
    let table = schema.table(of: entity.index)
    let scope = PredicateTranslator.Scope(object: .init(entity: entity.index, alias: table))
    guard let condition = translator.condition(node, scope),
      !condition.sql.contains("(SELECT"),
      schema.dialect.isIndexable(condition.sql)
    else { return nil }
    return Self.inlining(condition)
  }

  /// The condition with its values in place of the parameters.
  private static func inlining(_ condition: ConditionText) -> String? {
    let pieces = condition.sql.split(separator: "?", omittingEmptySubsequences: false)
    guard pieces.count == condition.bindings.count + 1 else { return nil }
    var sql = String(pieces[0])
    for (piece, value) in zip(pieces.dropFirst(), condition.bindings) {
      guard let literal = literal(value) else { return nil }
      sql += literal + piece
    }
    return sql
  }

  private static func literal(_ value: SQLValue) -> String? {
    switch value {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .double(let value): value.isFinite ? "\(value)" : nil
    case .text(let value):
      value.contains("\0") ? nil : "'" + value.escaping("'", with: "'") + "'"
    case .blob: nil
    }
  }
}

extension UUID {
  /// A store that no object ID of an index's condition belongs to.
  fileprivate static let indexOwner = UUID()
}
