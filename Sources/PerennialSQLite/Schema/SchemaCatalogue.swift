// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

/// The tables that a file has, with the statements that made them: what opening a store looks at first.
struct SchemaCatalogue {
  /// The names of the tables, in capitals: no views, and no tables that an extension makes up.
  let tables: Set<String>
  /// Whether the file has nothing at all.
  let isEmpty: Bool
  private let statements: Set<String>
  /// What runs by itself, as far as a store's tables are concerned, and is none of Core Data's or ours.
  let foreignCode: SchemaCode?

  init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      "SELECT name, sql, type, tbl_name FROM sqlite_master"
    )
    defer { statement.finalize() }
    var tables: Set<String> = []
    var statements: Set<String> = []
    var isEmpty = true
    var foreignCode: SchemaCode?
    var textIndexes: Set<String> = []
    var withinTextIndexes: [SchemaCode] = []
    while try statement.step() {
      isEmpty = false
      let (name, sql, kind) = (statement.text(0), statement.text(1), statement.text(2))
      let code = SchemaCode(kind: kind, name: name, table: statement.text(3), sql: sql)
      if foreignCode == nil, !code.isKnown { foreignCode = code }
      if code.textIndex != nil, !code.isOfFTS5 { withinTextIndexes.append(code) }
      guard kind == "table" else { continue }
      guard code.isOrdinaryTable else {
        textIndexes.insert(name.uppercased())
        continue
      }
      tables.insert(name.uppercased())
      statements.insert(sql)
    }
    self.tables = tables
    self.isEmpty = isEmpty
    self.statements = statements
    self.foreignCode =
      foreignCode
      ?? withinTextIndexes.first { $0.textIndex.map(textIndexes.contains) ?? false }
  }

  /// The schema of a model's store, if every table was made by just the statement that makes it in a new store.
  ///
  /// Then the store has all columns and types that the model asks for: SQLite itself knows them from these
  /// statements only. Of any other store this says nothing: ``SchemaIntrospection`` looks at its columns.
  ///
  /// - Parameters:
  ///   - model: The model whose version hashes the store has.
  ///   - connection: The connection that the catalogue was read with.
  /// - Returns: The schema, or `nil` when a statement is another one or an entity has no number.
  /// - Throws: What SQLite says.
  func usualSchema(
    of model: ModelLayout,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> StoreSchema? {
    guard statements.isSuperset(of: SchemaSQL.fixedTables) else { return nil }
    let numbers = try SchemaIntrospection.entityNumbers(of: model, on: connection)
      .compactMap(\.self)
    guard numbers.count == model.entities.count else { return nil }
    var builder = SchemaBuilder(model: model, numbers: numbers)
    let schema = builder.build()
    return statements.isSuperset(of: SchemaSQL(schema).tables) ? schema : nil
  }
}
