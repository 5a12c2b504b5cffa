// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation

/// Somebody with SQLite's own means, and no respect.
///
/// Safe because the text that C lends is copied before it is freed.
enum Enemy {
  /// A column of a table.
  struct Column: Hashable {
    var table: String
    var name: String
  }

  /// Runs statements on a file, as far as they go.
  @discardableResult
  static func execute(_ sql: String, on file: URL) -> Bool {
    hostile_execute(file.path(percentEncoded: false), sql) == 0
  }

  /// The rows of a query, without NULL and without tabs.
  static func rows(_ sql: String, of file: URL) -> [[String]] {
    guard let text = hostile_query(file.path(percentEncoded: false), sql) else { return [] }
    defer { free(text) }
    return String(cString: text).split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
  }

  /// The columns of all ordinary tables.
  static func columns(of file: URL) -> [Column] {
    rows(
      """
      SELECT m.name, p.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p
      WHERE m.type = 'table' AND m.sql LIKE 'CREATE TABLE%' ORDER BY m.name, p.cid
      """,
      of: file
    ).compactMap { $0.count == 2 ? Column(table: $0[0], name: $0[1]) : nil }
  }

  /// Writes everything of the write-ahead log into the file, which has none then.
  static func settle(_ file: URL) {
    execute("PRAGMA wal_checkpoint(TRUNCATE)", on: file)
  }
}
