// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

// The full-text indexes of a store that is being opened.

extension StoreOpener {
  /// The store with the full-text indexes that can be used; those that the model has gained are made.
  ///
  /// SQLite 3.40 lets no trigger write a table of trigrams unless it is told to trust the file's
  /// schema. So the triggers and views must all be our own. The file may have indexes that the model has not: another
  /// program's model has them, or this one's had.
  func addingFullText(
    to store: Opened,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Result<Opened, PerennialError> {
    let wanted = SchemaSQL(store.schema).fullTextIndexes
    guard !wanted.isEmpty || store.hasTextTriggers, SQLiteLibrary.hasTrigrams else {
      return .success(store)
    }
    var store = store
    if !isReadOnly {
      guard try connection.trustTextTriggers() else {
        // What other programs' indexes are of cannot be saved; all else can.
        if wanted.isEmpty { return .success(store) }
        return .failure(
          .cannotOpen(
            "The store '\(file.name)' has triggers or views of another program, and a full-text index.",
            "remove the triggers and views, or open it with 'isReadOnly'"
          )
        )
      }
      store.trustsSchema = true
      try addMissing(wanted, on: connection)
    }
    store.fullTextIndexes = try present(wanted, on: connection)
    return .success(store)
  }

  /// Makes and fills the indexes that the file lacks.
  private func addMissing(
    _ wanted: [FullTextIndex],
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    guard try present(wanted, on: connection).count < wanted.count else { return }
    try connection.transaction(.immediate) { () throws(SQLiteFailure) in
      let present = try present(wanted, on: connection)
      for index in wanted where !present.contains(index) {
        tellMigration("the store '\(file.name)' gets the full-text index '\(index.name)'")
        try dropRest(of: index, on: connection)
        for statement in index.statements { try connection.execute(statement) }
        try connection.execute(index.rebuild)
        try connection.execute(index.join)
      }
    }
  }

  /// Drops what is left of an index: migrations used to leave the table without its triggers.
  ///
  /// A table of its name that is not its own stays.
  private func dropRest(
    of index: FullTextIndex,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    let names = index.dependents.map { "'\($0)'" }.joined(separator: ", ")
    let table = index.statements[0].replacing("'", with: "''")
    let rest = try connection.texts(
      """
      SELECT 'DROP ' || type || ' ' || name FROM sqlite_master \
      WHERE type <> 'table' AND name IN (\(names)) OR sql = '\(table)'
      """
    )
    for statement in rest { try connection.execute(statement) }
  }

  /// The indexes that the file has as a whole: without a trigger, later rows would be missing.
  private func present(
    _ wanted: [FullTextIndex],
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Set<FullTextIndex> {
    let statements = Set(
      try connection.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    )
    return Set(wanted.filter { statements.isSuperset(of: $0.statements) })
  }
}

extension SQLiteConnection {
  /// Lets the triggers of full-text indexes write, unless something else would be let do so with them.
  ///
  /// - Returns: Whether they may.
  /// - Throws: What SQLite says.
  func trustTextTriggers() throws(SQLiteFailure) -> Bool {
    guard try SchemaCatalogue(self).isTrustworthy else { return false }
    SQLiteLibrary.trustSchema(handle)
    return true
  }
}
