// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Splits a format string into tokens.
struct FormatLexer {
  let bytes: [UInt8]
  /// The places of interpolated values, each two bytes long, with whether it is a key.
  let interpolations: [Int: FormatPlaceholder]?
  var position = 0
  var tokens: [FormatToken] = []

  init(_ bytes: [UInt8], interpolations: [Int: FormatPlaceholder]?) {
    self.bytes = bytes
    self.interpolations = interpolations
  }

  /// The tokens of a text; the last one is the end.
  static func tokens(
    of bytes: [UInt8],
    interpolations: [Int: FormatPlaceholder]?
  ) throws(FormatProblem) -> [FormatToken] {
    var lexer = FormatLexer(bytes, interpolations: interpolations)
    while try lexer.appendNext() {}
    return lexer.tokens
  }

  private mutating func appendNext() throws(FormatProblem) -> Bool {
    skipWhitespace()
    let start = position
    guard let byte = peek() else {
      tokens.append(FormatToken(kind: .end, range: start..<start))
      return false
    }
    let kind = try kind(startingWith: byte)
    tokens.append(FormatToken(kind: kind, range: start..<position))
    return true
  }

  private mutating func kind(startingWith byte: UInt8) throws(FormatProblem) -> FormatToken.Kind {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quotedText())
    case UInt8(ascii: "%"): return .placeholder(try placeholder())
    case UInt8(ascii: "$"): return .variable(try name(after: "$", meaning: "a variable"))
    case UInt8(ascii: "@"):
      return .collectionOperator("@" + (try name(after: "@", meaning: "a collection operator")))
    case UInt8(ascii: "#"): return .escapedWord(try escapedName())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: ".") where startsFraction: return try number()
    default: break
    }
    if let word = scanName() {
      return .word(word + typeIdentifierSuffix(after: word) + selectorSuffix())
    }
    return try sign()
  }

  /// Whether a dot begins a number, `.5`, and not a step of a path.
  private var startsFraction: Bool {
    guard let next = peek(1), Self.isDigit(next) else { return false }
    switch tokens.last?.kind {
    case .word(let word): return ReservedWord.all.contains(word.uppercased())
    case .sign(let sign): return ![")", "]", "}"].contains(sign)
    case nil: return true
    default: return false
    }
  }

  private mutating func sign() throws(FormatProblem) -> FormatToken.Kind {
    let candidates = FormatToken.signs[Int(bytes[position])]
    if let sign = candidates.first(where: { bytes[position...].starts(with: $0.bytes) }) {
      position += sign.bytes.count
      return .sign(sign.text)
    }
    let place = position..<position
    if let scalar = scalar(at: position), "“”‘’«»`".unicodeScalars.contains(scalar) {
      throw FormatProblem(
        "the quotation mark \(scalar) is not understood",
        place,
        hint: "expected ' or \"",
        recovery: "write straight quotation marks."
      )
    }
    throw FormatProblem("unexpected character", place)
  }

  // MARK: Names

  private mutating func name(
    after mark: String,
    meaning: String
  ) throws(FormatProblem) -> String {
    let start = position
    position += 1
    guard let name = scanName() else {
      throw FormatProblem(
        "'\(mark)' is not followed by a name",
        start..<position,
        hint: "expected \(meaning) such as \(mark)name"
      )
    }
    return name
  }

  /// The name after `#`: a word, or any text in quotes.
  private mutating func escapedName() throws(FormatProblem) -> String {
    if let quote = peek(1), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
      position += 1
      return try quotedText()
    }
    return try name(after: "#", meaning: "a key")
  }

  /// Reads a name at the position, or nothing.
  mutating func scanName() -> String? {
    let start = position
    while let byte = peek() {
      if Self.isNameByte(byte) && (position > start || !Self.isDigit(byte)) {
        position += 1
      } else if byte >= 0x80, let scalar = scalar(at: position), Self.isNameScalar(scalar) {
        position += UTF8.width(scalar)
      } else {
        break
      }
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// The rest of a function's name that is written with colons: `:by:` in `modulus:by:(5, 3)`.
  private mutating func selectorSuffix() -> String {
    let start = position
    while peek() == UInt8(ascii: ":") {
      position += 1
      guard peek() != UInt8(ascii: "(") else {
        return String(decoding: bytes[start..<position], as: UTF8.self)
      }
      guard scanName() != nil else { break }
    }
    position = start
    return ""
  }

  /// `-CONFORMS-TO` or `-EQUALS` after `UTI`.
  private mutating func typeIdentifierSuffix(after word: String) -> String {
    guard word.utf8.count == 3, word.uppercased() == "UTI" else { return "" }
    for suffix in ["-CONFORMS-TO", "-EQUALS"] {
      let end = position + suffix.utf8.count
      guard end <= bytes.count else { continue }
      let text = String(decoding: bytes[position..<end], as: UTF8.self)
      if text.uppercased() == suffix {
        position = end
        return text
      }
    }
    return ""
  }
}

extension FormatLexer {
  // MARK: Bytes and scalars

  func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  func scalar(at place: Int) -> Unicode.Scalar? {
    String(decoding: bytes[place..<min(place + 4, bytes.count)], as: UTF8.self)
      .unicodeScalars.first
  }

  private mutating func skipWhitespace() {
    while let byte = peek() {
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        position += 1
      } else if byte >= 0x80, let scalar = scalar(at: position), scalar.properties.isWhitespace {
        position += UTF8.width(scalar)
      } else {
        return
      }
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
    default: false
    }
  }

  static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isIDContinue || scalar.properties.isEmoji || scalar == "\u{200D}"
      || scalar == "\u{FE0F}"
  }
}
