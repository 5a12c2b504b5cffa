// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Scanner {
  /// Moves past white space and comments.
  ///
  /// - Returns: Whether there was the end of a line among them.
  @discardableResult
  mutating func skipTrivia() -> Bool {
    var sawNewline = false
    while !isAtEnd {
      if Self.isSpace(current) {
        sawNewline = sawNewline || Self.isNewline(current)
        index += 1
      } else if !skipComment() {
        break
      }
    }
    return sawNewline
  }

  /// Moves past one comment; a line comment's end of line stays.
  ///
  /// - Returns: Whether there was one.
  mutating func skipComment() -> Bool {
    if isAt("//") {
      while !isAtEnd, !Self.isNewline(current) { index += 1 }
      return true
    }
    guard take("/*") else { return false }
    var depth = 1
    while !isAtEnd, depth > 0 {
      if take("/*") {
        depth += 1
      } else if take("*/") {
        depth -= 1
      } else {
        index += 1
      }
    }
    return true
  }

  /// Moves to the end of the line.
  mutating func skipLine() {
    while !isAtEnd, !Self.isNewline(current) { index += 1 }
  }
}
