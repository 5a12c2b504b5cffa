// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Computes derived attributes of rows from the rows of their relationships.
struct DerivationWriter {
  let connection: SQLiteConnection
  let schema: StoreSchema

  /// Writes a derived attribute of its owners; their versions stay.
  func apply(_ derivation: ChangeSet.Derivation) throws(SQLiteFailure) {
    guard let column = schema.column(of: derivation.slot, in: derivation.entity),
      let value = value(of: derivation)
    else { return }
    let key = StatementKey.derive(entity: derivation.entity, slot: derivation.slot)
    let table = schema.table(of: derivation.entity)
    let statement = try connection.statement(key) { () throws(SQLiteFailure) in
      "UPDATE \(table) SET \(column.name) = \(value) WHERE Z_PK = ?"
    }
    for owner in derivation.owners {
      statement.bind(1, owner)
      try statement.run()
    }
  }

  /// The subquery that gives an owner's value.
  private func value(of derivation: ChangeSet.Derivation) -> String? {
    let relationship = derivation.relationship
    let owner = "\(schema.table(of: derivation.entity)).Z_PK"
    let members: String
    if let join = schema.joinTable(of: relationship) {
      let destination = schema.table(of: relationship.destination)
      members =
        "\(join.table) AS j JOIN \(destination) AS m ON m.Z_PK = j.\(join.side.other) WHERE j.\(join.side.own) = \(owner)"
    } else if let column = schema.ownerColumn(of: relationship) {
      members =
        "\(schema.table(of: relationship.destination)) AS m WHERE m.\(column.name) = \(owner)"
    } else {
      return nil
    }
    guard let result = result(of: derivation) else { return nil }
    return "(SELECT \(result) FROM \(members))"
  }

  private func result(of derivation: ChangeSet.Derivation) -> String? {
    guard let member = derivation.member else { return "COUNT(*)" }
    let destination = derivation.relationship.destination
    guard let column = schema.column(of: member, in: destination) else { return nil }
    return switch derivation.operation {
    case .sum: "IFNULL(SUM(m.\(column.name)), 0)"
    case .min: "MIN(m.\(column.name))"
    case .max: "MAX(m.\(column.name))"
    case .average: "AVG(m.\(column.name))"
    case .count: "COUNT(*)"
    case .unionOfObjects, .distinctUnionOfObjects: nil
    }
  }
}
