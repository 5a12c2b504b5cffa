// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Numbers as JSON writes them.
///
/// Safe because the bytes are read within the calls that lend them, and by index within their count.
enum JSONNumber {
  /// The powers of ten that a Double holds exactly.
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Whether a text is a number: an optional minus, digits, and perhaps a point and an exponent.
  static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    func digits() -> Int {
      let start = index
      while index < text.count, text[index] &- 0x30 < 10 { index += 1 }
      return index - start
    }
    if index < text.count, text[index] == UInt8(ascii: "-") { index += 1 }
    let first = index
    let whole = digits()
    guard whole == 1 || whole > 1 && text[first] != 0x30 else { return false }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index += 1
      guard digits() > 0 else { return false }
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < text.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(text[index]) {
        index += 1
      }
      guard digits() > 0 else { return false }
    }
    return index == text.count
  }

  /// The nearest Double of a valid number.
  static func double(_ text: UnsafeRawBufferPointer) -> Double? {
    short(text) ?? Double(String(decoding: text, as: UTF8.self))
  }

  /// The number, if it has at most 15 digits and no exponent: then one division of exact numbers, which
  /// rounds once, gives it.
  private static func short(_ text: UnsafeRawBufferPointer) -> Double? {
    guard text.count <= 16 else { return nil }
    var digits: Int64 = 0
    var behindPoint: Int?
    for (index, byte) in text.enumerated() {
      switch byte {
      case 0x30...0x39: digits = digits * 10 + Int64(byte - 0x30)
      case UInt8(ascii: "."): behindPoint = text.count - index - 1
      case UInt8(ascii: "-"): if index > 0 { return nil }
      default: return nil
      }
    }
    let value = Double(digits) / powers[behindPoint ?? 0]
    return text.first == UInt8(ascii: "-") ? -value : value
  }
}
