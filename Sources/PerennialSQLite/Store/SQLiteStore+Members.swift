// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialSQL
package import PerennialStore

// The members of several owners, in one statement for 500 of them.

extension SQLiteStore {
  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    let query = Self.query(relationship)
    let plan = plan(of: query)
    return try read { connection throws(SQLiteFailure) in
      var rows = MemberRows()
      var reader = PageReader(plan)
      let owners = owners.sorted()
      try run(query, .membersByOwner, relationship, owners, on: connection) {
        statement throws(SQLiteFailure) in
        try reader.readMembers(statement, &rows, limit: limit)
      }
      reader.finish { rows.append($0) }
      return rows
    }
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    let query = Self.query(relationship)
    return try read { connection throws(SQLiteFailure) in
      var counts: [Int64: Int] = [:]
      try run(query, .countsByOwner, relationship, owners, on: connection) {
        statement throws(SQLiteFailure) in
        while try statement.step() {
          let count = Int(statement.integer(1))
          if count > 0 { counts[statement.integer(0)] = count }
        }
      }
      return counts
    }
  }

  private static func query(_ relationship: RelationshipLayout) -> StoreQuery {
    StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: 0)
    )
  }

  /// Looks owners up in lists of a few sizes; several lists see one snapshot.
  private func run(
    _ query: StoreQuery,
    _ output: SelectOutput,
    _ relationship: RelationshipLayout,
    _ owners: [Int64],
    on connection: SQLiteConnection,
    _ body: (SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    guard case .toMany(let number) = relationship.place else { return }
    func runLists() throws(SQLiteFailure) {
      for list in owners.parameterLists {
        let key = StatementKey.relatedToAny(
          owner: relationship.entity,
          toMany: number,
          output: output,
          bucket: list.count
        )
        let statement = try connection.statement(key) { () throws(SQLiteFailure) in
          if output == .countsByOwner,
            let sql = try ownerByOwner(query, relationship, list.count, on: connection)
          {
            return sql
          }
          return select(query, QueryTranslation(), output, keyCount: list.count).sql
        }
        defer { statement.clear() }
        statement.bind(list)
        try body(statement)
      }
    }
    guard owners.count > ParameterList<Int64>.greatestCount else { return try runLists() }
    try connection.transaction(.deferred) { () throws(SQLiteFailure) in try runLists() }
  }

  /// A statement that counts the members of one owner after the other, which takes half as long as counting
  /// groups; `nil` when SQLite has no index for it, and would look at the whole table for each.
  private func ownerByOwner(
    _ query: StoreQuery,
    _ relationship: RelationshipLayout,
    _ ownerCount: Int,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> String? {
    let column =
      schema.joinTable(of: relationship)?.side.own ?? schema.ownerColumn(of: relationship)?.name
    guard let column else { return nil }
    let count = SQLText.numbered(select(query, QueryTranslation(), .count).sql) { _ in "o.k" }
    let owners = repeatElement("(?)", count: ownerCount).joined(separator: ", ")
    let sql =
      "SELECT o.k, (\(count)) "
      + "FROM (SELECT DISTINCT column1 AS k FROM (VALUES \(owners))) AS o"
    let plan = try connection.prepare(schema.dialect.explanation(of: sql))
    defer { plan.finalize() }
    while try plan.step() {
      if plan.text(3).contains("(\(column)=?") { return sql }
    }
    return nil
  }
}
