// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The text of a string literal, with the place in the source of each of its bytes.
///
/// An interpolation is two bytes of the text, `%@`, as `FetchPredicate` itself has it.
///
/// Invariant: `origins` has one element more than `bytes`, for the end.
struct FormatLiteral: Equatable {
  /// An interpolation.
  struct Interpolation: Equatable {
    /// Its place in the text.
    var offset: Int
    /// Whether it is written `\(key: …)`.
    var isKey: Bool
  }

  /// The text, its escapes resolved.
  private(set) var bytes: [UInt8] = []
  /// The positions of the bytes in the source, and that of the closing quotation mark.
  private(set) var origins: [Int] = []
  /// The interpolations, in order.
  private(set) var interpolations: [Interpolation] = []

  /// Reads a literal: plain, raw or of several lines.
  ///
  /// - Parameters:
  ///   - range: The literal's place; `nil` is the result when something else stands there.
  ///   - source: The source.
  init?(at range: Range<Int>, in source: String) {
    var scanner = Scanner(source)
    scanner.index = range.lowerBound
    var poundCount = 0
    while scanner.take("#") { poundCount += 1 }
    let isMultiline = scanner.takeMultilineOpening(poundCount: poundCount)
    let closing = poundCount + (isMultiline ? 3 : 1)
    guard isMultiline || scanner.take("\""), scanner.index + closing <= range.upperBound else {
      return nil
    }
    let end = range.upperBound - closing
    if isMultiline {
      readLines(&scanner, until: end, poundCount)
    } else {
      readLine(&scanner, until: end, poundCount)
    }
    origins.append(end)
    let quotes = isMultiline ? "\"\"\"" : "\""
    let expected = quotes + String(repeating: "#", count: poundCount)
    guard scanner.index == end, scanner.text(end..<range.upperBound) == expected else { return nil }
  }

  /// The place in the source of bytes of the text.
  func sourceRange(of range: Range<Int>) -> Range<Int> {
    let last = origins.count - 1
    let start = origins[min(range.lowerBound, last)]
    guard !range.isEmpty else { return start..<start }
    return start..<max(start, origins[min(range.upperBound, last)])
  }

  private mutating func append(_ bytes: some Sequence<UInt8>, from origin: Int) {
    for byte in bytes {
      self.bytes.append(byte)
      origins.append(origin)
    }
  }
}

extension FormatLiteral {
  /// Reads the lines of a literal without their indentation, which is that of the closing marks.
  private mutating func readLines(_ scanner: inout Scanner, until end: Int, _ poundCount: Int) {
    var lineStart = end
    while lineStart > scanner.index, !Scanner.isNewline(scanner.bytes[lineStart - 1]) {
      lineStart -= 1
    }
    let indentation = scanner.bytes[lineStart..<end]
    let contentEnd = Self.beforeNewline(lineStart, in: scanner)
    scanner.skipLine()
    Self.skipNewline(&scanner)
    while scanner.index < contentEnd {
      if scanner.bytes[scanner.index...].starts(with: indentation) {
        scanner.index += indentation.count
      }
      readLine(&scanner, until: contentEnd, poundCount)
      guard scanner.index < contentEnd else { break }
      append([0x0A], from: scanner.index)
      Self.skipNewline(&scanner)
    }
    scanner.index = max(scanner.index, end)
  }

  private static func skipNewline(_ scanner: inout Scanner) {
    scanner.index += scanner.isAt("\r\n") ? 2 : 1
  }

  private static func beforeNewline(_ lineStart: Int, in scanner: Scanner) -> Int {
    let isPair = scanner.byte(at: lineStart - 1) == 0x0A && scanner.byte(at: lineStart - 2) == 0x0D
    return lineStart - (isPair ? 2 : 1)
  }

  /// Reads to the end of the line or of the literal.
  private mutating func readLine(_ scanner: inout Scanner, until end: Int, _ poundCount: Int) {
    let escape = [UInt8(ascii: "\\")] + [UInt8](repeating: UInt8(ascii: "#"), count: poundCount)
    while scanner.index < end, !Scanner.isNewline(scanner.current) {
      let start = scanner.index
      if scanner.bytes[start...].starts(with: escape) {
        scanner.index += escape.count
        readEscape(&scanner, from: start)
      } else {
        append([scanner.current], from: start)
        scanner.index += 1
      }
    }
  }

  /// Reads what follows a backslash.
  private mutating func readEscape(_ scanner: inout Scanner, from start: Int) {
    switch scanner.current {
    case UInt8(ascii: "("):
      let isKey = Self.isKey(scanner)
      interpolations.append(Interpolation(offset: bytes.count, isKey: isKey))
      append("%@".utf8, from: start)
      return scanner.skipGroup()
    case UInt8(ascii: "n"): append([0x0A], from: start)
    case UInt8(ascii: "r"): append([0x0D], from: start)
    case UInt8(ascii: "t"): append([0x09], from: start)
    case UInt8(ascii: "0"): append([0], from: start)
    case UInt8(ascii: "u"): return readScalar(&scanner, from: start)
    case let byte where Scanner.isSpace(byte):
      // The backslash joins this line to the next.
      while !scanner.isAtEnd, Scanner.isSpace(scanner.current) { scanner.index += 1 }
      return
    default: append([scanner.current], from: start)
    }
    scanner.index += 1
  }

  /// Reads `u{1F600}`.
  private mutating func readScalar(_ scanner: inout Scanner, from start: Int) {
    scanner.index += 1
    guard scanner.take("{") else { return }
    let digits = scanner.text(scanner.takeWord())
    _ = scanner.take("}")
    let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
    append(String(Character(scalar)).utf8, from: start)
  }

  /// Whether the parenthesis at the cursor holds `key:`.
  private static func isKey(_ scanner: Scanner) -> Bool {
    var ahead = scanner
    guard ahead.take("(") else { return false }
    ahead.skipTrivia()
    guard ahead.text(ahead.takeWord()) == "key" else { return false }
    ahead.skipTrivia()
    return ahead.isAt(":")
  }
}
