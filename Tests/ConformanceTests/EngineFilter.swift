// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// Conditions on whole numbers, truth values and plain texts; everything else is left to the library.
enum EngineFilter {
  static func matches(_ row: StoreRow, _ condition: StoreCondition) throws -> Bool {
    switch condition {
    case .constant(let value): return value
    case .and(let parts): return try parts.allSatisfy { try matches(row, $0) }
    case .or(let parts): return try parts.contains { try matches(row, $0) }
    case .not(let part): return try !matches(row, part)
    case .membership(let path, let values):
      let value = try value(path, of: row)
      return try values.contains { try order(value, $0) == 0 }
    case .comparison(let path, let comparator, let constant, let options):
      guard options.isEmpty else { throw PreferInMemory.filter }
      return try compare(value(path, of: row), comparator, constant)
    case .other: throw PreferInMemory.filter
    }
  }

  private static func value(_ path: [String], of row: StoreRow) throws -> PropertyValue {
    guard path.count == 1, path[0] != "team", path[0] != "boss" else { throw PreferInMemory.filter }
    return row.values[path[0]] ?? .null
  }

  private static func compare(
    _ value: PropertyValue,
    _ comparator: StoreCondition.Operator,
    _ constant: PropertyValue
  ) throws -> Bool {
    let order = try order(value, constant)
    return switch comparator {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order.map { $0 < 0 } ?? false
    case .lessOrEqual: order.map { $0 <= 0 } ?? false
    case .greater: order.map { $0 > 0 } ?? false
    case .greaterOrEqual: order.map { $0 >= 0 } ?? false
    default: throw PreferInMemory.filter
    }
  }

  /// How two values are ordered; `nil` when just one is absent.
  private static func order(_ left: PropertyValue, _ right: PropertyValue) throws -> Int? {
    switch (left, right) {
    case (.null, .null): 0
    case (.null, .integer), (.null, .string), (.null, .boolean): nil
    case (.integer, .null), (.string, .null), (.boolean, .null): nil
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.boolean(let a), .boolean(let b)): a == b ? 0 : 1
    case (.string(let a), .string(let b)): EngineOrder.order(a, b)
    default: throw PreferInMemory.filter
    }
  }
}

/// Orders by attributes that every row has itself.
enum EngineOrder {
  static func sort(_ rows: inout [StoreRow], by sorts: [FetchSort]) throws {
    for sort in sorts {
      guard sort.comparison == .binary, !sort.key.contains("."),
        rows.allSatisfy({ rank($0.values[sort.key] ?? .null) != nil })
      else { throw PreferInMemory.sort }
    }
    let isFalling = sorts.last?.ascending == false
    rows.sort { left, right in
      for sort in sorts {
        let order = order(left.values[sort.key] ?? .null, right.values[sort.key] ?? .null)
        if order != 0 { return sort.ascending ? order < 0 : order > 0 }
      }
      return isFalling ? left.id.key > right.id.key : left.id.key < right.id.key
    }
  }

  static func order(_ left: String, _ right: String) -> Int {
    if left.utf8.elementsEqual(right.utf8) { return 0 }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
  }

  private static func rank(_ value: PropertyValue) -> Int? {
    switch value {
    case .null: 0
    case .integer: 1
    case .string: 2
    default: nil
    }
  }

  private static func order(_ left: PropertyValue, _ right: PropertyValue) -> Int {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.string(let a), .string(let b)): order(a, b)
    default: (rank(left) ?? 0) - (rank(right) ?? 0)
    }
  }
}
