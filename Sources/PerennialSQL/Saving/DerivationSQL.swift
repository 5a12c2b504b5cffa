// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate
package import PerennialStore

/// The SQL that computes derived attributes of rows from the rows of their relationships.
///
/// The number of statements does not depend on the number of rows that lead to a target.
package struct DerivationSQL: Sendable {
  private let schema: StoreSchema
  private var dialect: any SQLDialect { schema.dialect }
  private var key: String { schema.rows.key }

  /// The SQL of a store.
  package init(_ schema: StoreSchema) { self.schema = schema }

  /// The keys by which the rows to compute are found, each list with how many relationships away from those it is.
  ///
  /// - Parameter derivation: What is computed.
  /// - Returns: The owners, 0 relationships away, and the targets of a path.
  package static func keys(
    of derivation: ChangeSet.Derivation
  ) -> [(depth: Int, keys: [Int64])] {
    var lists = [(depth: 0, keys: derivation.owners)]
    guard case .path = derivation.source else { return lists }
    for (index, keys) in derivation.targets.enumerated() { lists.append((index + 1, keys)) }
    return lists.filter { !$0.keys.isEmpty }
  }

  /// The condition on the rows to compute: a list of keys is its only parameter, or its only ones.
  ///
  /// - Parameters:
  ///   - derivation: What is computed.
  ///   - depth: How many relationships away the keys are.
  ///   - count: How many parameters an engine without arrays takes.
  /// - Returns: The condition on rows of the table of the derivation's entity.
  package func rows(of derivation: ChangeSet.Derivation, depth: Int, keyCount count: Int) -> String
  {
    let rows = owners(of: derivation, depth: depth, keyCount: count)
    // A relationship of a parent entity also has owners that have no such attribute.
    let entity = schema.entityCondition(
      derivation.entity,
      includesSubentities: true,
      alias: schema.table(of: derivation.entity)
    )
    return entity.map { "\(rows) AND \($0)" } ?? rows
  }

  /// The condition on rows of any entity that has the relationship.
  private func owners(of derivation: ChangeSet.Derivation, depth: Int, keyCount count: Int)
    -> String
  {
    guard depth > 0, case .path(let steps, _, _) = derivation.source else {
      return dialect.isAmong(key, parameters: count)
    }
    let back = Array(steps[..<depth].reversed())
    let last = dialect.isAmong(schema.columnName(of: back[0]), parameters: count)
    return zip(back, back.dropFirst()).reduce(last) { condition, pair in
      let table = schema.table(of: pair.0.entity)
      return "\(schema.columnName(of: pair.1)) IN (SELECT \(key) FROM \(table) WHERE \(condition))"
    }
  }

  /// The statement that writes a derived attribute of rows, whose versions stay.
  ///
  /// - Parameters:
  ///   - derivation: What is computed.
  ///   - rows: The condition on the rows.
  /// - Returns: The statement, or `nil` when the engine cannot compute it.
  package func update(_ derivation: ChangeSet.Derivation, of rows: String) -> String? {
    guard let column = column(of: derivation), let value = value(of: derivation) else { return nil }
    return "UPDATE \(schema.table(of: derivation.entity)) SET \(column) = \(value) WHERE \(rows)"
  }

  /// The statement that gives the keys of the rows that would get another value now.
  ///
  /// - Parameters:
  ///   - derivation: What is computed.
  ///   - rows: The condition on the rows.
  ///   - includesAll: Whether rows count that have the right value already, as triggers may have set it.
  /// - Returns: The statement, or `nil` when the engine cannot compute the value.
  package func changedKeys(
    _ derivation: ChangeSet.Derivation,
    of rows: String,
    includesAll: Bool = false
  ) -> String? {
    guard let column = column(of: derivation), let value = value(of: derivation) else { return nil }
    let isOther = dialect.equality(SQLText(column), SQLText(value), mayBeNull: true).opposite
    let difference = includesAll ? "" : " AND \(isOther)"
    let table = schema.table(of: derivation.entity)
    return "SELECT \(key) FROM \(table) WHERE \(rows)\(difference)"
  }

  /// The statement that gives the keys of rows, what is stored, and what would be without the transformation of the
  /// text: for engines that do not have it.
  ///
  /// - Parameters:
  ///   - derivation: What is computed.
  ///   - rows: The condition on the rows.
  /// - Returns: The statement, or `nil` when nothing is transformed.
  package func untransformed(_ derivation: ChangeSet.Derivation, of rows: String) -> String? {
    let table = schema.table(of: derivation.entity)
    guard case .path(let steps, let member, .some) = derivation.source,
      let column = column(of: derivation), let value = value(at: steps, member, nil, owner: table)
    else { return nil }
    return "SELECT \(key), \(column), \(value) FROM \(table) WHERE \(rows)"
  }

  /// The queries of the rows that have to stay as they are while an attribute is computed: for engines where others
  /// write at the same time, which lock them first, in this order.
  ///
  /// What is computed from a snapshot is wrong when others, who do not see each other, change a row that it is made of.
  /// They all come by these rows: whoever comes second has to wait, and then takes a new snapshot.
  ///
  /// - Parameters:
  ///   - derivation: What is computed.
  ///   - rows: The condition on the rows.
  /// - Returns: The query of the rows themselves; of a path also that of the rows along it, which are only read. Its
  ///   parameters are those of the condition.
  package func guarded(
    _ derivation: ChangeSet.Derivation,
    by rows: String
  ) -> (owners: String, path: String?) {
    let table = schema.table(of: derivation.entity)
    let owners = "SELECT \(key) FROM \(table) WHERE \(rows) ORDER BY \(key)"
    guard case .path(let steps, _, _) = derivation.source else { return (owners, nil) }
    let first = "SELECT \(schema.columnName(of: steps[0])) FROM \(table) WHERE \(rows)"
    let path =
      "SELECT m1.\(key) FROM \(tables(of: steps)) WHERE m1.\(key) IN (\(first)) ORDER BY m1.\(key)"
    return (owners, path)
  }

  /// The column of a derived attribute; `nil` when it is transient.
  private func column(of derivation: ChangeSet.Derivation) -> String? {
    schema.column(of: derivation.slot, in: derivation.entity)?.name
  }
}

