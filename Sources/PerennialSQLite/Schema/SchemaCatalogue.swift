// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

/// What a file's schema consists of, with the statements that made it: what opening a store looks at first.
struct SchemaCatalogue {
  /// The names of the tables, in capitals: no views, and no tables that an extension makes up.
  let tables: Set<String>
  private let statements: Set<String>
  private let parts: [SchemaCode]

  /// Whether the file has nothing at all.
  var isEmpty: Bool { parts.isEmpty }

  init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_master"
    )
    defer { statement.finalize() }
    var tables: Set<String> = []
    var statements: Set<String> = []
    var parts: [SchemaCode] = []
    while try statement.step() {
      let part = SchemaCode(
        kind: statement.text(0),
        name: statement.text(1),
        table: statement.text(2),
        sql: statement.text(3)
      )
      parts.append(part)
      guard part.kind == "table", part.isOrdinaryTable else { continue }
      tables.insert(part.name.uppercased())
      statements.insert(part.sql)
    }
    self.tables = tables
    self.statements = statements
    self.parts = parts
  }

  /// The names of the tables of full-text indexes, whatever a model says of these.
  var textIndexes: [String] { parts.filter(\.isTextIndex).map(\.name) }

  /// Whether there are triggers that write such tables.
  var hasTextTriggers: Bool { parts.contains(where: \.isTextTrigger) }

  /// Whether triggers may be let write tables of trigrams: they are all those of full-text indexes, there are no views,
  /// and no other code runs by itself.
  var isTrustworthy: Bool {
    foreignCode() == nil
      && parts.allSatisfy { !["trigger", "view"].contains($0.kind) || $0.isTextTrigger }
  }

  /// What runs by itself, as far as a store's tables are concerned, and is none of Core Data's or ours.
  ///
  /// - Parameter usual: What the file has, if that is known: its statements need not be looked at.
  /// - Returns: The first such part, or `nil`.
  func foreignCode(apartFrom usual: UsualSchema? = nil) -> SchemaCode? {
    let known = usual?.statements ?? []
    if let code = parts.first(where: { !known.contains($0.sql) && !$0.isKnown }) { return code }
    let textIndexes = Set(
      parts.filter { $0.kind == "table" && !$0.isOrdinaryTable }.map { $0.name.uppercased() }
    )
    return parts.first { part in
      part.textIndex.map(textIndexes.contains) == true && !part.isOfFTS5
    }
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
  ) throws(SQLiteFailure) -> UsualSchema? {
    guard statements.isSuperset(of: SchemaSQL.fixedTables) else { return nil }
    let numbers = try SchemaIntrospection.entityNumbers(of: model, on: connection)
      .compactMap(\.self)
    guard numbers.count == model.entities.count else { return nil }
    let usual = UsualSchema.of(model, numbers)
    return statements.isSuperset(of: usual.statements) ? usual : nil
  }
}
