// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The table of a link's pairs, seen from its relationships.
///
/// A symmetric relationship stores each pair both ways, so that one look-up finds all friends.
struct JoinTable: Sendable, Hashable {
  /// One relationship's view of the table.
  struct Side: Sendable, Hashable {
    /// The column of the owner's key.
    let own: String
    /// The column of the keys of the objects that the relationship leads to.
    let other: String
    /// The column of the places of these objects, when the relationship is ordered.
    let order: String?
  }

  let table: String
  /// The side of the relationship that names the link.
  let first: Side
  /// The side of its inverse.
  let second: Side
  let isSymmetric: Bool

  func side(isFirst: Bool) -> Side { isFirst ? first : second }
}
