// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

// Safe because a row pointer is used only while the object or page that owns it is alive.

extension PackedRow {
  /// The bytes that a row takes: its fixed part and the values behind it.
  package static func byteCount(_ row: UnsafeRawPointer, _ entity: EntityLayout) -> Int {
    var end = fixedByteCount(slotCount: entity.slots.count)
    for slot in entity.bytesSlots {
      let word = word(row, slot)
      if word != 0 { end = max(end, Int(word & 0xFFFF_FFFF) + Int(word >> 32)) }
    }
    return end
  }

  /// A slot's value, ready to be written into another row; bytes are valid as long as this one.
  package static func slotValue(
    _ row: UnsafeRawPointer,
    _ slot: Int,
    of entity: EntityLayout
  ) -> SlotValue {
    if isNull(row, slot) { return .null }
    return entity.slots[slot].storage == .bytes
      ? .bytes(bytes(row, slot)) : .word(word(row, slot))
  }

  /// A slot's value, as predicates and dynamic access see it; a reference becomes an object ID.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - slot: The slot.
  ///   - entity: The row's entity.
  ///   - named: Makes the ID of a reference.
  /// - Returns: The value.
  package static func value(
    _ row: UnsafeRawPointer,
    _ slot: Int,
    in entity: EntityLayout,
    named: (ObjectReference) -> ManagedObjectID
  ) -> PropertyValue {
    guard !isNull(row, slot) else { return .null }
    let layout = entity.slots[slot]
    guard let attribute = layout.attribute else {
      return .objectID(named(reference(row, slot)))
    }
    return value(row, slot, type: attribute.type)
  }

  /// An attribute's value that is not null.
  package static func value(
    _ row: UnsafeRawPointer,
    _ slot: Int,
    type: AttributeType
  ) -> PropertyValue {
    switch type {
    case .int16, .int32, .int64: .integer(integer(row, slot))
    case .bool: .boolean(integer(row, slot) != 0)
    case .double, .float: .double(double(row, slot))
    case .date: .date(Date._load(row, slot))
    case .decimal: .decimal(Decimal._load(row, slot))
    case .string: .string(String._load(row, slot))
    case .url: .url(URL._load(row, slot))
    case .uuid: .uuid(UUID._load(row, slot))
    case .binaryData, .transformable, .undefined, .objectID, .composite:
      .data(Data._load(row, slot))
    }
  }
}

extension PropertyValue {
  /// Calls a closure with the value as a slot of an attribute type holds it.
  ///
  /// The value must be one that the type accepts. Integers widen to doubles and decimals.
  package func withSlotValue<Result>(
    as type: AttributeType,
    _ body: (SlotValue) -> Result
  ) -> Result {
    switch self {
    case .null: body(.null)
    case .boolean(let value): value._withSlotValue(body)
    case .integer(let value) where type == .double || type == .float:
      Double(value)._withSlotValue(body)
    case .integer(let value) where type == .decimal: Decimal(value)._withSlotValue(body)
    case .integer(let value): value._withSlotValue(body)
    case .double(let value): value._withSlotValue(body)
    case .decimal(let value): value._withSlotValue(body)
    case .string(let value): value._withSlotValue(body)
    case .date(let value): value._withSlotValue(body)
    case .data(let value): value._withSlotValue(body)
    case .uuid(let value): value._withSlotValue(body)
    case .url(let value): value._withSlotValue(body)
    case .objectID: body(.null)
    }
  }
}