// MARK: - Values

extension DerivationSQL {
  /// The subquery that gives an owner's value.
  private func value(of derivation: ChangeSet.Derivation) -> String? {
    let table = schema.table(of: derivation.entity)
    let type = schema.model.entities[derivation.entity].slots[derivation.slot].attributeType
    return switch derivation.source {
    case .members(let relationship, let operation, let member):
      value(of: relationship, operation, member, owner: "\(table).\(key)", as: type)
    case .path(let steps, let member, let transform):
      value(at: steps, member, transform, owner: table)
    }
  }

  /// The subquery that gives something of an owner's members.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - operation: What is made of the members.
  ///   - member: The slot whose values it is made of; `nil` for their number.
  ///   - owner: The column of the owner's key.
  ///   - type: The type of the attribute that gets the value: a sum that it cannot hold is absent.
  /// - Returns: The subquery, or `nil` when there is none.
  package func value(
    of relationship: RelationshipLayout,
    _ operation: CollectionOperator,
    _ member: Int?,
    owner: String,
    as type: AttributeType?
  ) -> String? {
    guard let members = members(of: relationship, owner: owner),
      let result = result(operation, member, relationship.destination, as: type)
    else { return nil }
    return "(SELECT \(result) FROM \(members))"
  }

  /// The tables of an owner's members and the condition on them; `nil` for what is no to-many relationship.
  private func members(of relationship: RelationshipLayout, owner: String) -> String? {
    let destination = schema.table(of: relationship.destination)
    if let join = schema.joinTable(of: relationship) {
      return "\(join.table) AS j JOIN \(destination) AS m ON m.\(key) = j.\(join.side.other) "
        + "WHERE j.\(join.side.own) = \(owner)"
    }
    return schema.ownerColumn(of: relationship).map {
      "\(destination) AS m WHERE m.\($0.name) = \(owner)"
    }
  }

