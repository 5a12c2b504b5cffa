// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Opens a store: makes its tables when the file is new, else checks that it fits the model.
///
/// Until a store is known to fit, nothing is written: not even its journal mode changes.
struct StoreOpener {
  let file: StoreFile
  let model: ModelLayout
  let isReadOnly: Bool
  let busyTimeout: Duration
  var history = HistoryOptions()
  var options = StoreOptions()
  let pragmas: StorePragmas
  let log: EventLog

  /// What an open store consists of.
  struct Opened {
    let identifier: UUID
    let schema: StoreSchema
    /// Whether there may be tables of the history.
    var mayHaveHistory = false
    /// Whether the file has triggers of full-text indexes.
    var hasTextTriggers = false
    /// The file that was opened; `nil` in memory.
    var file: FileStatus?
    var fullTextIndexes: Set<FullTextIndex> = []
    /// Whether triggers may write the tables of full-text indexes.
    var trustsSchema = false
    var historyTables: HistoryTables?
    let access: SQLiteConnection.Access
  }

  /// Opens the first connection, which later writes, and checks the store.
  func open() throws(PerennialError) -> (SQLiteConnection, Opened) {
    let connection: SQLiteConnection
    var opened: Result<Opened, PerennialError>
    let status: FileStatus?
    let hasLog: Bool
    do throws(SQLiteFailure) {
      hasLog = try file.hasLog()
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
    if let problem = problemAtFirstSight(hasLog) { throw problem }
    do throws(SQLiteFailure) {
      let access: SQLiteConnection.Access
      (connection, access) = try file.connect(
        isReadOnly: isReadOnly,
        busyTimeout,
        log.level,
        leavesNoTrace: options.leavesNoTrace
      )
      if !isReadOnly { SQLiteLibrary.keepLogOnClose(connection.handle, hasLog) }
      let catalogue = try SchemaCatalogue(connection)
      opened =
        catalogue.isEmpty
        ? try create(on: connection, access)
        : try check(catalogue, on: connection, access)
      if case .success(let store) = opened {
        try configure(connection, store.schema)
        var withHistory = store
        withHistory.historyTables = try openHistory(on: connection, store.mayHaveHistory)
        opened = try addingFullText(to: withHistory, on: connection)
        try tidy(connection)
      }
      status = try StoreFile.status(of: file.path)
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
    // While this waited for a lock, another process may have put a migrated store in the file's place.
    if case .success = opened, connection.hasMoved { return try open() }
    log(connection.takeEvents())
    _ = connection.takeCounters()
    var store = try opened.get()
    store.file = status
    return (connection, store)
  }

  /// Why a store cannot be opened; `nil` when it can be, or when that shows later.
  ///
  /// It is found without making the files that users of a write-ahead log share, where SQLite would leave
  /// them behind.
  private func problemAtFirstSight(_ hasLog: Bool) -> PerennialError? {
    guard file.exists, isReadOnly || hasLog else { return nil }
    // Damage that is seen twice is no write of another process that was in between.
    for isLast in [false, true] {
      do throws(SQLiteFailure) {
        let connection = try file.connectBriefly(busyTimeout)
        let catalogue = try SchemaCatalogue(connection)
        if catalogue.isEmpty { return nil }
        let result = try check(catalogue, on: connection, .read)
        return if case .failure(let problem) = result { problem } else { nil }
      } catch {
        guard error.isAboutDamage else { return nil }
        if isLast { return PerennialError(error, during: .opening, store: file.name) }
      }
    }
    return nil
  }

  /// Tells what opening does to the store, if that is wanted.
  func tellMigration(_ message: @autoclosure () -> String) {
    if log.tellsMigration { log(.migration, message()) }
  }

  /// The settings of the connection that writes.
  private func configure(
    _ connection: SQLiteConnection,
    _ schema: StoreSchema
  ) throws(SQLiteFailure) {
    guard !isReadOnly else { return }
    try ConnectionMaker.prepareToWrite(connection, options.durability, pragmas, busyTimeout)
    try addMissingIndexes(on: connection, schema)
  }

  /// Writes the file anew and counts what its indexes hold, if that is wanted.
  private func tidy(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    guard !isReadOnly else { return }
    if options.vacuums {
      tellMigration("the store '\(file.name)' is written anew")
      try connection.execute("VACUUM")
    }
    if options.analyzes {
      tellMigration("the indexes of the store '\(file.name)' are analysed")
      try connection.execute("ANALYZE")
    }
  }

  /// Makes the fetch indexes that the model has gained: they are no part of its version.
  private func addMissingIndexes(
    on connection: SQLiteConnection,
    _ schema: StoreSchema
  ) throws(SQLiteFailure) {
    let wanted = SchemaSQL(schema).fetchIndexes
    guard !wanted.isEmpty else { return }
    func missing() throws(SQLiteFailure) -> [SchemaIndex] {
      let stored = try connection.texts(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
      )
      // Most are there word for word, which is quicker to see than what an index covers.
      let statements = Set(stored)
      let others = wanted.filter { !statements.contains($0.sql) }
      guard !others.isEmpty else { return [] }
      var targets = Set(stored.map(SchemaIndex.target))
      return others.filter { targets.insert($0.target).inserted }
    }
    let places = try missing().map(\.target).sorted().joined(separator: ", ")
    guard !places.isEmpty else { return }
    tellMigration("the store '\(file.name)' gets the indexes that the model has gained: \(places)")
    try connection.transaction(.immediate) { () throws(SQLiteFailure) in
      // The name may be that of an index of an earlier model.
      var taken = Set(
        try connection.texts("SELECT name FROM sqlite_master").map { $0.uppercased() }
      )
      // Another process may have made some while this one waited for the lock.
      for index in try missing() { try connection.execute(index.named(apartFrom: &taken).sql) }
    }
  }

  /// The tables of the history, made if they are wanted; `nil` when the store has none.
  private func openHistory(
    on connection: SQLiteConnection,
    _ mayHaveTables: Bool
  ) throws(SQLiteFailure) -> HistoryTables? {
    if history.isOn, !isReadOnly {
      let count = model.entities.map(\.preservedSlots.count).max() ?? 0
      let present = try HistoryTables(connection)
      let isComplete =
        present.map {
          $0.tombstoneCount >= count && ($0.hasDetails || !history.keepsOldValues)
        } ?? false
      if !isComplete {
        try connection.transaction(.immediate) { () throws(SQLiteFailure) in
          try HistoryTables.create(
            on: connection,
            tombstoneCount: count,
            keepsOldValues: history.keepsOldValues
          )
        }
      }
    } else if !mayHaveTables {
      return nil
    }
    return try HistoryTables(connection)
  }
}

// MARK: - New stores

extension StoreOpener {
  private func create(
    on connection: SQLiteConnection,
    _ access: SQLiteConnection.Access
  ) throws(SQLiteFailure) -> Result<Opened, PerennialError> {
    guard !isReadOnly else {
      return .failure(
        .cannotOpen("The store '\(file.name)' is empty.", "open it without 'isReadOnly' once")
      )
    }
    try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL")
    try ConnectionMaker.keepLog(connection, pragmas, busyTimeout)
    try connection.execute("PRAGMA synchronous = EXTRA")
    var builder = SchemaBuilder(model: model)
    let schema = builder.build()
    let metadata = StoreMetadata(identifier: UUID(), model: model)
    let tables = try connection.transaction(.immediate) { () throws(SQLiteFailure) -> [String] in
      let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      if tables.isEmpty {
        tellMigration("the store '\(file.name)' is new: its tables are made")
        try write(schema, metadata, on: connection)
      }
      return tables
    }
    // Another process may have made the store while this one waited for the lock.
    guard tables.isEmpty else {
      return try check(SchemaCatalogue(connection), on: connection, access)
    }
    return .success(Opened(identifier: metadata.identifier, schema: schema, access: access))
  }

  private func write(
    _ schema: StoreSchema,
    _ metadata: StoreMetadata,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    let sql = SchemaSQL(schema)
    for statement in sql.tables { try connection.execute(statement) }
    for index in sql.indexes { try connection.execute(index.sql) }
    let row = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
    for entity in model.entities {
      try row.bind([
        .integer(schema.number(of: entity.index)), .text(entity.name),
        .integer(entity.superentity.map(schema.number) ?? 0),
      ])
      try row.run()
    }
    try MetadataTable(connection).write(metadata, isNew: true)
  }
}

// MARK: - Existing stores

extension StoreOpener {
  private func check(
    _ catalogue: SchemaCatalogue,
    on connection: SQLiteConnection,
    _ access: SQLiteConnection.Access
  ) throws(SQLiteFailure) -> Result<Opened, PerennialError> {
    guard catalogue.tables.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
      return .failure(.foreignDatabase(file.name))
    }
    guard try connection.texts("PRAGMA encoding") == ["UTF-8"] else {
      return .failure(
        .cannotOpen("The store '\(file.name)' is not kept in UTF-8.", "convert it with sqlite3")
      )
    }
    guard let stored = try MetadataTable(connection).readModel() else {
      let problem = try MetadataTable(connection).problem()
      return .failure(.withoutMetadata(file.name, problem))
    }
    let differences = StoredModel.differences(
      of: stored.hashes,
      encoded: stored.encoded,
      from: model
    )
    let writer = WriterModel(stored.hashes, on: connection)
    guard try writer.canBe(model, differingIn: differences) else {
      let names = differences.joined(separator: ", ")
      tellMigration("the store '\(file.name)' is of another version of the model: \(names)")
      return .failure(.incompatible(file.name, differences))
    }
    let usual =
      differences.isEmpty ? try catalogue.usualSchema(of: model, on: connection) : nil
    if !isReadOnly, let code = catalogue.foreignCode(apartFrom: usual) {
      return .failure(.foreignCode(code, in: file.name))
    }
    func opened(_ schema: StoreSchema) -> Opened {
      Opened(
        identifier: stored.identifier,
        schema: schema,
        mayHaveHistory: catalogue.tables.isSuperset(of: ["ACHANGE", "ATRANSACTION"]),
        hasTextTriggers: catalogue.hasTextTriggers,
        access: access
      )
    }
    if let usual { return .success(opened(usual.schema)) }
    let found = try SchemaIntrospection(connection)
    let schema: StoreSchema
    switch try found.fit(of: model, on: connection) {
    case .whole(let whole): schema = whole
    case .lacks(let missing):
      return .failure(
        differences.isEmpty
          ? .incomplete(file.name, missing) : .incompatible(file.name, differences)
      )
    }
    if let wrong = found.firstWrongType(of: schema) {
      guard differences.isEmpty else { return .failure(.incompatible(file.name, differences)) }
      return .failure(
        .cannotOpen(
          "The store '\(file.name)' has '\(wrong.column)' as \(wrong.found), which its model has as \(wrong.expected).",
          "restore the store from a copy"
        )
      )
    }
    return .success(opened(schema))
  }
}
