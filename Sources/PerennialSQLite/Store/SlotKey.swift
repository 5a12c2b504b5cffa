// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL

/// A slot's value in a form that is equal where SQLite says so.
///
/// Safe because the row is read only in `init`, and its bytes are copied.
enum SlotKey: Hashable {
  case null
  case integer(Int64)
  case number(Double)
  case text([UInt8])
  case data([UInt8])

  init(_ row: UnsafeRawPointer, _ slot: Int, _ entity: EntityLayout) {
    guard !PackedRow.isNull(row, slot) else {
      self = .null
      return
    }
    self =
      switch ColumnKind(entity.slots[slot]) {
      case .integer, .bool: .integer(PackedRow.integer(row, slot))
      case .double: .number(PackedRow.double(row, slot))
      case .decimal: Self.decimal(String._load(row, slot))
      case .text: .text(Array(PackedRow.bytes(row, slot)))
      case .blob, .markedBlob: .data(Array(PackedRow.bytes(row, slot)))
      case .reference: .integer(PackedRow.reference(row, slot).key)
      }
  }

  /// SQLite keeps a whole number of 64 bits as such.
  private static func decimal(_ text: String) -> SlotKey {
    Int64(text).map(SlotKey.integer) ?? .number(Double(text) ?? 0)
  }

  /// The value as a parameter.
  var sqlValue: SQLValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .number(let value): .double(value)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .data(let bytes): .blob(Data(bytes))
    }
  }
}
