// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Reads the keys and entities of the rows of a statement.
struct ReferenceReader {
  private let schema: StoreSchema
  private let entity: Int
  private let isOfOneEntity: Bool

  init(_ query: StoreQuery, _ schema: StoreSchema) {
    self.schema = schema
    entity = query.entity
    isOfOneEntity = schema.isOfOneEntity(
      query.entity,
      includesSubentities: query.includesSubentities
    )
  }

  /// The next row's; `nil` behind the last.
  @inline(__always)
  func next(_ statement: SQLiteStatement) throws(SQLiteFailure) -> ObjectReference? {
    guard try statement.step() else { return nil }
    let key = statement.integer(0)
    // It would be taken for another row's.
    guard key >= 1, key <= SQLiteStore.greatestKey else { throw .impossibleKey(key) }
    guard !isOfOneEntity else { return ObjectReference(key: key, entity: entity) }
    let found = schema.entity(ofNumber: statement.integer(1))
    return ObjectReference(key: key, entity: found ?? entity)
  }
}
