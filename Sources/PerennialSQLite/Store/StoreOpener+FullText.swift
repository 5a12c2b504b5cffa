// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

// The full-text indexes of a store that is being opened.

extension StoreOpener {
  /// The store with the full-text indexes that can be used; those that the model has gained are made.
  ///
  /// SQLite 3.40 lets no trigger write a table of trigrams unless it is told to trust the file's
  /// schema. So the triggers and views must all be our own.
  func addingFullText(
    to store: Opened,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Result<Opened, PerennialError> {
    let wanted = SchemaSQL(store.schema).fullTextIndexes
    guard !wanted.isEmpty, SQLiteLibrary.hasTrigrams else { return .success(store) }
    if !isReadOnly { try addMissing(wanted, on: connection) }
    var store = store
    store.fullTextIndexes = try present(wanted, on: connection)
    guard !isReadOnly, !store.fullTextIndexes.isEmpty else { return .success(store) }
    let ours = Set(store.fullTextIndexes.flatMap(\.statements))
    let found = try connection.texts(
      "SELECT sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
    )
    guard ours.isSuperset(of: found) else {
      return .failure(
        .cannotOpen(
          "The store '\(file.name)' has triggers or views of another program, and a full-text index.",
          "remove the triggers and views, or the index from the model"
        )
      )
    }
    SQLiteLibrary.trustSchema(connection.handle)
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
        for statement in index.statements { try connection.execute(statement) }
        try connection.execute(index.rebuild)
        try connection.execute(index.join)
      }
    }
  }

  /// The indexes that the file has.
  private func present(
    _ wanted: [FullTextIndex],
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Set<FullTextIndex> {
    let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    return Set(wanted.filter { tables.contains($0.name) })
  }
}
