// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialPredicate

/// What key paths lead to.
extension PredicateTranslator {
  /// A property of a row.
  enum Property {
    /// The row itself.
    case object
    /// A stored attribute: its columns, one for each subentity that declares the name.
    case attribute(SQLText, ValueKind)
    /// A to-one relationship: its column, that of its object's entity if there are several, and the place of its
    /// destination.
    case toOne(SQLText, entity: SQLText?, destination: Int)
    case toMany(RelationshipLayout)
  }

  /// The property that the first steps of a path name, and how many steps that are: several for an
  /// element of a composite attribute.
  func property(_ steps: ArraySlice<String>, of row: Row) -> (Property, count: Int)? {
    guard var name = steps.first else { return nil }
    if ReservedNames.isIdentity(name) { return (.object, 1) }
    let family = schema.model.entities[schema.model.entities[row.entity].family]
    for count in 1...min(steps.count, family.reduce(1) { max($0, $1.partCount) }) {
      if count > 1 { name += "." + steps[steps.startIndex + count - 1] }
      if let property = property(named: name, of: family, row) {
        guard case .toOne = property else { return (property, count) }
        // The identity of an object is in the reference to it; its row may be gone.
        let identity = steps.dropFirst(count).prefix(while: ReservedNames.isIdentity)
        return (property, count + identity.count)
      }
      // Only memory tells apart what entities of the family have by that name.
      if family.contains(where: { $0.hasProperty(name) }) { return nil }
    }
    return nil
  }

  /// A property of the row's entity or of a subentity, where all that have one of the name have the
  /// same; rows of other subentities have none.
  private func property(
    named name: String,
    of family: ArraySlice<EntityLayout>,
    _ row: Row
  ) -> Property? {
    var slots: [(slot: SlotLayout, column: SlotColumn)] = []
    var toMany: RelationshipLayout?
    for entity in family {
      if entity.hasElements(of: name) { return nil }
      if let number = entity.toManysByName[name] {
        let found = entity.toManys[number]
        if let toMany, toMany.entity != found.entity { return nil }
        toMany = found
      }
      guard let slot = entity.slotsByName[name] else { continue }
      guard let column = schema.column(of: slot, in: entity.index) else { return nil }
      if !slots.contains(where: { $0.column == column }) {
        slots.append((entity.slots[slot], column))
      }
    }
    guard let toMany else { return property(of: slots, row) }
    return slots.isEmpty ? .toMany(toMany) : nil
  }

  private func property(
    of slots: [(slot: SlotLayout, column: SlotColumn)],
    _ row: Row
  ) -> Property? {
    guard let first = slots.first else { return nil }
    let kind = ValueKind(first.slot, first.column)
    let names = slots.map { "\(row.alias).\($0.column.name)" }
    if let relationship = first.slot.relationship {
      return slots.count == 1
        ? .toOne(
          SQLText(names[0]),
          entity: first.column.entityColumn.map { SQLText("\(row.alias).\($0)") },
          destination: relationship.destination
        ) : nil
    }
    guard slots.allSatisfy({ $0.slot.relationship == nil && ValueKind($0.slot, $0.column) == kind })
    else { return nil }
    let sql = names.count == 1 ? names[0] : "COALESCE(\(names.joined(separator: ", ")))"
    return .attribute(SQLText(sql), kind)
  }

  /// How many steps a path may have: each to-one relationship is a subquery within another one, and a
  /// call within another one.
  static let stepLimit = 32

  /// The row that a path starts from, and its steps; `nil` for too many of them.
  func start(of node: ExpressionNode, _ scope: Scope) -> (row: Row, steps: ArraySlice<String>)? {
    switch node {
    case .object: (scope.object, [])
    case .variable(let name): scope.variables[name].map { ($0, []) }
    case .keyPath(let root, let steps) where steps.count <= Self.stepLimit:
      switch root {
      case .object: (scope.object, ArraySlice(steps))
      case .variable(let name): scope.variables[name].map { ($0, ArraySlice(steps)) }
      default: nil
      }
    default: nil
    }
  }

  // MARK: To-one relationships

  /// The first to-one relationship of a path, and the rest of the path from its destination on.
  func firstHop(
    of node: ExpressionNode,
    _ scope: Scope
  ) -> (column: SQLText, destination: Int, rest: ExpressionNode)? {
    if case .aggregate(let collection, let operation, let key) = node {
      guard let (column, destination, rest) = firstHop(of: collection, scope) else { return nil }
      return (column, destination, .aggregate(rest, operation, key))
    }
    guard let (row, steps) = start(of: node, scope),
      case (.toOne(let column, _, let destination), let count)? = property(steps, of: row),
      count < steps.count
    else { return nil }
    return (column, destination, ExpressionNode.object.appending(Array(steps.dropFirst(count))))
  }

