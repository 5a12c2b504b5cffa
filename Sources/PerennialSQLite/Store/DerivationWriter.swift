// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate
import PerennialSQL
import PerennialStore

/// Computes derived attributes of rows from the rows of their relationships.
struct DerivationWriter {
  private let connection: SQLiteConnection
  private let sql: DerivationSQL

  init(connection: SQLiteConnection, schema: StoreSchema) {
    self.connection = connection
    sql = DerivationSQL(schema)
  }

  /// Writes a derived attribute of its owners; their versions stay.
  func apply(_ derivation: ChangeSet.Derivation) throws(SQLiteFailure) {
    for (depth, keys) in DerivationSQL.keys(of: derivation) {
      // As many at a time as a statement takes.
      for list in keys.parameterLists {
        let rows = sql.rows(of: derivation, depth: depth, keyCount: list.count)
        guard let update = sql.update(derivation, of: rows) else { return }
        let key = StatementKey.derive(
          entity: derivation.entity,
          slot: derivation.slot,
          depth: depth,
          bucket: list.count
        )
        let statement = try connection.statement(key) { () throws(SQLiteFailure) in update }
        statement.bind(list)
        try statement.run()
      }
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
    var changed: Set<Int64> = []
    for (depth, keys) in DerivationSQL.keys(of: derivation) {
      for list in keys.parameterLists {
        let rows = sql.rows(of: derivation, depth: depth, keyCount: list.count)
        let text = sql.changedKeys(derivation, of: rows, includesAll: includesAll)
        guard let text else { return [] }
        let statement = try connection.statement(.text(text)) { () throws(SQLiteFailure) in text }
        defer { statement.clear() }
        statement.bind(list)
        while try statement.step() { changed.insert(statement.integer(0)) }
      }
    }
    return changed
  }
}
