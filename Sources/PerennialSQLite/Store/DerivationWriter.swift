// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore

/// Computes derived attributes of rows from the rows of their relationships.
///
/// The number of statements does not depend on the number of rows that lead to a target.
struct DerivationWriter {
  let connection: SQLiteConnection
  let schema: StoreSchema

  /// Writes a derived attribute of its owners; their versions stay.
  func apply(_ derivation: ChangeSet.Derivation) throws(SQLiteFailure) {
    guard let column = schema.column(of: derivation.slot, in: derivation.entity),
      let value = value(of: derivation)
    else { return }
    let update =
      "UPDATE \(schema.table(of: derivation.entity)) SET \(column.name) = \(value) WHERE "
    try visit(derivation) { condition, depth, keys throws(SQLiteFailure) in
      try run(update, derivation, depth: depth, keys, condition: condition)
    }
  }

  /// The keys of the rows that would get another value now.
  ///
  /// - Parameters:
  ///   - derivation: What is computed.
  ///   - includesAll: Whether rows count that have the right value already, as triggers may have set it.
  /// - Returns: The keys.
  /// - Throws: What could not be read.
  func changedKeys(
    _ derivation: ChangeSet.Derivation,
    includesAll: Bool = false
  ) throws(SQLiteFailure) -> Set<Int64> {
    guard let column = schema.column(of: derivation.slot, in: derivation.entity),
      let value = value(of: derivation)
    else { return [] }
    let table = schema.table(of: derivation.entity)
    var changed: Set<Int64> = []
    try visit(derivation) { condition, _, keys throws(SQLiteFailure) in
      for list in keys.parameterLists {
        let rows = condition("(\(SQLText.marks(list.count)))")
        let difference = includesAll ? "" : " AND \(column.name) IS NOT \(value)"
        let sql = "SELECT Z_PK FROM \(table) WHERE \(rows)\(difference)"
        let statement = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
        defer { statement.clear() }
        statement.bind(list)
        while try statement.step() { changed.insert(statement.integer(0)) }
      }
    }
    return changed
  }

  /// Calls a closure with the conditions on the rows to compute: how they are said of a list of keys,
  /// how many relationships away from them those are, and which.
  private func visit(
    _ derivation: ChangeSet.Derivation,
    _ body: ((String) -> String, Int, [Int64]) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    try body({ "Z_PK IN \($0)" }, 0, derivation.owners)
    guard case .path(let steps, _, _) = derivation.source else { return }
    for (index, keys) in derivation.targets.enumerated() where !keys.isEmpty {
      let condition = { (marks: String) in
        steps[...index].reversed().reduce(marks) { list, step in
          let condition = "\(self.column(of: step)) IN \(list)"
          guard step !== steps[0] else { return condition }
          return "(SELECT Z_PK FROM \(schema.table(of: step.entity)) WHERE \(condition))"
        }
      }
      try body(condition, index + 1, keys)
    }
  }

  /// Runs an update for keys, as many at a time as a statement takes.
  private func run(
    _ update: String,
    _ derivation: ChangeSet.Derivation,
    depth: Int,
    _ keys: [Int64],
    condition: (String) -> String
  ) throws(SQLiteFailure) {
    for list in keys.parameterLists {
      let key = StatementKey.derive(
        entity: derivation.entity,
        slot: derivation.slot,
        depth: depth,
        bucket: list.count
      )
      let statement = try connection.statement(key) { () throws(SQLiteFailure) in
        update + condition("(\(SQLText.marks(list.count)))")
      }
      statement.bind(list)
      try statement.run()
    }
  }

  /// The subquery that gives an owner's value.
  private func value(of derivation: ChangeSet.Derivation) -> String? {
    let table = schema.table(of: derivation.entity)
    return switch derivation.source {
    case .members(let relationship, let operation, let member):
      value(of: relationship, operation, member, owner: "\(table).Z_PK")
    case .path(let steps, let member, let transform):
      value(at: steps, member, transform, owner: table)
    }
  }

  /// The subquery that gives something of an owner's members.
  func value(
    of relationship: RelationshipLayout,
    _ operation: CollectionOperator,
    _ member: Int?,
    owner: String
  ) -> String? {
    let destination = schema.table(of: relationship.destination)
    let members: String
    if let join = schema.joinTable(of: relationship) {
      members =
        "\(join.table) AS j JOIN \(destination) AS m ON m.Z_PK = j.\(join.side.other) WHERE j.\(join.side.own) = \(owner)"
    } else if let column = schema.ownerColumn(of: relationship) {
      members = "\(destination) AS m WHERE m.\(column.name) = \(owner)"
    } else {
      return nil
    }
    guard let result = result(operation, member, relationship.destination) else { return nil }
    return "(SELECT \(result) FROM \(members))"
  }

  private func result(
    _ operation: CollectionOperator,
    _ member: Int?,
    _ destination: Int
  ) -> String? {
    guard let member else { return "COUNT(*)" }
    guard let column = schema.column(of: member, in: destination) else { return nil }
    return switch operation {
    case .sum: "IFNULL(SUM(m.\(column.name)), 0)"
    case .min: "MIN(m.\(column.name))"
    case .max: "MAX(m.\(column.name))"
    case .average where column.kind == .integer:
      SQLiteDialect.integerMean.replacing("?", with: "m.\(column.name)")
    case .average: "AVG(m.\(column.name))"
    case .count: "COUNT(*)"
    case .unionOfObjects, .distinctUnionOfObjects: nil
    }
  }

  /// The value at the end of to-one relationships: `m1` is the owner's object, and so on.
  func value(
    at steps: [RelationshipLayout],
    _ member: Int,
    _ transform: TextTransform?,
    owner: String
  ) -> String? {
    guard let last = steps.last,
      let source = schema.column(of: member, in: last.destination)
    else { return nil }
    var tables = ""
    for (index, step) in steps.enumerated() {
      let table = "\(schema.table(of: step.destination)) AS m\(index + 1)"
      let origin = index == 0 ? owner : "m\(index)"
      let condition = "m\(index + 1).Z_PK = \(origin).\(column(of: step))"
      tables = index == 0 ? table : "\(tables) JOIN \(table) ON \(condition)"
    }
    let copy = "m\(steps.count).\(source.name)"
    let value = transform.map { "\($0.functionName)(\(copy))" } ?? copy
    return
      "(SELECT \(value) FROM \(tables) WHERE m1.Z_PK = \(owner).\(column(of: steps[0])))"
  }

  /// The column of a to-one relationship.
  private func column(of step: RelationshipLayout) -> String {
    guard case .slot(let slot) = step.place else { return "NULL" }
    return schema.column(of: slot, in: step.entity)?.name ?? "NULL"
  }
}
