// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Rows that are stored just as a change set wants them: an earlier attempt has written them.
struct SettledRows {
  private struct Row: Hashable {
    let root: Int
    let key: Int64
  }

  private var rows: Set<Row> = []

  mutating func insert(root: Int, key: Int64) { rows.insert(Row(root: root, key: key)) }

  func contains(root: Int, key: Int64) -> Bool {
    !rows.isEmpty && rows.contains(Row(root: root, key: key))
  }

  var isEmpty: Bool { rows.isEmpty }
}
