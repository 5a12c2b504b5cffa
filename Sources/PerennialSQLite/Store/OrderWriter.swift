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
    guard let names = names(of: change.relationship) else { return false }
    let stored = try members(of: change.owner, names)
    let order = Self.order(of: stored.map(\.key), named: change.members)
    var current: [Int64: Int64] = [:]
    for member in stored { current[member.key] = member.number }
    let numbers = OrderNumbers.assign(order.map { current[$0] })
    let statement = try connection.statement(names.update) { () throws(SQLiteFailure) in
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
    var keys: [Int64] = []
    if let names = names(of: relationship) { keys = try members(of: owner, names).map(\.key) }
    return keys
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
    /// What the statements that read and write the order are known by.
    let query: StatementKey
    let update: StatementKey
  }

  /// Where the order of a relationship is; `nil` for one that has none.
  private func names(of relationship: RelationshipLayout) -> Names? {
    guard case .toMany(let number) = relationship.place else { return nil }
    let join = schema.joinTable(of: relationship)
    let column = schema.ownerColumn(of: relationship)
    guard let order = join?.side.order ?? column?.orderColumn,
      let owner = join?.side.own ?? column?.name
    else { return nil }
    return Names(
      table: join?.table ?? schema.table(of: relationship.destination),
      owner: owner,
      member: join?.side.other ?? "Z_PK",
      order: order,
      join: join != nil,
      query: .members(entity: relationship.entity, toMany: number),
      update: .setOrder(entity: relationship.entity, toMany: number)
    )
  }

  private func members(
    of owner: Int64,
    _ names: Names
  ) throws(SQLiteFailure) -> [(key: Int64, number: Int64?)] {
    let statement = try connection.statement(names.query) { () throws(SQLiteFailure) in
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