  private func result(
    _ operation: CollectionOperator,
    _ member: Int?,
    _ destination: Int,
    as type: AttributeType?
  ) -> String? {
    guard let member, operation != .count else { return "COUNT(*)" }
    guard let column = schema.column(of: member, in: destination) else { return nil }
    return switch operation {
    case .sum where column.kind == .integer:
      dialect.aggregate(.sum, .integer).map {
        fitting($0.sql.replacing("?", with: "m.\(column.name)"), type)
      }
    case .sum where column.kind == .decimal:
      dialect.decimal("COALESCE(SUM(m.\(column.name)), 0)")
    case .sum: "COALESCE(SUM(m.\(column.name)), 0)"
    case .min: "MIN(m.\(column.name))"
    case .max: "MAX(m.\(column.name))"
    case .average where column.kind == .integer:
      dialect.aggregate(.average, .integer)?.sql.replacing("?", with: "m.\(column.name)")
    case .average where column.kind == .decimal:
      // To SQLite this is REAL, which elsewhere is a number of single precision.
      "CAST(\(dialect.decimal("SUM(m.\(column.name))")) AS DOUBLE PRECISION) "
        + "/ COUNT(m.\(column.name))"
    case .average: "AVG(m.\(column.name))"
    case .count, .unionOfObjects, .distinctUnionOfObjects: nil
    }
  }

  /// A whole number as an attribute of a type holds it: absent when it cannot.
  private func fitting(_ number: String, _ type: AttributeType?) -> String {
    guard let range = type?.integers else { return number }
    return "CASE WHEN \(number) BETWEEN \(range.lowerBound) AND \(range.upperBound) "
      + "THEN \(number) END"
  }

  /// The subquery that gives the value at the end of to-one relationships: `m1` is the owner's object, and so on.
  ///
  /// - Parameters:
  ///   - steps: The relationships, at least one.
  ///   - member: The slot at their end.
  ///   - transform: What is done with its text.
  ///   - owner: The owner's table, or its alias.
  /// - Returns: The subquery, or `nil` when there is none, or the engine does not have the transformation.
  package func value(
    at steps: [RelationshipLayout],
    _ member: Int,
    _ transform: TextTransform?,
    owner: String
  ) -> String? {
    guard let last = steps.last,
      let source = schema.column(of: member, in: last.destination),
      let value = copy("m\(steps.count).\(source.name)", transform)
    else { return nil }
    let condition = "m1.\(key) = \(owner).\(schema.columnName(of: steps[0]))"
    return "(SELECT \(value) FROM \(tables(of: steps)) WHERE \(condition))"
  }

  /// The tables at the ends of to-one relationships that follow each other: `m1`, `m2` and so on.
  private func tables(of steps: [RelationshipLayout]) -> String {
    steps.enumerated().reduce("") { tables, step in
      let (index, relationship) = step
      let table = "\(schema.table(of: relationship.destination)) AS m\(index + 1)"
      guard index > 0 else { return table }
      let condition = "m\(index + 1).\(key) = m\(index).\(schema.columnName(of: relationship))"
      return "\(tables) JOIN \(table) ON \(condition)"
    }
  }

  /// The copy of a value.
  ///
  /// - Parameters:
  ///   - value: The column.
  ///   - transform: What is done with its text.
  /// - Returns: The copy, or `nil` when the engine does not have the transformation.
  package func copy(_ value: String, _ transform: TextTransform?) -> String? {
    guard let transform else { return value }
    return dialect.transformed(value, by: transform)
  }
}

extension AttributeType {
  /// The integers that the type has; `nil` for others.
  fileprivate var integers: ClosedRange<Int64>? {
    switch self {
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    case .int64: Int64.min...Int64.max
    default: nil
    }
  }
}
