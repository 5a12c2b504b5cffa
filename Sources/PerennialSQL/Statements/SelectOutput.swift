// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a query gives of the rows that it selects.
package enum SelectOutput: Sendable, Hashable {
  /// All columns.
  case rows
  /// Keys and entity numbers.
  case references
  /// Keys alone.
  case keys
  /// How many there are.
  case count
  /// All columns and the owner's key, owner by owner; for members of a relationship.
  case membersByOwner
  /// The owner's key and how many members it has, for owners that have any.
  case countsByOwner
}
