// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a query gives of the rows that it selects.
enum SelectOutput: Sendable, Hashable {
  /// All columns.
  case rows
  /// Keys and entity numbers.
  case references
  /// How many there are.
  case count
}
