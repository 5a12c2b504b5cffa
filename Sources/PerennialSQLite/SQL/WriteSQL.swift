// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The statements that write rows.
enum WriteSQL {
  /// Several rows at once.
  ///
  /// `OR ROLLBACK`, because a plain INSERT of several rows into a table with a unique index makes
  /// SQLite keep a journal for the statement, which doubles its cost.
  static func insert(into table: String, columns: [String], rows: Int) -> String {
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).joined(separator: ", ")
    let marks = SQLText.marks(columns.count + 3)
    let values = repeatElement("(\(marks))", count: rows).joined(separator: ", ")
    return "INSERT OR ROLLBACK INTO \(table) (\(names)) VALUES \(values)"
  }

  /// One row, when it has the expected version; `emptied` columns become NULL.
  static func update(_ table: String, columns: [String], emptied: [String]) -> String {
    let assignments =
      ["Z_OPT = ?"] + columns.map { "\($0) = ?" } + emptied.map { "\($0) = NULL" }
    let list = assignments.joined(separator: ", ")
    return "UPDATE \(table) SET \(list) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
  }

  /// The same values into all rows of a condition on `t0` that follows, which get the next version.
  static func updateAll(_ table: String, columns: [String]) -> String {
    let assignments = columns.map { "\($0) = ?" } + ["Z_OPT = IFNULL(Z_OPT, 0) + 1"]
    return "UPDATE \(table) AS t0 SET \(assignments.joined(separator: ", "))"
  }

  /// NULL into columns of one row.
  static func clear(_ table: String, columns: [String]) -> String {
    let list = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    return "UPDATE \(table) SET \(list) WHERE Z_PK = ?"
  }
}
