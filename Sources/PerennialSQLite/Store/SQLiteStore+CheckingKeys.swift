// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialSQL
import PerennialStore

extension SQLiteStore {
  /// Looks for rows whose keys no object can have: rows and references hold 48 bits of a key, with its sign.
  ///
  /// Neither Core Data nor Perennial gives such keys; another program may. It takes two look-ups for each table.
  ///
  /// - Throws: `persistentStoreOpen` (134080), which names the first of them, or SQLite's error.
  package func checkKeys() throws(PerennialError) {
    for definition in schema.definitions {
      let keys = try read { connection throws(SQLiteFailure) in
        try connection.integers(
          "SELECT MIN(Z_PK) FROM \(definition.name) HAVING MIN(Z_PK) NOT NULL"
        )
          + connection.integers(
            "SELECT MAX(Z_PK) FROM \(definition.name) HAVING MAX(Z_PK) NOT NULL"
          )
      }
      guard let key = keys.first(where: { !(1...Self.greatestKey).contains($0) }) else { continue }
      throw .cannotOpen(
        "'\(definition.name)' has a row with the key \(key), which no object can have.",
        "give the row a key from 1 to \(Self.greatestKey) with sqlite3: it is not read as it should be"
      )
    }
  }

  /// The greatest key that an object can have; the least is 1.
  static let greatestKey: Int64 = 1 << 47 - 1
}

extension SQLiteFailure {
  /// A key that no object can have: neither Core Data nor Perennial gives such ones.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - isOfOther: Whether a relationship leads to it.
  /// - Returns: The failure.
  static func impossibleKey(_ key: Int64, isOfOther: Bool = false) -> SQLiteFailure {
    SQLiteFailure(
      code: corrupt,
      message: "a row \(isOfOther ? "leads to" : "has") the key \(key), which no object can have"
    )
  }
}
