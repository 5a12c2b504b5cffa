// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The versions that contexts of this process last gave to rows: tells their saves from those of others.
///
/// It remembers the last rows only, so that it costs nothing to speak of: what is not in it counts as
/// written by another process. New rows need no entry: nobody has read an older version of them.
struct SavedVersions: Sendable {
  /// What stands for the version of a deleted row.
  static let deleted = UInt32.max
  private static let limit = 4_096

  private struct Entry {
    let root: Int
    let key: Int64
    let version: UInt32
  }

  private var entries: [Entry] = []
  private var next = 0

  /// Notes the updates and deletions of a save that has succeeded.
  mutating func note(_ changes: ChangeSet, _ model: ModelLayout) {
    var room = Self.limit
    for batch in changes.updates {
      let root = model.entities[batch.entity].root
      for page in batch.pages {
        for index in 0..<page.count where room > 0 {
          room -= 1
          let row = page.row(index)
          add(Entry(root: root, key: PackedRow.key(row), version: PackedRow.version(row)))
        }
      }
    }
    for batch in changes.deletions {
      let root = model.entities[batch.entity].root
      for row in batch.rows.prefix(room) {
        room -= 1
        add(Entry(root: root, key: row.key, version: Self.deleted))
      }
    }
  }

  /// Whether the row's newest version known here is this one.
  func isLatest(root: Int, key: Int64, version: UInt32) -> Bool {
    for step in 1...max(1, entries.count) where !entries.isEmpty {
      let entry = entries[(next + entries.count - step) % entries.count]
      if entry.root == root, entry.key == key { return entry.version == version }
    }
    return false
  }

  private mutating func add(_ entry: Entry) {
    if entries.count < Self.limit {
      entries.append(entry)
      next = 0
    } else {
      entries[next] = entry
      next = (next + 1) % Self.limit
    }
  }
}
