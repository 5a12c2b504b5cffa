// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The table of a link's pairs, seen from its relationships.
///
/// A symmetric relationship stores each pair both ways, so that one look-up finds all friends.
package struct JoinTable: Sendable, Hashable {
  /// One relationship's view of the table.
  package struct Side: Sendable, Hashable {
    /// The column of the owner's key.
    package let own: String
    /// The column of the keys of the objects that the relationship leads to.
    package let other: String
    /// The column of the places of these objects, when the relationship is ordered.
    package let order: String?
    /// The table, when the side has one of its own.
    var table: String?
  }

  package let table: String
  /// The side of the relationship that names the link.
  package let first: Side
  /// The side of its inverse.
  package let second: Side
  package let isSymmetric: Bool

  /// The table with another view of one side.
  func replacing(isFirst: Bool, with side: Side) -> JoinTable {
    JoinTable(
      table: table,
      first: isFirst ? side : first,
      second: isFirst ? second : side,
      isSymmetric: isSymmetric
    )
  }

  /// The view of the one relationship or of the other.
  package func side(isFirst: Bool) -> Side { isFirst ? first : second }
}
