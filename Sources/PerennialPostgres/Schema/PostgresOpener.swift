// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Opens a store: makes its tables when the database has none, else checks that they fit the model.
///
/// Until a store is known to fit, nothing is written.
struct PostgresOpener {
  let pool: PostgresPool
  let model: ModelLayout
  /// What tables are called that are made; those that are there keep their names.
  let names: TableNames
  let isReadOnly: Bool
  let history: HistoryOptions
  let log: EventLog

  /// What an open store consists of.
  typealias Opened = (
    identifier: UUID, schema: StoreSchema, keepsOldValues: Bool, canNotify: Bool,
    generation: Int64
  )

  private var location: PostgresLocation { pool.location }

  func open() throws(PerennialError) -> Opened {
    var attempts = Attempts()
    while true {
      let found: Result<Opened, PerennialError>
      do throws(PostgresFailure) {
        found = try pool.use { connection throws(PostgresFailure) in try open(on: connection) }
      } catch {
        // Another process may have made the tables at the same time.
        let isRepeated =
          error.isAboutExistingTable
          ? attempts.mayRepeatConflict() : attempts.mayRepeat(after: error)
        if isRepeated { continue }
        throw PerennialError(error, during: .opening, store: location)
      }
      return try found.get()
    }
  }

  private func open(
    on connection: PostgresConnection
  ) throws(PostgresFailure) -> Result<Opened, PerennialError> {
    let schema = StoreSchema.onServer(model, names)
    let statements = SchemaStatements(schema)
    let found = try tables(statements.tableNames + TableNames.metadataTables, on: connection)
    guard found.encoding == "UTF8" else {
      return .failure(
        .cannotOpen(
          "The database of the store '\(location)' is not kept in UTF8, but in \(found.encoding).",
          "make one with 'createdb --encoding UTF8 --template template0'"
        )
      )
    }
    if let stored = TableNames(metadataTables: found.names) {
      if stored == names { return try check(schema, stored, on: connection) }
      if log.tellsMigration {
        log(
          .migration,
          "the store '\(location)' keeps the names of its tables, which are \(stored)"
        )
      }
      return try check(StoreSchema.onServer(model, stored), stored, on: connection)
    }
    if let name = found.names.first { return .failure(.foreignTable(name, location)) }
    guard !isReadOnly else {
      return .failure(
        .cannotOpen("The store '\(location)' is empty.", "open it without 'isReadOnly' once")
      )
    }
    try create(schema, statements, on: connection)
    return try check(schema, names, on: connection)
  }

  /// Which of some tables there are in the schema where new ones would be made, and how texts are kept.
  private func tables(
    _ names: [String],
    on connection: PostgresConnection
  ) throws(PostgresFailure) -> (names: [String], encoding: String) {
    let result = try connection.run(
      """
      SELECT current_setting('server_encoding'), c.relname::text
      FROM (SELECT 1) AS one LEFT JOIN (pg_catalog.pg_class AS c
      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema())
      ON c.relname::text = ANY ($1) ORDER BY 2
      """,
      [.array(names.map { .text($0) }, of: .text)],
      .reading
    )
    let found = (0..<result.count).compactMap { row in
      result.isNull(row, 1) ? nil : result.text(row, 1)
    }
    return (found, result.count > 0 ? result.text(0, 0) : "")
  }
}

// MARK: - New stores

extension PostgresOpener {
  private func create(
    _ schema: StoreSchema,
    _ statements: SchemaStatements,
    on connection: PostgresConnection
  ) throws(PostgresFailure) {
    if log.tellsMigration { log(.migration, "the store '\(location)' is new: its tables are made") }
    let metadata = StoreMetadata(identifier: UUID(), model: model, storeType: "PostgreSQL")
    let names = schema.names.metadata
    let row = PostgresCall(
      """
      INSERT INTO \(names.table) (\(names.version), \(names.identifier), \(names.propertyList))
      VALUES (1, $1, $2)
      """,
      [
        .text(metadata.identifier.uuidString),
        .bytes(try MetadataRow.encoded(metadata)),
      ]
    )
    let definitions = (statements.tables + statements.indexes).map { sql in
      PostgresCall(PostgresStatement(sql, isKept: false))
    }
    try connection.transaction { connection throws(PostgresFailure) in
      _ = try connection.run(
        definitions + [row] + statements.counters() + [ChangeLog.want(history)].compactMap(\.self),
        PostgresRunOptions(commits: true)
      )
    }
  }
}

// MARK: - Existing stores

