// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL

/// Values of one type in one parameter: the text of an array, which the server reads.
struct PostgresArray {
  /// The array in SQL.
  let sql: String
  let value: SQLValue

  /// The array of values of the first one's type, which all others have.
  init(_ values: [SQLValue]) {
    sql = "CAST(? AS \(values.first?.arrayType ?? "bigint[]"))"
    value = .text("{" + values.map(\.element).joined(separator: ",") + "}")
  }

  /// Arrays of all values, one for each type.
  static func arrays(_ values: [SQLValue]) -> [PostgresArray] {
    var types: [String] = []
    for value in values where !types.contains(value.arrayType) { types.append(value.arrayType) }
    return types.map { type in PostgresArray(values.filter { $0.arrayType == type }) }
  }
}

extension SQLValue {
  fileprivate var arrayType: String {
    switch self {
    case .null, .integer: "bigint[]"
    case .double: "double precision[]"
    case .text: "text[]"
    case .blob: "bytea[]"
    }
  }

  /// The value as an element in the text of an array.
  fileprivate var element: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .text(let text): "\"" + text.escaping("\\", "\"", with: "\\") + "\""
    case .blob(let data):
      "\"\\\\x" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }
  }
}
