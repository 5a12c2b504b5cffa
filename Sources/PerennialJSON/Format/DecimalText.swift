// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The text of decimal numbers: rows hold it as it is, so that equal numbers must have equal texts.
///
/// Safe because the bytes are read within the calls that lend them, and by index within their count.
enum DecimalText {
  /// Whether a text is surely one that a decimal number gives of itself: at most 38 digits, no sign
  /// but a minus, no exponent, no zeros that say nothing.
  static func isUsual(_ text: UnsafeRawBufferPointer) -> Bool {
    guard !text.isEmpty, text.count <= 38 else { return false }
    let start = text[0] == UInt8(ascii: "-") ? 1 : 0
    var point: Int?
    for index in start..<text.count {
      if text[index] == UInt8(ascii: "."), point == nil {
        point = index
      } else if text[index] &- 0x30 >= 10 {
        return false
      }
    }
    let whole = (point ?? text.count) - start
    guard whole == 1 || whole > 1 && text[start] != 0x30 else { return false }
    if let point { return point < text.count - 1 && text[text.count - 1] != 0x30 }
    return start == 0 || text[start] != 0x30
  }

  /// The text that the number of another text gives of itself; `nil` when that is no number.
  static func usual(_ text: String) -> [UInt8]? {
    if text == "NaN" { return Array(text.utf8) }
    // Foundation reads as far as it can, and takes "1.2.3" for 1.2 and "-" for 0.
    guard text.wholeMatch(of: /[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil,
      let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !number.isNaN
    else { return nil }
    return number._withSlotValue { value in
      if case .bytes(let bytes) = value { Array(bytes) } else { nil }
    }
  }
}
