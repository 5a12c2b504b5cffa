// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Rows that stand for no stored object.
package enum RowTemplate {
  /// A page of one row, with the defaults of the properties that are chosen and the rest null.
  package static func make(
    _ entity: EntityLayout,
    defaultsOf isChosen: (SlotLayout) -> Bool
  ) -> RowPage {
    var builder = PageBuilder(byteCount: 1024)
    builder.begin(key: 0, version: 0, entity: entity.index, slotCount: entity.slots.count)
    for (slot, property) in entity.slots.enumerated() where isChosen(property) {
      builder.putDefault(slot, of: entity)
    }
    builder.end()
    return builder.seal()
  }
}

extension PageBuilder {
  /// Writes the default of an attribute into the current row; nothing when it has none.
  package mutating func putDefault(_ slot: Int, of entity: EntityLayout) {
    guard let attribute = entity.slots[slot].attribute, !attribute.defaultValue.isNull else {
      return
    }
    let storage = attribute.defaultValue.withSlotValue(as: attribute.type) { StoredDefault($0) }
    switch storage {
    case .none: break
    case .word(let word): put(slot, word: word)
    // Safe because the row takes a copy of the bytes.
    case .bytes(let bytes): bytes.withUnsafeBytes { put(slot, bytes: $0) }
    }
  }

  /// A slot's value that outlives the call that made it.
  private enum StoredDefault {
    case none
    case word(UInt64)
    case bytes([UInt8])

    init(_ value: SlotValue) {
      switch value {
      case .null: self = .none
      case .word(let word): self = .word(word)
      case .bytes(let bytes): self = .bytes(Array(bytes))
      }
    }
  }
}
