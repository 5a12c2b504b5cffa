// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
package import PerennialModel
import PerennialSQL
package import PerennialStore

/// A migration in one transaction, which holds the lock of the row of metadata from its beginning to its end.
///
/// Every save locks that row, too, so that it cannot be changed: saves do not wait for each other, but for a migration, and
/// see afterwards that the row is another one.
package final class PostgresMigration: ServerMigration {
  package let storedModel: StoredModel
  private let location: PostgresLocation
  private let connection: PostgresConnection
  private let metadata: StoreMetadata
  private let generation: Int64
  private let log: EventLog
  /// What its tables are called, and stay called.
  private let names: TableNames
  /// The schema of the store as it is, once it is open.
  private var old: StoreSchema?

  /// Begins a migration: waits for saves that are on their way, and for other migrations.
  ///
  /// - Parameters:
  ///   - location: The database.
  ///   - log: Is told what is done.
  /// - Throws: Why there is no way to the store.
  package init(_ location: PostgresLocation, log: EventLog) throws(PerennialError) {
    self.location = location
    self.log = log
    let row: MetadataRow?
    do throws(PostgresFailure) {
      connection = try PostgresConnection.open(location)
      // It says nothing while the file is migrated, however long that takes.
      try connection.execute(
        """
        \(PostgresTransactionKind.readCommitted.rawValue);
        SELECT set_config(name, '0', TRUE) FROM pg_settings
        WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')
        """
      )
      names = try TableNames.found(on: connection) ?? .coreData
      row = try MetadataRow.read(names.schemaNames.metadata, connection, forUpdate: true)
    } catch {
      throw PerennialError(error, during: .opening, store: location)
    }
    guard let metadata = row?.metadata, let hashes = metadata.hashes else {
      throw .withoutMetadata(location, names.schemaNames.metadata)
    }
    self.metadata = metadata
    generation = row?.generation ?? 0
    storedModel = StoredModel(hashes: hashes, encoded: metadata.encodedModel)
    connection.isHeld = true
  }

  package func open(_ model: ModelLayout) throws(PerennialError) -> any RowStore {
    let store = try PostgresStore(location, model: model, isReadOnly: true, log: log)
    old = store.schema
    return store
  }

  package func replace(with store: any RowStore) throws(PerennialError) {
    let schema = StoreSchema.onServer(store.model, names)
    let counters: [String: Int64]
    do throws(PostgresFailure) {
      counters = try makeTables(schema)
    } catch {
      throw PerennialError(error, during: .opening, store: location)
    }
    let target = PostgresStore(
      holding: connection,
      metadata.identifier,
      schema,
      generation: generation
    )
    try StoreTransfer(from: store, to: target, isDraft: true).run()
    do throws(PostgresFailure) {
      try finish(schema, after: counters)
    } catch {
      throw PerennialError(error, during: .opening, store: location)
    }
    if log.tellsMigration {
      log(.migration, "the store '\(location)': the migrated tables have taken their place")
    }
  }

  /// Makes new tables in the place of the old ones, whose counters begin: the transfer sets keys aside.
  ///
  /// They have the owners of the old ones, and let others do the same.
  ///
  /// - Returns: Where the old counters were, by the names of their entities.
  private func makeTables(_ schema: StoreSchema) throws(PostgresFailure) -> [String: Int64] {
    let statements = SchemaStatements(schema)
    let former = old.map { SchemaStatements($0).dataTables } ?? []
    let rights = try TableRights.read(of: former.map { $0.name.inCatalogue }, on: connection)
    let shared = TableRights.shared(by: Array(rights.values))
    let names = schema.names.counters
    let sql = "SELECT \(names.name), \(names.greatest) FROM \(names.table)"
    let counters = try connection.run(sql, [], .reading)
    var greatest: [String: Int64] = [:]
    for row in 0..<counters.count { greatest[counters.text(row, 0)] = counters.integer(row, 1) }
    var calls: [PostgresCall] = []
    func add(_ sql: String) {
      calls.append(PostgresCall(PostgresStatement(sql, isKept: false)))
    }
    if !former.isEmpty { add("DROP TABLE \(former.map(\.name).joined(separator: ", "))") }
    for table in statements.dataTables {
      add(table.sql)
      let own = former.first { $0.subject == table.subject }
        .flatMap { rights[$0.name.inCatalogue] }
      for sql in (own ?? shared).statements(for: table.name) { add(sql) }
    }
    add("DELETE FROM \(names.table)")
    _ = try connection.run(calls + statements.counters())
    return greatest
  }

  /// Makes the indexes, lets counters go on, notes the new model, and commits.
  private func finish(
    _ schema: StoreSchema,
    after counters: [String: Int64]
  ) throws(PostgresFailure) {
    let statements = SchemaStatements(schema)
    var calls = statements.indexes.map { sql in
      PostgresCall(PostgresStatement(sql, isKept: false))
    }
    calls += statements.counters(after: counters)
    let names = schema.names.metadata
    var metadata = metadata
    metadata.setModel(schema.model)
    calls.append(
      PostgresCall(
        """
        UPDATE \(names.table) SET \(names.version) = \(names.version) + 1,
        \(names.propertyList) = $1
        """,
        [.bytes(try MetadataRow.encoded(metadata))]
      )
    )
    _ = try connection.run(calls)
    connection.isHeld = false
    _ = try connection.run([], PostgresRunOptions(commits: true))
  }
}
#endif
