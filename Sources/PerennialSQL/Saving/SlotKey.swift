// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

/// A slot's value in a form that is equal where the engine says so.
///
/// Safe because the row is read only in `init`, and its bytes are copied.
package enum SlotKey: Sendable, Hashable {
  case null
  case integer(Int64)
  case number(Double)
  /// An exact decimal number, as ``canonical(_:)`` writes it.
  case decimal(String)
  case text([UInt8])
  case data([UInt8])

  /// The value of a slot in a packed row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - slot: The slot.
  ///   - entity: The row's entity.
  ///   - decimals: How the engine keeps decimals.
  package init(
    _ row: UnsafeRawPointer,
    _ slot: Int,
    _ entity: EntityLayout,
    _ decimals: DecimalStorage
  ) {
    guard !PackedRow.isNull(row, slot) else {
      self = .null
      return
    }
    self =
      switch ColumnKind(entity.slots[slot], decimals) {
      case .integer, .bool: .integer(PackedRow.integer(row, slot))
      case .double: .number(PackedRow.double(row, slot))
      case .decimal: Self.decimal(String._load(row, slot), decimals)
      case .text: .text(Array(PackedRow.bytes(row, slot)))
      case .blob, .markedBlob: .data(Array(PackedRow.bytes(row, slot)))
      case .reference: .integer(PackedRow.reference(row, slot).key)
      }
  }

  private static func decimal(_ text: String, _ storage: DecimalStorage) -> SlotKey {
    switch storage {
    case .exact, .texts: .decimal(canonical(text))
    case .numbers:
      Int64(text).map(SlotKey.integer) ?? Double(text).map(SlotKey.number)
        ?? .text(Array(text.utf8))
    }
  }

  /// A decimal number with neither zeros nor a point that say nothing: `1.0`, `1.00` and `+1` are `1`, `0.120` is
  /// `12e-2`, and `1200` is `12e2`.
  ///
  /// - Parameter text: Digits with an optional sign, point and exponent.
  /// - Returns: The number; the text itself when it is something else, as `NaN` is.
  package static func canonical(_ text: String) -> String {
    var digits: [UInt8] = []
    var exponent = 0
    var isNegative = false
    var hasPoint = false
    var hasDigits = false
    for (place, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigits = true
        if hasPoint { exponent -= 1 }
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
      case UInt8(ascii: "+") where place == 0: break
      case UInt8(ascii: "-") where place == 0: isNegative = true
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard hasDigits,
          let power = Int32(String(decoding: text.utf8.dropFirst(place + 1), as: UTF8.self))
        else {
          return text
        }
        return number(digits, exponent: exponent + Int(power), isNegative: isNegative)
      default: return text
      }
    }
    return hasDigits ? number(digits, exponent: exponent, isNegative: isNegative) : text
  }

  /// The canonical text of digits without zeros in front.
  private static func number(_ digits: [UInt8], exponent: Int, isNegative: Bool) -> String {
    let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    let significant = digits.dropLast(zeros)
    guard !significant.isEmpty else { return "0" }
    let power = exponent + zeros
    return (isNegative ? "-" : "") + String(decoding: significant, as: UTF8.self)
      + (power == 0 ? "" : "e\(power)")
  }

  /// The value as a parameter.
  package var sqlValue: SQLValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .number(let value): .double(value)
    case .decimal(let text): .text(text)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .data(let bytes): .blob(Data(bytes))
    }
  }
}

/// How an engine keeps decimals.
package enum DecimalStorage: Sendable, Hashable {
  /// All digits: equal are those that are the same number.
  case exact
  /// Whole numbers of 64 bits, and floating-point numbers of 15 digits.
  case numbers
  /// Their texts, which only memory compares.
  case texts
}
