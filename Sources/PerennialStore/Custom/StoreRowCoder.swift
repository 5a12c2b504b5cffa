// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Makes packed rows of a store's rows, and the other way round.
struct StoreRowCoder: Sendable {
  /// The keys that a packed row has room for.
  static let keys: ClosedRange<Int64> = 1...(1 << 47 - 1)

  let model: ModelLayout
  /// The store's identity, for the IDs of to-one relationships.
  let identifier: UUID

  // MARK: Packing

  /// The rows, packed, in their order.
  ///
  /// - Throws: `persistentStoreOpen` (134080) for a row that the model has no place for.
  func pack(_ rows: [StoreRow], table: String) throws(PerennialError) -> [PageRow] {
    var builder = PageBuilder(byteCount: rows.count < 8 ? 1024 : PageBuilder.pageByteCount)
    var packed: [PageRow] = []
    packed.reserveCapacity(rows.count)
    func note(_ page: RowPage) {
      for index in 0..<page.count { packed.append(PageRow(page: page, index: index)) }
    }
    for row in rows {
      if builder.isFull, builder.hasRows { note(builder.seal()) }
      try append(row, table: table, to: &builder)
    }
    if builder.hasRows { note(builder.seal()) }
    return packed
  }

  private func append(
    _ row: StoreRow,
    table: String,
    to builder: inout PageBuilder
  ) throws(PerennialError) {
    guard let index = model.entitiesByName[row.entityName], Self.keys.contains(row.id.key),
      row.id.table == table, model.entities[model.entities[index].root].name == table,
      let version = UInt32(exactly: row.version)
    else {
      throw PerennialError(
        .persistentStoreOpen,
        "The store gave a row of '\(row.entityName)' that does not belong into '\(table)'.",
        recovery: "mend the store: entity, table, key and version must be what was saved",
        entity: row.entityName
      )
    }
    let entity = model.entities[index]
    builder.begin(
      key: row.id.key,
      version: version,
      entity: index,
      slotCount: entity.slots.count
    )
    var known = 0
    for (slot, layout) in entity.slots.enumerated() {
      if layout.isTransient {
        builder.putDefault(slot, of: entity)
      } else if let value = row.values[layout.name] {
        known += 1
        guard value.isNull || put(value, slot, layout, to: &builder) else {
          throw misfit(layout, of: entity)
        }
      }
    }
    builder.end()
    if known < row.values.count { throw stranger(row, of: entity) }
  }

  /// - Returns: Whether the property can have such a value.
  private func put(
    _ value: PropertyValue,
    _ slot: Int,
    _ layout: SlotLayout,
    to builder: inout PageBuilder
  ) -> Bool {
    guard let type = layout.attributeType else {
      guard case .objectID(let id) = value, Self.keys.contains(id.key),
        let entity = model.entitiesByName[id.entityName]
      else { return false }
      let word = ObjectReference(key: id.key, entity: entity).word
      builder.put(slot, word: UInt64(bitPattern: word))
      return true
    }
    guard type.accepts(value) else { return false }
    value.withSlotValue(as: type) { value in
      switch value {
      case .null: break
      case .word(let word): builder.put(slot, word: word)
      case .bytes(let bytes): builder.put(slot, bytes: bytes)
      }
    }
    return true
  }

  private func misfit(_ slot: SlotLayout, of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The store gave a value of another kind for '\(entity.name).\(slot.name)'.",
      recovery: "mend the store: it must give back what it was given",
      entity: entity.name,
      property: slot.name
    )
  }

  private func stranger(_ row: StoreRow, of entity: EntityLayout) -> PerennialError {
    let names = Set(entity.slots.lazy.filter { !$0.isTransient }.map(\.name))
    let stranger = row.values.keys.sorted().first { !names.contains($0) } ?? ""
    return PerennialError(
      .persistentStoreOpen,
      "The store gave a value for '\(stranger)', which '\(entity.name)' does not store.",
      recovery: "mend the store: it must give back what it was given, under the same names",
      entity: entity.name,
      property: stranger
    )
  }

  // MARK: Unpacking

  /// A packed row as the store gets it.
  func row(_ row: PageRow) -> StoreRow {
    let entity = model.entities[row.entity]
    return StoreRow(
      id: id(row.key, root: entity.root),
      entityName: entity.name,
      version: Int(row.version),
      values: values(of: row, slots: Array(entity.slots.indices), includesNull: false)
    )
  }

  /// The values of some slots that are stored.
  func values(
    of row: PageRow,
    slots: [Int],
    includesNull: Bool = true
  ) -> [String: PropertyValue] {
    let entity = model.entities[row.entity]
    var values: [String: PropertyValue] = [:]
    for slot in slots where !entity.slots[slot].isTransient {
      let value = PackedRow.value(row.pointer, slot, in: entity) {
        model.objectID(of: $0, owner: identifier)
      }
      if includesNull || !value.isNull { values[entity.slots[slot].name] = value }
    }
    return values
  }

  func id(_ key: Int64, root: Int) -> StoreRowID {
    StoreRowID(table: model.entities[root].name, key: key)
  }
}
