// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialSQL
import PerennialStore

/// Reads what a SQLite store's file says of itself.
///
/// Everything is read in one transaction, so that the numbers fit together while others write.
package struct SQLiteInspector {
  private let connection: SQLiteConnection
  private let tableNames: Set<String>

  /// Inspects a store; nothing is written, nor left beside it.
  ///
  /// - Parameters:
  ///   - url: The store's file.
  ///   - model: The model that tells which attributes have large values, if it is known.
  /// - Returns: What is there.
  /// - Throws: `persistentStoreOpen` (134080) when the file is no store, `sqlite` (134180) when it is too
  ///   damaged to be read.
  package static func inspect(
    _ url: URL,
    model: ManagedObjectModel? = nil
  ) throws(PerennialError) -> SQLiteInspection {
    // An own look at the file, before SQLite has it open: it does not tell a log that it does not use.
    let keepsLog = try StoreFile(url, isReadOnly: true).keepsLog
    var inspection = try look(into: url) { (inspector) throws(SQLiteFailure) in
      var found = try inspector.inspection()
      // What is damaged cannot be counted, and is told already.
      if found.problems.isEmpty, let model {
        found.missingLargeValueCount = try? inspector.missingLargeValueCount(model.layout, url)
      }
      return found
    }
    if keepsLog { inspection.journalMode = "wal" }
    return inspection
  }

  /// How many large values rows of a store name that are not there; nothing else of it is read.
  ///
  /// - Parameters:
  ///   - url: The store's file.
  ///   - model: The model that tells which attributes have large values.
  /// - Returns: The number; `nil` when the store is not of the model.
  /// - Throws: As ``inspect(_:model:)``.
  /// - Complexity: That of the rows of entities with attributes that may have large values.
  package static func missingLargeValueCount(
    in url: URL,
    _ model: ModelLayout
  ) throws(PerennialError) -> Int? {
    guard model.entities.contains(where: \.allowsExternalValues) else { return 0 }
    return try look(into: url) { (inspector) throws(SQLiteFailure) in
      try inspector.missingLargeValueCount(model, url)
    }
  }

  /// Reads something of a store in one transaction, if the file is one.
  private static func look<Found>(
    into url: URL,
    _ read: (SQLiteInspector) throws(SQLiteFailure) -> Found
  ) throws(PerennialError) -> Found {
    let file = try StoreFile(url, isReadOnly: true)
    guard file.exists else {
      throw .cannotOpen("The store '\(file.name)' is empty.", "check the path")
    }
    let found: Found?
    var missing: String?
    do throws(SQLiteFailure) {
      let connection = try file.connect(isReadOnly: true, .seconds(5), leavesNoTrace: true).0
      found = try connection.transaction(.deferred) { () throws(SQLiteFailure) in
        let inspector = try SQLiteInspector(connection)
        missing = try inspector.isStore ? inspector.missingColumn() : nil
        return inspector.isStore && missing == nil ? try read(inspector) : nil
      }
    } catch {
      throw PerennialError(error, during: .reading, store: file.name)
    }
    if let missing { throw .incomplete(file.name, "'\(missing)'") }
    guard let found else { throw .foreignDatabase(file.name) }
    return found
  }

  private init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    self.connection = connection
    tableNames = Set(
      try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    )
  }

  private var isStore: Bool { tableNames.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) }

  /// The first column that the table of the entities lacks.
  private func missingColumn() throws(SQLiteFailure) -> String? {
    try SchemaIntrospection(connection).firstMissingColumnOfEntities
  }

  private func inspection() throws(SQLiteFailure) -> SQLiteInspection {
    var found = SQLiteInspection()
    let metadata = try MetadataTable(connection).read()
    found.metadata = metadata?.shown
    found.frameworkVersion = metadata?.frameworkVersion
    found.versionIdentifiers = metadata?.versionIdentifiers ?? []
    found.hasModelCache = try CachedModel.isIn(connection)
    let sizes = sizes()
    found.tables = try tables(sizes)
    found.indexes = try indexes(sizes)
    found.entities = try entities()
    if tableNames.contains("ATRANSACTION") {
      found.transactionCount = try number("SELECT COUNT(*) FROM ATRANSACTION")
    }
    found.journalMode = try connection.texts("PRAGMA journal_mode").first ?? ""
    found.pageSize = try number("PRAGMA page_size")
    found.pageCount = try number("PRAGMA page_count")
    found.freePageCount = try number("PRAGMA freelist_count")
    found.problems = try problems()
    return found
  }

  /// What is wrong with the pages; or why that cannot be told, as of an index in an order of another program's.
  private func problems() throws(SQLiteFailure) -> [String] {
    do throws(SQLiteFailure) {
      return try connection.texts("PRAGMA integrity_check").filter { $0 != "ok" }
    } catch {
      guard error.primaryCode == SQLiteFailure.error else { throw error }
      return [SQLiteInspection.unchecked + error.message]
    }
  }

  /// How many large values rows name that are not there; `nil` when the store is not of the model.
  private func missingLargeValueCount(
    _ model: ModelLayout,
    _ url: URL
  ) throws(SQLiteFailure) -> Int? {
    guard let schema = try StoreSchema.stored(on: connection, model) else { return nil }
    let named = Set(try LargeValues.names(schema, on: connection).map { $0.uppercased() })
    if named.isEmpty { return 0 }
    do throws(FileFailure) {
      return named.subtracting(try StoreNames(url).externalNames().map { $0.uppercased() }).count
    } catch {
      throw SQLiteFailure(error, "read")
    }
  }

  private func number(_ sql: String) throws(SQLiteFailure) -> Int {
    Int(try connection.integers(sql).first ?? 0)
  }

  /// The bytes of tables and indexes by name; empty when SQLite was built without `dbstat`.
  private func sizes() -> [String: Int] {
    var sizes: [String: Int] = [:]
    do throws(SQLiteFailure) {
      let statement = try connection.prepare(
        "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"
      )
      defer { statement.finalize() }
      while try statement.step() { sizes[statement.text(0)] = Int(statement.integer(1)) }
      return sizes
    } catch {
      return [:]
    }
  }

  private func tables(
    _ sizes: [String: Int]
  ) throws(SQLiteFailure) -> [SQLiteInspection.Table] {
    var tables: [SQLiteInspection.Table] = []
    let names = try connection.texts(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
      """
    )
    for name in names {
      let count = try number("SELECT COUNT(*) FROM \(name.quotedForSQL) NOT INDEXED")
      tables.append(.init(name: name, rowCount: count, byteCount: sizes[name]))
    }
    return tables
  }

  private func indexes(
    _ sizes: [String: Int]
  ) throws(SQLiteFailure) -> [SQLiteInspection.Index] {
    let statement = try connection.prepare(
      """
      SELECT m.name, m.tbl_name, l."unique" FROM sqlite_master AS m
      JOIN pragma_index_list(m.tbl_name) AS l ON l.name = m.name
      WHERE m.type = 'index' ORDER BY m.tbl_name, m.name
      """
    )
    defer { statement.finalize() }
    var indexes: [SQLiteInspection.Index] = []
    while try statement.step() {
      let name = statement.text(0)
      indexes.append(
        .init(
          name: name,
          table: statement.text(1),
          columns: [],
          isUnique: statement.integer(2) != 0,
          byteCount: sizes[name]
        )
      )
    }
    for place in indexes.indices {
      indexes[place].columns = try columns(of: indexes[place].name)
    }
    return indexes
  }

  private func columns(of index: String) throws(SQLiteFailure) -> [String?] {
    let statement = try connection.prepare("SELECT name FROM pragma_index_info(?) ORDER BY seqno")
    defer { statement.finalize() }
    try statement.bind([.text(index)])
    var columns: [String?] = []
    while try statement.step() { columns.append(statement.isNull(0) ? nil : statement.text(0)) }
    return columns
  }

  /// The entities with their rows: those of a family are in the table of its root.
  private func entities() throws(SQLiteFailure) -> [SQLiteInspection.Entity] {
    let statement = try connection.prepare(
      """
      SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.Number.first)
      ORDER BY Z_ENT
      """
    )
    defer { statement.finalize() }
    var names: [Int64: String] = [:]
    var parents: [Int64: Int64] = [:]
    var numbers: [Int64] = []
    while try statement.step() {
      let number = statement.integer(1)
      numbers.append(number)
      names[number] = statement.text(0)
      parents[number] = statement.integer(2)
    }
    let tables = Dictionary(tableNames.map { ($0.uppercased(), $0) }) { first, _ in first }
    let roots = Self.roots(of: numbers, parents)
    var counts: [String: [Int64: Int]] = [:]
    var entities: [SQLiteInspection.Entity] = []
    for number in numbers {
      let root = roots[number].flatMap { names[$0] } ?? ""
      let table = tables["Z" + root.uppercased()]
      if let table, counts[table] == nil { counts[table] = try rowCounts(of: table) }
      entities.append(
        .init(
          name: names[number] ?? "",
          number: number,
          superentity: parents[number].flatMap { names[$0] },
          table: table,
          rowCount: table.flatMap { counts[$0]?[number] } ?? 0
        )
      )
    }
    return entities
  }

  /// What is at the top of each entity's family.
  ///
  /// A damaged store may say that an entity is above itself: then it is one of those that go in a circle.
  private static func roots(of numbers: [Int64], _ parents: [Int64: Int64]) -> [Int64: Int64] {
    var roots: [Int64: Int64] = [:]
    for number in numbers {
      var way: [Int64] = []
      var top = number
      while roots[top] == nil {
        roots[top] = top
        way.append(top)
        guard let parent = parents[top], parents[parent] != nil else { break }
        top = parent
      }
      let root = roots[top]
      for step in way { roots[step] = root }
    }
    return roots
  }

  private func rowCounts(of table: String) throws(SQLiteFailure) -> [Int64: Int] {
    let statement = try connection.prepare(
      "SELECT Z_ENT, COUNT(*) FROM \(table.quotedForSQL) NOT INDEXED GROUP BY Z_ENT"
    )
    defer { statement.finalize() }
    var counts: [Int64: Int] = [:]
    while try statement.step() { counts[statement.integer(0)] = Int(statement.integer(1)) }
    return counts
  }
}
