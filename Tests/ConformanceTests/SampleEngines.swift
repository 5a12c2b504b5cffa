// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL

/// The example in the comment of `SQLEngine`: MySQL 8.4, as its manual has it in "Schema Object Names" (identifiers),
/// "Comparison Functions and Operators" (`<=>`), "String Functions and Operators" (`LOCATE`), "Working with NULL
/// Values" (NULL sorts first), "SELECT Statement".
struct MySQL: SQLEngine {
  func typeName(of type: SQLColumnType) -> String {
    switch type {
    case .integer: "BIGINT"
    case .double: "DOUBLE"
    case .text: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    case .bytes: "LONGBLOB"
    }
  }

  func quoted(_ name: String) -> String { "`\(name)`" }
  func isSame(_ left: String, _ right: String) -> String { "\(left) <=> \(right)" }
  func order(_ value: String, ascending: Bool) -> String { ascending ? value : "\(value) DESC" }
  func contains(_ text: String, _ part: String) -> String? { "LOCATE(\(part), \(text)) > 0" }
}

/// A database with numbered parameters that takes only a few, and knows nothing but what has to be.
struct Numbered: SQLEngine {
  func typeName(of type: SQLColumnType) -> String { "\(type)" }
  func parameter(_ number: Int) -> String { ":p\(number)" }
  var greatestParameterCount: Int { 20 }
  var longestName: Int { 20 }
}

/// The example of the article WritingAStore.
struct DuckDB: SQLEngine {
  func typeName(of type: SQLColumnType) -> String {
    switch type {
    case .integer: "BIGINT"
    case .double: "DOUBLE"
    case .text: "VARCHAR"
    case .bytes: "BLOB"
    }
  }

  func contains(_ text: String, _ part: String) -> String? { "contains(\(text), \(part))" }
}
