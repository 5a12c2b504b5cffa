// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// Turns sorts into the terms of ORDER BY.
///
/// Absent values come first ascending and last descending, as SQLite has it. Equal rows are in the
/// order of their keys, falling where the last sort falls, as in every store: so an index on the
/// sorted columns gives them in either direction.
struct SortTranslator {
  let schema: StoreSchema
  let store: UUID

  /// The terms over `t0`, or `nil` when a key is not stored.
  func terms(for sorts: [FetchSort], entity: Int) -> [String]? {
    var translator = PredicateTranslator(schema: schema, store: store)
    let scope = PredicateTranslator.Scope(object: .init(entity: entity, alias: "t0"))
    var terms: [String] = []
    for sort in sorts {
      let path = ExpressionNode.object.appending(sort.steps)
      guard case .value(let text, let kind)? = translator.operand(path, scope), kind.isOrdered,
        text.bindings.isEmpty
      else { return nil }
      let collation = kind == .string ? sort.comparison.collationClause : ""
      terms.append(text.sql + collation + (sort.ascending ? "" : " DESC"))
    }
    return terms + [sorts.last?.ascending == false ? "t0.Z_PK DESC" : "t0.Z_PK"]
  }
}

extension FetchSort.Comparison {
  /// The name of the collation, registered on every connection; `nil` for SQLite's own order.
  var collation: String? {
    switch self {
    case .binary: nil
    case .caseInsensitive: "PN_CASE_INSENSITIVE"
    case .localized: "PN_LOCALIZED"
    case .localizedCaseInsensitive: "PN_LOCALIZED_CASE_INSENSITIVE"
    case .localizedStandard: "PN_LOCALIZED_STANDARD"
    }
  }

  var collationClause: String { collation.map { " COLLATE \($0)" } ?? "" }
}
