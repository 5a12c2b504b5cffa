// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The function that makes a sum of decimals what a column of decimals keeps: the double nearest to its 15
/// digits, as 0.1 + 0.2 is 0.30000000000000004.
enum DecimalFunction {
  /// A call of the function.
  static func call(_ number: String) -> String { "pn_decimal(\(number))" }

  /// Registers the function on a connection, for statements only.
  static func register(on connection: SQLiteConnection) throws(SQLiteFailure) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    try connection.add("pn_decimal", arguments: 1, flags) { context, _, values in
      // Safe because SQLite gives the one argument that was declared, and it lives while the call runs.
      guard let value = values?[0] else { return }
      guard sqlite3_value_type(value) == SQLITE_FLOAT else {
        return sqlite3_result_value(context, value)
      }
      switch DecimalText.stored(DecimalText.text(of: sqlite3_value_double(value))) {
      case .integer(let number): sqlite3_result_int64(context, number)
      case .double(let number): sqlite3_result_double(context, number)
      default: sqlite3_result_value(context, value)
      }
    }
  }
}
