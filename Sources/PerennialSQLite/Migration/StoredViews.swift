// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL

/// The views that somebody has made in a store, which are taken out while its tables change.
///
/// SQLite renames no table and no column while a view names a table that is gone.
struct StoredViews {
  private let connection: SQLiteConnection
  /// The statements that made them.
  private let statements: [String]

  /// Takes out all views of a store.
  ///
  /// - Parameter connection: The connection to the store, in a transaction.
  /// - Throws: What SQLite says.
  init(takenOutOn connection: SQLiteConnection) throws(SQLiteFailure) {
    self.connection = connection
    let views = "FROM sqlite_master WHERE type = 'view' ORDER BY rowid"
    statements = try connection.texts("SELECT sql \(views)")
    for name in try connection.texts("SELECT name \(views)") {
      try connection.execute("DROP VIEW \(name.quotedForSQL)")
    }
  }

  /// Puts them back as they were, whether what they name is still there or not.
  func putBack() throws(SQLiteFailure) {
    for sql in statements {
      // Only the first statement of a text, which SQLite has seen to be that of a view.
      let statement = try connection.prepare(sql)
      defer { statement.finalize() }
      try statement.run()
    }
  }
}
