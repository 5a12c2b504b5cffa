// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
import PerennialModel
package import PerennialPredicate

/// Turns a predicate into the WHERE clause of a query.
///
/// The clause selects exactly the rows that evaluation in memory selects (PREDICATES.md, A3 and B2);
/// what SQL cannot say in just that way is left over. Invariants:
/// 1. Every `ConditionText` is true for a row exactly when the condition holds in memory.
/// 2. A function that returns `nil` has found something that cannot be said; nothing of it is used.
/// 3. Aliases are numbered through the whole clause: `t0` is the query's own table.
package struct PredicateTranslator {
  /// The row that `SELF`, or a variable, stands for.
  package struct Row {
    package let entity: Int
    /// The alias of the entity's table.
    package let alias: String

    package init(entity: Int, alias: String) {
      self.entity = entity
      self.alias = alias
    }
  }

  /// What names stand for at a place of the predicate.
  package struct Scope {
    var object: Row
    var variables: [String: Row] = [:]

    package init(object: Row) { self.object = object }
  }

  /// Whether NONE is translated as a join with the condition negated inside it, as Core Data does: an
  /// owner is kept as soon as one element fails the condition.
  ///
  /// Only the tests set it, to see that they would notice.
  @TaskLocal package static var negatesNoneInsideJoin = false

  let schema: StoreSchema
  /// The store's identifier: IDs of other stores are equal to nothing here.
  let store: UUID
  /// The indexes of texts that the store has.
  let textIndexes: (any TextIndexes)?
  private var aliasCount = 0

  /// A translator of one clause.
  ///
  /// - Parameters:
  ///   - schema: The names, and the dialect.
  ///   - store: The store's identifier.
  ///   - textIndexes: The indexes of texts that the store has.
  package init(schema: StoreSchema, store: UUID, textIndexes: (any TextIndexes)? = nil) {
    self.schema = schema
    self.store = store
    self.textIndexes = textIndexes
  }

  var dialect: any SQLDialect { schema.dialect }

  /// Translates a predicate for rows of an entity, whose table is called `t0`.
  ///
  /// - Returns: The clause for the conditions that could be translated, and the others.
  package mutating func translate(_ node: PredicateNode, entity: Int) -> ConditionSQL {
    let scope = Scope(object: Row(entity: entity, alias: "t0"))
    let conjuncts = if case .and(let nodes) = node { nodes } else { [node] }
    var translated: [ConditionText] = []
    var residual: [PredicateNode] = []
    var account = SQLLimits.Account(dialect.limits)
    for conjunct in conjuncts {
      let condition = condition(conjunct, scope)
      if let condition, account.admit(condition.sql, condition.bindings) {
        if let candidates = candidates(conjunct, scope),
          account.admit(candidates.sql, candidates.bindings)
        {
          translated.append(candidates)
        }
        translated.append(condition)
      } else {
        residual.append(conjunct)
      }
    }
    if translated.count > dialect.limits.chainLength { translated = [.all(translated, dialect)] }
    return ConditionSQL(
      sql: translated.isEmpty ? "" : translated.map(\.sql).joined(separator: " AND "),
      bindings: translated.flatMap(\.bindings),
      residual: residual.isEmpty ? nil : FetchPredicate(.conjunction(residual))
    )
  }

  /// An alias that is not used yet.
  mutating func makeRow(of entity: Int) -> Row {
    aliasCount += 1
    return Row(entity: entity, alias: "t\(aliasCount)")
  }

  /// A condition on a row, or `nil` when it cannot be said.
  package mutating func condition(_ node: PredicateNode, _ scope: Scope) -> ConditionText? {
    switch node {
    case .constant(let value): return truth(value)
    case .and(let nodes): return conditions(nodes, scope).map { .all($0, dialect) }
    case .or(let nodes): return conditions(nodes, scope).map { .any($0, dialect) }
    case .not(let node): return condition(node, scope)?.negated
    case .comparison(let comparison): return condition(comparison, scope)
    }
  }

  /// A condition that no row changes.
  func truth(_ value: Bool) -> ConditionText { .constant(value, dialect) }

  private mutating func conditions(
    _ nodes: [PredicateNode],
    _ scope: Scope
  ) -> [ConditionText]? {
    var conditions: [ConditionText] = []
    for node in nodes {
      guard let condition = condition(node, scope) else { return nil }
      conditions.append(condition)
    }
    return conditions
  }

  private mutating func condition(_ comparison: Comparison, _ scope: Scope) -> ConditionText? {
    var pair = Pair(comparison, scope)
    pair.modifierIsNegated = comparison.modifier == .all
    switch comparison.modifier {
    case .direct: return condition(pair)
    case .any: return anyElement(pair)
    case .none where Self.negatesNoneInsideJoin:
      pair.modifierIsNegated = true
      return anyElement(pair)
    case .none, .all: return anyElement(pair)?.negated
    }
  }
}

extension PredicateTranslator {
  /// Two values to compare, each with what its names stand for.
  struct Pair {
    var left: ExpressionNode
    var leftScope: Scope
    var comparator: Comparison.Operator
    var right: ExpressionNode
    var rightScope: Scope
    var options: StringComparisonOptions
    /// Whether elements are looked for that fail the comparison: `ALL`.
    var modifierIsNegated = false

    init(_ comparison: Comparison, _ scope: Scope) {
      left = comparison.left.folded
      leftScope = scope
      comparator = comparison.comparator
      right = comparison.right.folded
      rightScope = scope
      options = comparison.options.effective
    }

    /// The other way round, for operators that have one.
    func mirrored(_ comparator: Comparison.Operator) -> Pair {
      var pair = self
      swap(&pair.left, &pair.right)
      swap(&pair.leftScope, &pair.rightScope)
      pair.comparator = comparator
      return pair
    }

    /// Whether the comparison holds with other values; `nil` when it is an error.
    func holds(_ left: ExpressionNode, _ right: ExpressionNode) -> Bool? {
      let comparison = Comparison(left, comparator, right, options: options)
      return try? PredicateEvaluator(.null).evaluate(.comparison(comparison))
    }
  }
}
