// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Rows that are stored just as a change set wants them: an earlier attempt has written them.
///
/// `@usableFromInline`, since stores ask for every row that they write; almost always there are none.
@usableFromInline
package struct SettledRows: Sendable {
  private struct Row: Hashable {
    let root: Int
    let key: Int64
  }

  private var rows: Set<Row> = []

  /// Whether there are none.
  @usableFromInline package private(set) var isEmpty = true

  /// No rows.
  package init() {}

  /// Adds a row of a root entity.
  package mutating func insert(root: Int, key: Int64) {
    rows.insert(Row(root: root, key: key))
    isEmpty = false
  }

  /// Whether a row of a root entity is among them.
  @inlinable
  package func contains(root: Int, key: Int64) -> Bool { !isEmpty && includes(root, key) }

  @usableFromInline
  func includes(_ root: Int, _ key: Int64) -> Bool { rows.contains(Row(root: root, key: key)) }
}