  /// A condition on the destination of a to-one relationship, which says with `truthOfNull` whether
  /// it holds where there is no destination.
  func condition(
    throughToOne column: SQLText,
    to row: Row,
    truthOfNull: Bool,
    _ condition: ConditionText
  ) -> ConditionText {
    let clause = truthOfNull ? condition.opposite : condition.sql
    let members = ConditionText(
      "\(column.sql) IN (SELECT \(row.alias).\(schema.rows.key) "
        + "FROM \(schema.table(of: row.entity)) AS \(row.alias) WHERE \(clause))",
      column.bindings + condition.bindings
    )
    return truthOfNull ? members.negated : members
  }

  // MARK: Operands

  /// A value to compare, or `nil` when it cannot be said.
  package mutating func operand(_ node: ExpressionNode, _ scope: Scope) -> SQLOperand? {
    switch node {
    case .constant(let value): return .constant(value)
    case .function(let function, let nodes): return functionValue(function, nodes, scope)
    case .aggregate(let collection, let operation, let key):
      return aggregate(collection, operation, key, scope)
    default: break
    }
    guard let (row, steps) = start(of: node, scope) else { return nil }
    return operand(at: steps, of: row)
  }

  private mutating func operand(at steps: ArraySlice<String>, of row: Row) -> SQLOperand? {
    guard !steps.isEmpty else { return key(of: row) }
    guard let (property, count) = property(steps, of: row) else { return nil }
    let rest = steps.dropFirst(count)
    switch property {
    case .object: return operand(at: rest, of: row)
    case .attribute(let text, let kind):
      if rest.isEmpty { return .value(text, kind) }
      return rest.elementsEqual(["length"]) ? length(of: text, kind) : nil
    case .toMany: return nil
    case .toOne(let column, _, let destination):
      if rest.isEmpty { return .value(column, objectKind(of: destination)) }
      let target = makeRow(of: destination)
      guard case .value(let text, let kind)? = operand(at: rest, of: target) else { return nil }
      return .value(value(text, of: target, referredToBy: column), kind)
    }
  }

  private func value(_ text: SQLText, of row: Row, referredToBy column: SQLText) -> SQLText {
    SQLText(
      "(SELECT \(text.sql) FROM \(schema.table(of: row.entity)) AS \(row.alias) "
        + "WHERE \(row.alias).\(schema.rows.key) = \(column.sql))",
      text.bindings + column.bindings
    )
  }

  /// The number of the entity of the object to which a path leads by a reference, whose row may be gone; `nil` where
  /// nothing but the row says that.
  package mutating func entityNumber(_ node: ExpressionNode, _ scope: Scope) -> SQLText? {
    if case .function(.noindex, let operands) = node, operands.count == 1 {
      return entityNumber(operands[0], scope)
    }
    guard let (row, steps) = start(of: node, scope) else { return nil }
    return entityNumber(at: steps, of: row)
  }

  private mutating func entityNumber(at steps: ArraySlice<String>, of row: Row) -> SQLText? {
    guard
      case (.toOne(let column, let entity, let destination), let count)? = property(steps, of: row)
    else { return nil }
    let rest = steps.dropFirst(count)
    if rest.isEmpty { return entity }
    let target = makeRow(of: destination)
    return entityNumber(at: rest, of: target).map { value($0, of: target, referredToBy: column) }
  }

  private func key(of row: Row) -> SQLOperand {
    .value(SQLText("\(row.alias).\(schema.rows.key)"), objectKind(of: row.entity))
  }

  func objectKind(of entity: Int) -> ValueKind {
    .object(family: schema.model.entities[entity].family)
  }

  /// A constant that is not null, as a column of a kind is compared with it.
  func constant(_ value: PropertyValue, for kind: ValueKind) -> SQLConstant {
    guard case .object(let family) = kind, case .objectID(let id) = value else {
      return dialect.constant(value, for: kind)
    }
    guard id.owner == store, id.key > 0, let entity = schema.model.entitiesByName[id.entityName],
      family.contains(entity)
    else { return .incomparable }
    return .bound(.integer(id.key))
  }
}

extension EntityLayout {
  /// Whether there is an attribute or a relationship of a name.
  fileprivate func hasProperty(_ name: String) -> Bool {
    slotsByName[name] != nil || toManysByName[name] != nil
  }
}
