// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A cursor over Swift source that knows its tokens, but not its grammar.
///
/// It is total: on every input each function ends, moves only forward unless it says otherwise, and
/// leaves `index` within `0...bytes.count`. Nesting is counted, or bounded by ``maximumDepth``.
struct Scanner {
  /// String interpolations may nest this deeply; further ones are skipped as plain text.
  static let maximumDepth = 64

  /// The source, as UTF-8.
  let bytes: [UInt8]
  /// The position of the next byte.
  var index = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Whether all bytes are behind the cursor.
  var isAtEnd: Bool { index >= bytes.count }

  /// The next byte; 0 at the end.
  var current: UInt8 { byte(at: index) }

  /// The byte at a position; 0 outside the source.
  func byte(at position: Int) -> UInt8 {
    position >= 0 && position < bytes.count ? bytes[position] : 0
  }

  /// The source between two positions; empty when they are in the wrong order.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }

  /// Whether the source goes on with a text.
  func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { expected in
      guard bytes.count - index >= expected.count else { return false }
      for (offset, byte) in expected.enumerated() where bytes[index + offset] != byte {
        return false
      }
      return true
    }
  }

  /// Whether the source goes on with a word, and not with a longer one.
  func isAtWord(_ word: StaticString) -> Bool {
    isAt(word) && !Self.isWordByte(byte(at: index + word.utf8CodeUnitCount))
  }

  /// Moves past a text if the source goes on with it.
  mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    index += text.utf8CodeUnitCount
    return true
  }

  /// Moves past a word, back-quoted or not; the empty range when there is none.
  mutating func takeWord() -> Range<Int> {
    let start = index
    if current == UInt8(ascii: "`") {
      index += 1
      while !isAtEnd, current != UInt8(ascii: "`"), !Self.isNewline(current) { index += 1 }
      if current == UInt8(ascii: "`") { index += 1 }
      return start..<index
    }
    while Self.isWordByte(current) { index += 1 }
    return start..<index
  }

  /// Whether a byte may be part of an identifier, a keyword or a number.
  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
    default: byte >= 0x80
    }
  }

  /// Whether a byte may be part of an operator.
  static func isOperatorByte(_ byte: UInt8) -> Bool {
    "+-*/%<>=&|^~!?.".utf8.contains(byte)
  }

  /// Whether a byte ends a line.
  static func isNewline(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// Whether a byte is white space.
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
