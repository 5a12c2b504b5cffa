// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

/// Sets keys aside for new rows, never twice (FORMAT 2.3).
struct KeyAllocator {
  let connection: SQLiteConnection
  let schema: StoreSchema

  /// Reserves keys of a root entity's table in a transaction of its own.
  ///
  /// - Returns: The first of them.
  func reserve(_ count: Int, root: Int) throws(SQLiteFailure) -> Int64 {
    let number = schema.number(of: root)
    return try connection.transaction(.immediate) { () throws(SQLiteFailure) in
      let table = schema.table(of: root)
      // Rows that were written past the counter must not be met again.
      let greatest = try connection.integers(
        """
        SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)), 0),
        IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0))
        """
      )
      let last = max(greatest.first ?? 0, 0)
      // The counter is as the file has it.
      guard last <= SQLiteStore.greatestKey - Int64(count) else {
        throw SQLiteFailure.noKeysLeft(table)
      }
      let update = try connection.statement(.reserve(root)) { () throws(SQLiteFailure) in
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?"
      }
      update.bind(1, last + Int64(count))
      update.bind(2, number)
      try update.run()
      return last + 1
    }
  }
}
