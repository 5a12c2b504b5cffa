// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialSQL

@testable import PerennialSQLite

/// All rows of a table as SQLite gives them, without anything of the store's.
struct RawTable: Equatable {
  let rows: [[String: SQLValue]]

  init(_ name: String, on connection: SQLiteConnection) throws {
    let columns = try connection.texts("SELECT name FROM pragma_table_info('\(name)')")
    let list = columns.map { "\"\($0)\", typeof(\"\($0)\")" }.joined(separator: ", ")
    let statement = try connection.prepare("SELECT \(list) FROM \"\(name)\"")
    defer { statement.finalize() }
    var rows: [[String: SQLValue]] = []
    while try statement.step() {
      var row: [String: SQLValue] = [:]
      for (index, column) in columns.enumerated() {
        row[column] =
          switch statement.text(2 * index + 1) {
          case "integer": .integer(statement.integer(2 * index))
          case "real": .double(statement.double(2 * index))
          case "text": .text(statement.text(2 * index))
          case "blob": .blob(statement.data(2 * index))
          default: .null
          }
      }
      rows.append(row)
    }
    self.rows = rows
  }

  /// The rows by `Z_PK`.
  var byKey: [Int64: [String: SQLValue]] {
    Dictionary(rows.map { ($0["Z_PK"]?.integer ?? 0, $0) }) { first, _ in first }
  }
}

extension SQLValue {
  var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .double(let value): Int64(value)
    default: nil
    }
  }

  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  var bytes: Data? { if case .blob(let data) = self { data } else { nil } }
  var string: String? { if case .text(let text) = self { text } else { nil } }
}
