// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// `ANY`, `ALL`, `NONE` and `IN`.
extension PredicateTranslator {
  /// The rows of a to-many relationship or a subquery.
  struct Members {
    /// What stands behind FROM.
    var source: String
    /// Which rows of it belong to the owner, and satisfy the subquery.
    var condition: SQLText
    var row: Row
  }

  /// Whether some element on the left satisfies the comparison, or fails it when it is negated.
  mutating func anyElement(_ pair: Pair) -> ConditionText? {
    guard let (row, steps) = start(of: pair.left, pair.leftScope),
      let (property, count) = property(steps, of: row)
    else { return nil }
    let rest = ExpressionNode.object.appending(Array(steps.dropFirst(count)))
    switch property {
    // What leads to no to-many relationship has no elements.
    case .object, .attribute: return nil
    case .toOne(let column, _, let destination):
      let target = makeRow(of: destination)
      var inner = pair
      inner.left = rest
      inner.leftScope = Scope(object: target)
      return anyElement(inner).map {
        condition(throughToOne: column, to: target, truthOfNull: false, $0)
      }
    case .toMany(let relationship):
      var inner = pair
      inner.left = rest
      guard var members = members(of: relationship, owner: row),
        let condition = elementCondition(inner, of: members.row)
      else { return nil }
      members.condition.sql += " AND " + condition.sql
      members.condition.bindings += condition.bindings
      return .exists(query("1", of: members))
    }
  }

  /// The condition on one element of a to-many relationship.
  private mutating func elementCondition(_ pair: Pair, of element: Row) -> ConditionText? {
    var pair = pair
    pair.leftScope = Scope(object: element)
    guard leadsThroughToMany(pair.left, pair.leftScope) else {
      pair.left = pair.left.folded
      return pair.modifierIsNegated ? condition(pair)?.negated : condition(pair)
    }
    // A to-one relationship before the next to-many gives nil where there is no destination, and so
    // does a to-many that the element's entity lacks.
    if firstHop(of: pair.left, pair.leftScope) != nil || isForeign(pair.left, pair.leftScope) {
      guard pair.right.isConstant, let truth = pair.holds(.object, pair.right),
        truth == pair.modifierIsNegated
      else { return nil }
    }
    return anyElement(pair)
  }

  private func leadsThroughToMany(_ node: ExpressionNode, _ scope: Scope) -> Bool {
    guard let (start, steps) = start(of: node, scope) else { return false }
    var row = start
    var rest = steps
    while let (property, count) = property(rest, of: row) {
      rest = rest.dropFirst(count)
      switch property {
      case .toMany: return true
      case .toOne(_, _, let destination): row = Row(entity: destination, alias: "")
      case .object, .attribute: return false
      }
    }
    return false
  }

  // MARK: Members

  /// The rows that a to-many relationship of an owner leads to.
  private mutating func members(of relationship: RelationshipLayout, owner: Row) -> Members? {
    let row = makeRow(of: relationship.destination)
    let table = "\(schema.table(of: relationship.destination)) AS \(row.alias)"
    let key = "\(owner.alias).\(schema.rows.key)"
    if let (joinTable, side) = schema.joinTable(of: relationship) {
      let join = "j" + row.alias.dropFirst()
      return Members(
        source:
          "\(joinTable) AS \(join) JOIN \(table) "
          + "ON \(row.alias).\(schema.rows.key) = \(join).\(side.other)",
        condition: SQLText("\(join).\(side.own) = \(key)"),
        row: row
      )
    }
    return schema.ownerColumn(of: relationship).map { column in
      let condition = SQLText("\(row.alias).\(column.name) = \(key)")
      return Members(source: table, condition: condition, row: row)
    }
  }

  /// The rows of a collection, or `nil` when it is neither a to-many relationship nor a subquery
  /// on one.
  mutating func members(of collection: ExpressionNode, _ scope: Scope) -> Members? {
    if case .subquery(let inner, let name, let condition) = collection {
      guard var members = members(of: inner, scope) else { return nil }
      var innerScope = scope
      innerScope.variables[name] = members.row
      guard let condition = self.condition(condition, innerScope) else { return nil }
      members.condition.sql += " AND " + condition.sql
      members.condition.bindings += condition.bindings
      return members
    }
    guard let (row, steps) = start(of: collection, scope),
      case (.toMany(let relationship), steps.count)? = property(steps, of: row)
    else { return nil }
    return members(of: relationship, owner: row)
  }

  func query(_ columns: String, of members: Members) -> SQLText {
    SQLText(
      "SELECT \(columns) FROM \(members.source) WHERE \(members.condition.sql)",
      members.condition.bindings
    )
  }

  // MARK: IN

  /// Whether the left value is an element, or a part, of the right one.
  mutating func element(_ pair: Pair) -> ConditionText? {
    switch pair.right {
    case .list(let nodes): return element(pair, of: nodes)
    case .constant(.null): return truth(false)
    default: break
    }
    if leadsThroughToMany(pair.right, pair.rightScope) {
      var any = pair.mirrored(.equal)
      any.modifierIsNegated = false
      return anyElement(any)
    }
    guard let whole = operand(pair.right, pair.rightScope),
      let part = operand(pair.left, pair.leftScope)
    else { return nil }
    return isPart(part, of: whole, pair.options)
  }

  private func isPart(
    _ part: SQLOperand,
    of whole: SQLOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    let text: SQLText
    switch whole {
    case .constant(.string(let string)): text = SQLText("?", [.text(string)])
    case .value(let value, .string): text = value
    default: return nil
    }
    switch part {
    case .constant(.string(let string)):
      if string.isEmpty { return truth(false) }
      return dialect.text(.contains, text, .constant(string), options)
    case .constant: return truth(false)
    case .value(let value, .string):
      return dialect.text(.contains, text, .value(value), options)
    case .value(_, .opaque): return nil
    case .value: return truth(false)
    }
  }

  private mutating func element(_ pair: Pair, of nodes: [ExpressionNode]) -> ConditionText? {
    guard case .value(let text, let kind)? = operand(pair.left, pair.leftScope),
      nodes.allSatisfy({ if case .constant = $0 { true } else { false } }),
      kind != .string || pair.options.isEmpty
    else { return alternatives(pair, nodes) }
    var hasNull = false
    var values: [SQLValue] = []
    for case .constant(let value) in nodes {
      if value.isNull {
        hasNull = true
        continue
      }
      switch constant(value, for: kind) {
      case .bound(let bound): values.append(bound)
      case .incomparable: continue
      case .untranslatable: return nil
      }
    }
    var conditions = values.isEmpty ? [] : [dialect.isAmong(text, values)]
    if hasNull { conditions.append(.isNull(text)) }
    return .any(conditions, dialect)
  }

  private mutating func alternatives(
    _ pair: Pair,
    _ nodes: [ExpressionNode]
  ) -> ConditionText? {
    guard nodes.count <= 64 else { return nil }
    var conditions: [ConditionText] = []
    for node in nodes {
      var equal = pair
      equal.comparator = .equal
      equal.right = node
      guard let condition = condition(equal) else { return nil }
      conditions.append(condition)
    }
    return .any(conditions, dialect)
  }
}
