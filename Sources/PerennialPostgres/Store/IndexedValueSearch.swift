// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore

/// Finds the value that is too long for an index: the server says only which index it is, and not always that.
struct IndexedValueSearch {
  private let schema: StoreSchema

  init(_ schema: StoreSchema) { self.schema = schema }

  /// The error that names the property of the longest of them; `nil` when all are short.
  ///
  /// Safe because the pages belong to the change set, which outlives the call.
  func problem(in changes: ChangeSet, _ failure: PostgresFailure) -> PerennialError? {
    let indexes = TableIndexes(schema).all.filter { $0.kind != .relationship }
    var longest = (count: Self.leastCount, entity: 0, slot: 0)
    for (entity, pages) in changes.writtenPages {
      let table = schema.table(of: entity)
      let names = Set(indexes.filter { $0.table == table }.flatMap(\.columns).map(\.name))
      let slots = schema.model.entities[entity].slots.indices.filter { slot in
        guard let column = schema.column(of: slot, in: entity) else { return false }
        return [.text, .blob, .markedBlob].contains(column.kind) && names.contains(column.name)
      }
      for page in pages {
        for index in 0..<page.count {
          let row = page.row(index)
          for slot in slots where !PackedRow.isNull(row, slot) {
            let count = PackedRow.bytes(row, slot).count
            if count > longest.count { longest = (count, entity, slot) }
          }
        }
      }
    }
    guard longest.count > Self.leastCount else { return nil }
    let entity = schema.model.entities[longest.entity]
    let property = entity.slots[longest.slot].name
    return PerennialError(
      .stringTooLong,
      "'\(entity.name).\(property)' has a value of \(longest.count) bytes, which is too long for its index.",
      recovery:
        "shorten it to 2,600 bytes, or take the attribute out of the index; nothing was saved",
      entity: entity.name,
      property: property,
      underlying: failure
    )
  }

  /// The server takes 2,704 bytes in an index; what it cannot make smaller is at least of this length.
  private static let leastCount = 1_000
}
#endif
