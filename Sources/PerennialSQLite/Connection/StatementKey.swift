// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL

/// What a kept statement does, so that no SQL text is made to find it again.
enum StatementKey: Hashable {
  case insert(entity: Int, rows: Int, areNew: Bool)
  case update(entity: Int, slots: [Int])
  case clear(entity: Int, slots: [Int])
  case delete(table: Int)
  case version(table: Int)
  case addLink(Int)
  case removeLink(Int)
  case dropLinks(link: Int, first: Bool)
  /// Rows, references or a count by a list of keys.
  case keys(entity: Int, family: Bool, output: SelectOutput, bucket: Int)
  /// Rows by the value of an attribute.
  case lookUp(entity: Int, family: Bool, slot: Int, bucket: Int, limit: Int)
  /// The objects that a to-many relationship leads to.
  case related(entity: Int, family: Bool, output: SelectOutput, owner: Int, toMany: Int, one: Bool)
  /// The objects that a to-many relationship of a list of owners leads to, or their number.
  case relatedToAny(owner: Int, toMany: Int, output: SelectOutput, bucket: Int)
  case members(entity: Int, toMany: Int)
  case setOrder(entity: Int, toMany: Int)
  /// A derived attribute of owners, or of what leads to targets so many relationships away.
  case derive(entity: Int, slot: Int, depth: Int, bucket: Int)
  case reserve(Int)
  /// How often the schema has changed.
  case schemaVersion
  /// The keys of a table of the history.
  case historyKeys(Int64)
  case historyTransaction
  case historyString(isNew: Bool)
  /// The changes of rows of successive keys.
  case historyRun(entity: Int)
  case historyChange
  case historyTombstone(Int)
  case historyDetails
  /// What others have written.
  case dataVersion
  /// Any other text.
  case text(StatementText)

  /// The key of a text that says itself what the statement does.
  static func text(_ sql: String) -> StatementKey { .text(StatementText(sql: sql)) }
}

/// The text of a statement, equal to others by its bytes.
///
/// A `String` is equal to its canonical equivalents; finding that out takes longer than some queries
/// whose text is beyond ASCII.
struct StatementText: Hashable {
  let sql: String

  static func == (left: StatementText, right: StatementText) -> Bool {
    left.sql.utf8.elementsEqual(right.sql.utf8)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(sql.utf8.count)
    // Safe because the bytes are read within the call only.
    sql.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
  }
}
