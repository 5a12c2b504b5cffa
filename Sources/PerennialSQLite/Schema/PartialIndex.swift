// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL

/// The WHERE clause of a partial index (SQLite: "Partial Indexes").
///
/// The clause may name the table's own columns and constants only: no parameter, no subquery and no
/// function of ours. A condition that needs one of these is left out, and the index covers all rows.
struct PartialIndex {
  private let schema: StoreSchema

  init(_ schema: StoreSchema) { self.schema = schema }

  /// Parses the conditions of a model's indexes.
  ///
  /// - Throws: `invalidModel` for the first that does not parse.
  static func check(_ model: ModelLayout) throws(PerennialError) {
    for entity in model.entities {
      for index in entity.description.indexes {
        guard let text = index.partialIndexPredicate else { continue }
        do throws(PerennialError) {
          _ = try FetchPredicate(parsing: text).checked()
        } catch {
          throw .invalidModel(
            "The condition of the index '\(index.name)' of '\(entity.name)' is wrong: \(error.message)",
            error.recovery,
            entity: entity.name
          )
        }
      }
    }
  }

  /// The clause of an index of an entity, with a space in front; empty for none.
  func clause(_ index: FetchIndexDescription, of entity: EntityLayout) -> String {
    guard let text = index.partialIndexPredicate,
      let node = try? FetchPredicate(parsing: text).checked()
    else { return "" }
    var translator = PredicateTranslator(schema: schema, store: .indexOwner)
    let table = schema.table(of: entity.index)
    let scope = PredicateTranslator.Scope(object: .init(entity: entity.index, alias: table))
    guard let condition = translator.condition(node, scope),
      !condition.sql.contains("(SELECT"),
      !SQLFunction.allCases.contains(where: { condition.sql.contains($0.rawValue + "(") }),
      let sql = Self.inlining(condition)
    else { return "" }
    return " WHERE \(sql)"
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
      value.contains("\0") ? nil : "'" + value.replacing("'", with: "''") + "'"
    case .blob: nil
    }
  }
}

extension UUID {
  /// A store that no object ID of an index's condition belongs to.
  fileprivate static let indexOwner = UUID()
}
