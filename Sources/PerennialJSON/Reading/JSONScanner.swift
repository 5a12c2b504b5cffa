// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Reads a JSON text from left to right, one thing after the other.
///
/// It never calls itself: what is nested deeper than the format is wrong where it begins.
///
/// Safe because no place behind the end is read, and whoever makes a scanner keeps the bytes.
struct JSONScanner: ~Copyable {
  private let bytes: UnsafeRawBufferPointer
  /// Where the next byte is.
  private(set) var position: Int
  /// Where a text is put together that has escapes.
  private var scratch: [UInt8] = []

  init(_ bytes: UnsafeRawBufferPointer, from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  // MARK: Punctuation

  /// The next byte that is no white space, which stays; `nil` at the end.
  mutating func peek() -> UInt8? {
    while position < bytes.count {
      let byte = bytes[position]
      if byte > 0x20 { return byte }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      position += 1
    }
    return nil
  }

  /// Goes past a byte if it comes next.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  mutating func expect(_ byte: UInt8) throws(JSONFault) {
    if !skip(byte) {
      throw JSONFault("'\(String(UnicodeScalar(byte)))' is missing", at: position)
    }
  }

  mutating func expectEnd() throws(JSONFault) {
    if peek() != nil { throw JSONFault("something follows the end", at: position) }
  }

  /// Goes past the name of a member and its colon, if it comes next.
  mutating func skip(name: [UInt8]) -> Bool {
    guard peek() == Self.quote else { return false }
    let start = position
    let end = start + 1 + name.count
    guard end < bytes.count, bytes[end] == Self.quote,
      name.withUnsafeBytes({ Self.areEqual($0, bytes, start + 1) })
    else { return false }
    position = end + 1
    if skip(Self.colon) { return true }
    position = start
    return false
  }

  /// Goes past the name of a member that must come next, and its colon.
  mutating func expect(name: String) throws(JSONFault) {
    let position = position
    guard peek() == Self.quote, try string() == name else {
      throw JSONFault("'\(name)' is missing", at: position)
    }
    try expect(Self.colon)
  }

  private static func areEqual(
    _ name: UnsafeRawBufferPointer,
    _ bytes: UnsafeRawBufferPointer,
    _ start: Int
  ) -> Bool {
    var index = 0
    while index < name.count {
      if name[index] != bytes[start + index] { return false }
      index += 1
    }
    return true
  }

  private static let quote = UInt8(ascii: "\"")
  private static let colon = UInt8(ascii: ":")
  private static let backslash = UInt8(ascii: "\\")

  // MARK: Values

  /// Goes past `null` if it comes next.
  mutating func skipNull() -> Bool { peek() == UInt8(ascii: "n") && skip(word: Self.null) }

  mutating func boolean() throws(JSONFault) -> Bool {
    _ = peek()
    if skip(word: Self.true) { return true }
    if skip(word: Self.false) { return false }
    throw JSONFault("'true' or 'false' is missing", at: position)
  }

  private static let null = Array("null".utf8)
  private static let `true` = Array("true".utf8)
  private static let `false` = Array("false".utf8)

  private mutating func skip(word: [UInt8]) -> Bool {
    guard position + word.count <= bytes.count,
      word.withUnsafeBytes({ Self.areEqual($0, bytes, position) })
    else { return false }
    position += word.count
    return true
  }