extension PostgresOpener {
  /// Checks the tables, whose names are given; the numbers of the entities may be others.
  private func check(
    _ unnumbered: StoreSchema,
    _ stored: TableNames,
    on connection: PostgresConnection
  ) throws(PostgresFailure) -> Result<Opened, PerennialError> {
    let names = unnumbered.names
    let row: MetadataRow?
    do throws(PostgresFailure) {
      row = try MetadataRow.read(names.metadata, connection)
    } catch {
      guard error.isAboutMissingName else { throw error }
      return .failure(.foreignTable(names.metadata.table.inCatalogue, location))
    }
    guard let metadata = row?.metadata, let hashes = metadata.hashes else {
      return .failure(.withoutMetadata(location, names.metadata))
    }
    let differences = StoredModel.differences(
      of: hashes,
      encoded: metadata.encodedModel,
      from: model
    )
    guard differences.isEmpty else {
      return .failure(.incompatible(location.description, differences))
    }
    if let missing = try missing(in: unnumbered, on: connection) {
      return .failure(.incomplete(location, missing))
    }
    let counters = names.counters
    let numbers = try connection.run(
      "SELECT \(counters.entity), \(counters.name) FROM \(counters.table)",
      [],
      .reading
    )
    let byName = Dictionary(
      (0..<numbers.count).map { (numbers.text($0, 1), numbers.integer($0, 0)) }
    ) { first, _ in first }
    guard model.entities.allSatisfy({ byName[$0.name] != nil }) else {
      return .failure(.incomplete(location, "rows of '\(counters.table.inCatalogue)'"))
    }
    let schema = StoreSchema.onServer(
      model,
      stored,
      numbers: model.entities.map { byName[$0.name] ?? 0 }
    )
    if !isReadOnly { try update(schema, on: connection) }
    let clock = try connection.run(
      """
      SELECT keeps_old_values, EXISTS (SELECT 1 FROM pg_catalog.pg_proc WHERE proname = 'pg_notify')
      FROM \(ChangeLog.clock)
      """,
      [],
      .reading
    )
    guard clock.count == 1 else {
      return .failure(.incomplete(location, "the row of '\(ChangeLog.clock)'"))
    }
    return .success(
      (metadata.identifier, schema, clock.bool(0, 0), clock.bool(0, 1), row?.generation ?? 0)
    )
  }

  /// The first table or column that a store lacks.
  private func missing(
    in schema: StoreSchema,
    on connection: PostgresConnection
  ) throws(PostgresFailure) -> String? {
    let wanted = SchemaStatements(schema).columns
    // The information schema would hide what the user may not read.
    let result = try connection.run(
      """
      SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_class AS c
      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema()
      JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relname::text = ANY ($1)
      """,
      [.array(wanted.map { .text($0.table) }, of: .text)],
      .reading
    )
    var columns: [String: Set<String>] = [:]
    for row in 0..<result.count {
      columns[result.text(row, 0), default: []].insert(result.text(row, 1))
    }
    for (table, names) in wanted {
      guard let found = columns[table] else { return "the table '\(table)'" }
      if let name = names.first(where: { !found.contains($0) }) {
        return "the column '\(name)' of '\(table)'"
      }
    }
    return nil
  }

  /// Makes the indexes that the model has gained, which are no part of its version, and deletes what is too old.
  private func update(
    _ schema: StoreSchema,
    on connection: PostgresConnection
  ) throws(PostgresFailure) {
    let found = try connection.run(
      "SELECT indexname::text FROM pg_catalog.pg_indexes WHERE schemaname = current_schema()",
      [],
      .reading
    )
    let names = Set((0..<found.count).map { found.text($0, 0) })
    let statements = SchemaStatements(schema)
    let missing = statements.fetchIndexes.filter { !names.contains($0.name) }
    if !missing.isEmpty, log.tellsMigration {
      let list = missing.map(\.name).joined(separator: ", ")
      log(.migration, "the store '\(location)' gets the indexes that the model has gained: \(list)")
    }
    for index in missing { try connection.execute(statements.sql(of: index)) }
    if let call = ChangeLog.want(history) {
      _ = try connection.run(call.statement, call.parameters)
    }
    _ = try connection.run(SaveToken.tidying)
    _ = try connection.run(ChangeLog.tidying)
  }
}

extension PostgresFailure {
  /// Whether a table, or what belongs to it, is there already.
  fileprivate var isAboutExistingTable: Bool {
    state == .duplicateTable || state == .uniqueViolation || state == .duplicateObject
  }

  /// Whether a table or column does not exist.
  fileprivate var isAboutMissingName: Bool {
    state == .undefinedColumn || state == .undefinedTable
  }
}
#endif
