// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Scanner {
  /// Moves past one comment, string literal or regular expression, whose brackets do not count.
  ///
  /// - Returns: Whether there was one.
  mutating func skipOpaque(depth: Int = 0) -> Bool {
    skipComment() || skipString(depth: depth) || skipRegularExpression()
  }

  /// Moves past one bracketed group, such as `(…)`; the cursor is at the opening bracket.
  mutating func skipGroup(depth: Int = 0) {
    var open = 0
    while !isAtEnd {
      if skipOpaque(depth: depth) { continue }
      switch current {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): open -= 1
      default: break
      }
      index += 1
      if open <= 0 { return }
    }
  }

  /// Moves past a string literal: plain, raw, of several lines, with interpolations.
  private mutating func skipString(depth: Int) -> Bool {
    var poundCount = 0
    while byte(at: index + poundCount) == UInt8(ascii: "#") { poundCount += 1 }
    guard byte(at: index + poundCount) == UInt8(ascii: "\"") else { return false }
    index += poundCount
    let isMultiline = takeMultilineOpening(poundCount: poundCount)
    if !isMultiline { index += 1 }
    while !isAtEnd {
      if current == UInt8(ascii: "\\"), hasPounds(poundCount, at: index + 1) {
        index = min(index + 1 + poundCount, bytes.count)
        skipEscape(depth: depth)
      } else if isMultiline ? isAt("\"\"\"") : isAt("\"") {
        index += isMultiline ? 3 : 1
        guard hasPounds(poundCount, at: index) else { continue }
        index += poundCount
        return true
      } else if !isMultiline, Self.isNewline(current) {
        return true
      } else {
        index += 1
      }
    }
    return true
  }

  /// Moves past the `"""` that opens a string of several lines.
  ///
  /// In a raw string that closes on its line, as in `#"""#`, they are one opening mark and text.
  ///
  /// - Returns: Whether the string has several lines.
  mutating func takeMultilineOpening(poundCount: Int) -> Bool {
    guard isAt("\"\"\"") else { return false }
    var position = index + 2
    while poundCount > 0, position < bytes.count, !Self.isNewline(bytes[position]) {
      if bytes[position] == UInt8(ascii: "\""), hasPounds(poundCount, at: position + 1) {
        return false
      }
      position += 1
    }
    index += 3
    return true
  }

  /// Moves past what follows a backslash: an interpolation or one byte.
  private mutating func skipEscape(depth: Int) {
    if current == UInt8(ascii: "("), depth < Self.maximumDepth {
      skipGroup(depth: depth + 1)
    } else if !isAtEnd {
      index += 1
    }
  }

  private func hasPounds(_ count: Int, at position: Int) -> Bool {
    (0..<count).allSatisfy { byte(at: position + $0) == UInt8(ascii: "#") }
  }

  /// Moves past `/…/` or `#/…/#`.
  ///
  /// A bare slash starts one only where an expression may start and when it is closed on its line;
  /// else it is an operator.
  private mutating func skipRegularExpression() -> Bool {
    if isAt("#") { return skipExtendedRegularExpression() }
    guard current == UInt8(ascii: "/"), mayStartExpression() else { return false }
    let next = byte(at: index + 1)
    guard !Self.isSpace(next), next != UInt8(ascii: ")"), next != 0 else { return false }
    var position = index + 1
    while position < bytes.count, !Self.isNewline(bytes[position]) {
      if bytes[position] == UInt8(ascii: "/") {
        index = position + 1
        return true
      }
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }

  private mutating func skipExtendedRegularExpression() -> Bool {
    var poundCount = 0
    while byte(at: index + poundCount) == UInt8(ascii: "#") { poundCount += 1 }
    guard byte(at: index + poundCount) == UInt8(ascii: "/") else { return false }
    index += poundCount + 1
    while !isAtEnd {
      if current == UInt8(ascii: "\\") {
        index = min(index + 2, bytes.count)
      } else if current == UInt8(ascii: "/"), hasPounds(poundCount, at: index + 1) {
        index += 1 + poundCount
        return true
      } else {
        index += 1
      }
    }
    return true
  }

  /// Whether what stands before the cursor leaves an expression to come: an opening bracket, an
  /// operator, a keyword or the beginning of a line.
  private func mayStartExpression() -> Bool {
    var end = index
    while end > 0, Self.isSpace(bytes[end - 1]) { end -= 1 }
    guard end > 0 else { return true }
    if end == index, isPostfixOperator(at: end - 1) { return false }
    if "(,=:[{;!&|?~".utf8.contains(bytes[end - 1]) { return true }
    if bytes[end..<index].contains(where: Self.isNewline) {
      return byte(at: index + 1) != UInt8(ascii: "=")
    }
    var start = end
    while start > 0, Self.isWordByte(bytes[start - 1]) { start -= 1 }
    let keywords = [
      "return", "in", "try", "await", "case", "if", "guard", "while", "else", "throw", "where",
    ]
    return keywords.contains(text(start..<end))
  }

  /// Whether a byte is the `!` of `x!` or the `?` of `x?`, and no prefix operator.
  private func isPostfixOperator(at position: Int) -> Bool {
    let before = byte(at: position - 1)
    return "!?".utf8.contains(byte(at: position))
      && (Self.isWordByte(before) || ")]}`!?".utf8.contains(before))
  }
}
