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

  private struct Row: Hashable {
    let root: Int
    let key: Int64
  }

  private struct Entry {
    let row: Row
    let version: UInt32
  }

  private var entries: [Entry] = []
  private var next = 0
  /// The last places of rows, but for the newest entries: saves leave it to who asks.
  ///
  /// What has another entry in its place is not remembered any more.
  private var places: [Row: Int] = [:]
  /// The number of entries that are not in it yet.
  private var newCount = 0

  /// Notes the updates and deletions of a save that has succeeded.
  mutating func note(_ changes: ChangeSet, _ model: ModelLayout) {
    var room = Self.limit
    for batch in changes.updates {
      let root = model.entities[batch.entity].root
      for page in batch.pages {
        for index in 0..<page.count where room > 0 {
          room -= 1
          let row = page.row(index)
          add(Row(root: root, key: PackedRow.key(row)), PackedRow.version(row))
        }
      }
    }
    for batch in changes.deletions {
      let root = model.entities[batch.entity].root
      for row in batch.rows.prefix(room) {
        room -= 1
        add(Row(root: root, key: row.key), Self.deleted)
      }
    }
  }

  /// Whether the row's newest version known here is this one.
  mutating func isLatest(root: Int, key: Int64, version: UInt32) -> Bool {
    placeNew()
    let row = Row(root: root, key: key)
    guard let place = places[row], entries[place].row == row else { return false }
    return entries[place].version == version
  }

  private mutating func placeNew() {
    if places.count > 2 * Self.limit { (places, newCount) = ([:], entries.count) }
    for step in stride(from: newCount, to: 0, by: -1) {
      let place = (next + entries.count - step) % entries.count
      places[entries[place].row] = place
    }
    newCount = 0
  }

  private mutating func add(_ row: Row, _ version: UInt32) {
    let entry = Entry(row: row, version: version)
    newCount = min(newCount + 1, Self.limit)
    if entries.count < Self.limit {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.limit
    }
  }
}
