// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL

/// An index: its name, and the statement that makes it.
struct SchemaIndex: Sendable, Hashable {
  private(set) var name: String
  private let isUnique: Bool
  /// The table, the columns in brackets, and the condition if it has one.
  private let place: String

  init(_ name: String, isUnique: Bool = false, on place: String) {
    self.name = name
    self.isUnique = isUnique
    self.place = place
  }

  var sql: String { "CREATE \(isUnique ? "UNIQUE INDEX" : "INDEX") \(name.asSQLName) ON \(place)" }

  /// The index with a number behind its name when something has that name already, in letters of either case: to
  /// SQLite they are the same.
  ///
  /// - Parameter taken: The names of the store's tables and indexes in capitals, to which the index's is added.
  /// - Returns: The index under its name.
  func named(apartFrom taken: inout Set<String>) -> SchemaIndex {
    var index = self
    var suffix = 0
    while !taken.insert(index.name.uppercased()).inserted {
      suffix += 1
      index.name = name + String(suffix)
    }
    return index
  }

  /// The table and the columns: what two indexes of different names may have in common.
  var target: String { Self.target(ofStatement: sql) }

  /// Frameworks up to 754 left out what SQLite does anyway, and migrated tables have names in quotes.
  static func target(ofStatement sql: String) -> String {
    // Every other part is in quotes: a name that may say ON itself.
    let parts = sql.split(separator: "\"", omittingEmptySubsequences: false)
    let plain = stride(from: 0, to: parts.count, by: 2).lazy.map { parts[$0] }
    let start = plain.compactMap { $0.firstRange(of: " ON ")?.upperBound }.first ?? sql.startIndex
    return sql[start...].uppercased().replacing("\"", with: "")
      .replacing(" COLLATE BINARY", with: "").replacing(" ASC", with: "")
  }
}