  mutating func integer() throws(JSONFault) -> Int64 {
    let first = peek()
    let start = position
    let isNegative = first == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let digits = position
    var value: Int64 = 0
    var overflows = false
    while position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 10 {
      // Counted downwards: the least number has no positive twin.
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, tooFar) = product.subtractingReportingOverflow(Int64(digit))
      overflows = overflows || tooLarge || tooFar
      value = sum
      position += 1
    }
    let count = position - digits
    guard count > 0, count == 1 || bytes[digits] != 0x30, !isNumberGoingOn else {
      throw JSONFault("a whole number is missing", at: start)
    }
    guard !overflows, isNegative || value != .min else {
      throw JSONFault("the number has more than 64 bits", at: start)
    }
    return isNegative ? value : -value
  }

  /// Whether what follows would make a whole number another number.
  private var isNumberGoingOn: Bool {
    guard position < bytes.count else { return false }
    return Self.isOfNumber(bytes[position])
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
  }

  mutating func double() throws(JSONFault) -> Double {
    if peek() == Self.quote { return try doubleInQuotes() }
    let start = position
    while isNumberGoingOn { position += 1 }
    let token = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    guard JSONNumber.isValid(token) else { throw JSONFault("a number is missing", at: start) }
    guard let value = JSONNumber.double(token), value.isFinite else {
      throw JSONFault("the number is greater than a Double can be", at: start)
    }
    return value
  }

  private mutating func doubleInQuotes() throws(JSONFault) -> Double {
    let start = position
    switch try string() {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default: throw JSONFault("a number is missing", at: start)
    }
  }

  /// The seconds since 2001 of a date.
  mutating func date() throws(JSONFault) -> Double {
    let first = peek()
    guard first == Self.quote, position + 1 < bytes.count, bytes[position + 1] &- 0x30 < 10 else {
      return try double()
    }
    let start = position
    guard let seconds = ISODate.seconds(try text()) else {
      throw JSONFault("the date is not written as '2001-12-31T23:59:59Z'", at: start)
    }
    return seconds
  }

  mutating func base64() throws(JSONFault) -> [UInt8] {
    _ = peek()
    let start = position
    guard let bytes = Base64.decode(try text()) else {
      throw JSONFault("the data are no base 64", at: start)
    }
    return bytes
  }

  mutating func string() throws(JSONFault) -> String {
    String(decoding: try text(), as: UTF8.self)
  }

  /// The UTF-8 bytes of a text, valid until the next thing is read.
  mutating func text() throws(JSONFault) -> UnsafeRawBufferPointer {
    guard skip(Self.quote) else { throw JSONFault("a text is missing", at: position) }
    let start = position
    var isASCII = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == Self.quote {
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
        position += 1
        return try checked(text, isASCII, at: start)
      }
      if byte == Self.backslash { return try escapedText(from: start) }
      if byte < 0x20 { throw JSONFault("a text has a control character", at: position) }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    throw JSONFault("a text does not end", at: start)
  }

  private func checked(
    _ text: UnsafeRawBufferPointer,
    _ isASCII: Bool,
    at start: Int
  ) throws(JSONFault) -> UnsafeRawBufferPointer {
    guard isASCII || String(validating: text, as: UTF8.self) != nil else {
      throw JSONFault("a text is not UTF-8", at: start)
    }
    return text
  }

  /// The text of an object, whatever is in it; only its end is looked for.
  mutating func wholeObject() throws(JSONFault) -> String {
    guard peek() == UInt8(ascii: "{") else { throw JSONFault("'{' is missing", at: position) }
    let start = position
    var depth = 0
    repeat {
      guard let byte = peek() else { throw JSONFault("an object does not end", at: start) }
      if byte == Self.quote {
        _ = try text()
        continue
      }
      if byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "}") { depth -= 1 }
      position += 1
    } while depth > 0
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  // MARK: Escapes

  private mutating func escapedText(
    from start: Int
  ) throws(JSONFault) -> UnsafeRawBufferPointer {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == Self.quote {
        // Safe because the array is not touched before the next text is read.
        let text = scratch.withUnsafeBytes {
          UnsafeRawBufferPointer(start: $0.baseAddress, count: $0.count)
        }
        return try checked(text, false, at: start)
      }
      if byte == Self.backslash {
        try appendEscape()
      } else if byte < 0x20 {
        throw JSONFault("a text has a control character", at: position - 1)
      } else {
        scratch.append(byte)
      }
    }
    throw JSONFault("a text does not end", at: start)
  }

  private mutating func appendEscape() throws(JSONFault) {
    guard position < bytes.count else { throw JSONFault("a text does not end", at: position) }
    let letter = bytes[position]
    position += 1
    switch letter {
    case Self.quote, Self.backslash, UInt8(ascii: "/"): scratch.append(letter)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "u"):
      let scalar = try self.scalar()
      scratch.append(contentsOf: String(Character(scalar)).utf8)
    default: throw JSONFault("a text has an unknown escape", at: position - 2)
    }
  }

  /// The character of `\uXXXX`, or of two of them, past whose first `\u` the scanner is.
  private mutating func scalar() throws(JSONFault) -> UnicodeScalar {
    let start = position - 2
    let unit = try codeUnit()
    if let scalar = UnicodeScalar(unit) { return scalar }
    guard unit < 0xDC00, skip(word: Self.unitBeginning) else {
      throw JSONFault("a text has half a character", at: start)
    }
    let second = try codeUnit()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = UnicodeScalar(
        0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      )
    else { throw JSONFault("a text has half a character", at: start) }
    return scalar
  }

  private static let unitBeginning = Array("\\u".utf8)

  private mutating func codeUnit() throws(JSONFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count, let digit = Base16.value(bytes[position]) else {
        throw JSONFault("an escape has not four digits", at: position)
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
