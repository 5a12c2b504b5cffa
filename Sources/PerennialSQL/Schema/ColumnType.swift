// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a column holds, as far as its declaration goes.
package enum ColumnType: Sendable, Hashable, CaseIterable {
  /// Whole numbers, truth values, keys and numbers of entities.
  case integer
  case double
  /// Seconds since 2001.
  case date
  case decimal
  /// Texts and URLs.
  case text
  /// Data, UUIDs and whatever else is bytes.
  case bytes
}
