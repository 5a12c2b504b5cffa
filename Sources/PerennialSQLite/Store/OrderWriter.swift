// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Writes the order of the members of an ordered relationship.
struct OrderWriter {
  let connection: SQLiteConnection
  let schema: StoreSchema

  /// Writes the order.
  ///
  /// - Returns: Whether it was another one.
  @discardableResult
  func apply(_ change: ChangeSet.OrderChange) throws(SQLiteFailure) -> Bool {
    guard let names = names(of: change.relationship),
      case .toMany(let number) = change.relationship.place
    else { return false }
    let entity = change.relationship.entity
    let stored = try members(of: change.owner, names, change.relationship)
    let order = Self.order(of: stored.map(\.key), named: change.members)
    let current = Dictionary(stored.map { ($0.key, $0.number) }) { first, _ in first }
    let numbers = OrderNumbers.assign(order.map { current[$0] ?? nil })
    let statement = try connection.statement(.setOrder(entity: entity, toMany: number)) {
      () throws(SQLiteFailure) in
      "UPDATE \(names.table) SET \(names.order) = ? WHERE \(names.member) = ?"
        + (names.join ? " AND \(names.owner) = ?" : "")
    }
    var hasChanged = false
    for (key, number) in zip(order, numbers) where current[key] != number {
      statement.bind(1, number)
      statement.bind(2, key)
      if names.join { statement.bind(3, change.owner) }
      try statement.run()
      hasChanged = true
    }
    return hasChanged
  }

  /// The keys of an ordered relationship's objects, in their order.
  func order(of relationship: RelationshipLayout, owner: Int64) throws(SQLiteFailure) -> [Int64] {
    guard let names = names(of: relationship) else { return [] }
    return try members(of: owner, names, relationship).map(\.key)
  }

  /// The named members that are there, then the others in their old order.
  private static func order(of stored: [Int64], named members: [Int64]) -> [Int64] {
    let existing = Set(stored)
    var seen: Set<Int64> = []
    let named = members.filter { existing.contains($0) && seen.insert($0).inserted }
    return named + stored.filter { !seen.contains($0) }
  }

  private struct Names {
    let table: String
    let owner: String
    let member: String
    let order: String
    let join: Bool
  }

  private func names(of relationship: RelationshipLayout) -> Names? {
    if let (table, side) = schema.joinTable(of: relationship) {
      guard let order = side.order else { return nil }
      return Names(table: table, owner: side.own, member: side.other, order: order, join: true)
    }
    guard let column = schema.ownerColumn(of: relationship), let order = column.orderColumn else {
      return nil
    }
    return Names(
      table: schema.table(of: relationship.destination),
      owner: column.name,
      member: "Z_PK",
      order: order,
      join: false
    )
  }

  private func members(
    of owner: Int64,
    _ names: Names,
    _ relationship: RelationshipLayout
  ) throws(SQLiteFailure) -> [(key: Int64, number: Int64?)] {
    guard case .toMany(let number) = relationship.place else { return [] }
    let key = StatementKey.members(entity: relationship.entity, toMany: number)
    let statement = try connection.statement(key) { () throws(SQLiteFailure) in
      "SELECT \(names.member), \(names.order) FROM \(names.table) WHERE \(names.owner) = ?"
        + " ORDER BY \(names.order) IS NULL, \(names.order), \(names.member)"
    }
    statement.bind(1, owner)
    var members: [(key: Int64, number: Int64?)] = []
    while try statement.step() {
      members.append((statement.integer(0), statement.isNull(1) ? nil : statement.integer(1)))
    }
    return members
  }
}
