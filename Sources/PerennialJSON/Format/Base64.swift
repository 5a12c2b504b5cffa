// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Base 64 with padding (RFC 4648), from bytes to bytes.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  private static let padding = UInt8(ascii: "=")

  /// The value of every character; 255 for one that is no digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// How many characters so many bytes need.
  static func encodedCount(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// Writes the characters of some bytes to a place with room for them.
  ///
  /// Safe because the caller has made room for `encodedCount` characters.
  static func encode(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) {
    var target = target
    alphabet.withUnsafeBufferPointer { digits in
      var index = 0
      while index < bytes.count {
        let rest = bytes.count - index
        let second = rest > 1 ? bytes[index + 1] : 0
        let third = rest > 2 ? bytes[index + 2] : 0
        let group = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
        target[0] = digits[Int(group >> 18)]
        target[1] = digits[Int(group >> 12 & 63)]
        target[2] = rest > 1 ? digits[Int(group >> 6 & 63)] : padding
        target[3] = rest > 2 ? digits[Int(group & 63)] : padding
        target += 4
        index += 3
      }
    }
  }

  /// The bytes of a text, or `nil` when it is no base 64 as `encode` writes it.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    guard !text.isEmpty else { return [] }
    let paddingCount = text.suffix(2).filter { $0 == padding }.count
    let digitCount = text.count - paddingCount
    guard text[digitCount...].allSatisfy({ $0 == padding }) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    for start in stride(from: 0, to: text.count, by: 4) {
      var group: UInt32 = 0
      for index in start..<start + 4 {
        let value = index < digitCount ? values[Int(text[index])] : 0
        guard value < 64 else { return nil }
        group = group << 6 | UInt32(value)
      }
      bytes.append(UInt8(group >> 16))
      bytes.append(UInt8(group >> 8 & 255))
      bytes.append(UInt8(group & 255))
    }
    let excess = bytes.suffix(paddingCount)
    guard excess.allSatisfy({ $0 == 0 }) else { return nil }
    bytes.removeLast(paddingCount)
    return bytes
  }
}
