// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Numbers, quoted text and placeholders.
extension FormatLexer {
  // MARK: Numbers

  mutating func number() throws(FormatProblem) -> FormatToken.Kind {
    let start = position
    if peek() == UInt8(ascii: "0"), let radix = radix(ofPrefix: peek(1)) {
      position += 2
      return try integer(from: position, radix: radix, start: start)
    }
    skipDigits()
    var isDouble = false
    if peek() == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
      isDouble = true
      position += 1
      skipDigits()
    }
    if let exponent = peek(), exponent == UInt8(ascii: "e") || exponent == UInt8(ascii: "E") {
      let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 1 : 0
      if let digit = peek(1 + sign), Self.isDigit(digit) {
        isDouble = true
        position += 1 + sign
        skipDigits()
      }
    }
    return isDouble
      ? try double(start: start) : try integer(from: start, radix: 10, start: start)
  }

  private func radix(ofPrefix letter: UInt8?) -> Int? {
    switch letter {
    case UInt8(ascii: "x"), UInt8(ascii: "X"): 16
    case UInt8(ascii: "o"), UInt8(ascii: "O"): 8
    case UInt8(ascii: "b"), UInt8(ascii: "B"): 2
    default: nil
    }
  }

  private mutating func skipDigits() {
    while let byte = peek(), Self.isDigit(byte) { position += 1 }
  }

  private mutating func integer(
    from first: Int,
    radix: Int,
    start: Int
  ) throws(FormatProblem) -> FormatToken.Kind {
    position = first
    guard let digits = takeAlphanumerics(), let value = UInt64(digits, radix: radix) else {
      let isTooLarge = radix == 10 && bytes[start..<position].allSatisfy(Self.isDigit)
      throw FormatProblem(
        isTooLarge ? "the number does not fit into 64 bits" : "this is not a number",
        start..<position,
        hint: isTooLarge ? "" : "expected digits"
      )
    }
    return .integer(value)
  }

  private mutating func double(start: Int) throws(FormatProblem) -> FormatToken.Kind {
    let end = position
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    guard takeAlphanumerics() == nil, let value = Double(text), value.isFinite else {
      throw FormatProblem("this is not a number", start..<position, hint: "expected digits")
    }
    return .double(value)
  }

  private mutating func takeAlphanumerics() -> String? {
    let start = position
    while let byte = peek(), Self.isNameByte(byte) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  // MARK: Quoted text

  mutating func quotedText() throws(FormatProblem) -> String {
    let start = position
    let quote = bytes[start]
    position += 1
    var text: [UInt8] = []
    while let byte = peek() {
      if interpolations?[position] != nil {
        throw FormatProblem(
          "a value is interpolated inside quotes",
          start..<(position + 2),
          hint: "remove the quotes: the value is bound, not pasted",
          recovery: "remove the quotes: the value is bound, not pasted."
        )
      }
      if byte == quote {
        position += 1
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        try appendEscape(to: &text)
      } else {
        text.append(byte)
        position += 1
      }
    }
    throw FormatProblem(
      "the text in quotes does not end",
      start..<position,
      hint: "expected \(quote == UInt8(ascii: "'") ? "'" : "\"")"
    )
  }

  /// Reads an escape.
  ///
  /// One that is not known stays as it is, with its backslash.
  private mutating func appendEscape(to text: inout [UInt8]) throws(FormatProblem) {
    let start = position
    position += 1
    guard let letter = peek() else { return text.append(UInt8(ascii: "\\")) }
    switch letter {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"):
      text.append(letter)
      position += 1
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      text.append(letter == UInt8(ascii: "n") ? 10 : letter == UInt8(ascii: "r") ? 13 : 9)
      position += 1
    case UInt8(ascii: "x"):
      position += 1
      append([try code(digits: 2, radix: 16, start: start)], to: &text)
    case UInt8(ascii: "u"):
      position += 1
      append(try unicodeEscape(start: start), to: &text)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      append([try code(digits: 3, radix: 8, start: start)], to: &text)
    default: text.append(UInt8(ascii: "\\"))
    }
  }

  /// Adds a character of one UTF-16 unit, or of two.
  private func append(_ units: [UInt16], to text: inout [UInt8]) {
    text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
  }

  /// The unit of four digits, or two surrogates of four digits each.
  private mutating func unicodeEscape(start: Int) throws(FormatProblem) -> [UInt16] {
    let first = try code(digits: 4, radix: 16, start: start)
    guard UTF16.isSurrogate(first) else { return [first] }
    if UTF16.isLeadSurrogate(first), peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
      position += 2
      let second = try code(digits: 4, radix: 16, start: start)
      if UTF16.isTrailSurrogate(second) { return [first, second] }
    }
    throw FormatProblem("half a surrogate pair", start..<position, hint: "expected two escapes")
  }

  private mutating func code(
    digits: Int,
    radix: Int,
    start: Int
  ) throws(FormatProblem) -> UInt16 {
    let end = min(position + digits, bytes.count)
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    guard text.utf8.count == digits, text.utf8.allSatisfy(Self.isNameByte),
      let code = UInt16(text, radix: radix)
    else {
      throw FormatProblem(
        "the escape is not complete",
        start..<position,
        hint: "expected \(digits) digits"
      )
    }
    position = end
    return code
  }

  // MARK: Placeholders

  mutating func placeholder() throws(FormatProblem) -> FormatPlaceholder {
    let start = position
    if let interpolation = interpolations?[start] {
      position += 2
      return interpolation
    }
    position += 1
    while let modifier = peek(), "hlqzjtL".utf8.contains(modifier) { position += 1 }
    let letter = peek()
    position = min(position + 1, bytes.count)
    guard interpolations == nil else {
      throw FormatProblem(
        "a placeholder has no argument",
        start..<position,
        recovery: "interpolate the value, or use FetchPredicate(format:) with arguments."
      )
    }
    switch letter.map({ Character(Unicode.Scalar($0)) }) {
    case "@": return .value
    case "K": return .keyPath
    case "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C": return .integer
    case "e", "E", "f", "F", "g", "G", "a", "A": return .double
    case "s", "S": return .text
    case "%":
      throw FormatProblem(
        "a percent sign stands outside quotes",
        start..<position,
        hint: "expected a placeholder such as %@"
      )
    default:
      throw FormatProblem(
        "unknown placeholder",
        start..<position,
        hint: "expected %@, %K, %d or %f",
        recovery: "a placeholder has no width or precision: the value is bound, not printed."
      )
    }
  }
}
