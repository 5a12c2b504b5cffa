// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Rows that are stored just as a change set wants them: an earlier attempt has written them.
package struct SettledRows: Sendable {
  private struct Row: Hashable {
    let root: Int
    let key: Int64
  }

  private var rows: Set<Row> = []

  /// No rows.
  package init() {}

  /// Adds a row of a root entity.
  package mutating func insert(root: Int, key: Int64) { rows.insert(Row(root: root, key: key)) }

  /// Whether a row of a root entity is among them.
  package func contains(root: Int, key: Int64) -> Bool {
    !rows.isEmpty && rows.contains(Row(root: root, key: key))
  }

  /// Whether there are none.
  package var isEmpty: Bool { rows.isEmpty }
}
