// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Scanner {
  /// Moves past a type, such as `[String: any Sendable]?`.
  ///
  /// - Returns: Its range, without trivia at either end; empty when there is none.
  mutating func takeType() -> Range<Int> {
    skipTrivia()
    let start = index
    var end = index
    while !isAtEnd {
      guard isTypeContinued(from: start, after: end) else {
        break
      }
      if current == UInt8(ascii: "<") {
        guard skipGenericArguments() else { break }
      } else if current == UInt8(ascii: "(") || current == UInt8(ascii: "[") {
        skipGroup()
      } else if !take("->"), !take("::") {
        takeTypeByte()
      }
      end = index
      skipTrivia()
    }
    index = end
    return start..<end
  }

  private mutating func takeTypeByte() {
    if takeWord().isEmpty { index += 1 }
  }

  /// Whether the byte at the cursor belongs to the type that ended at a position before it.
  private func isTypeContinued(from start: Int, after end: Int) -> Bool {
    let byte = current
    if byte == UInt8(ascii: "&") || isAt("->") || byte == UInt8(ascii: ".") || isAt("::") {
      return true
    }
    let last = self.byte(at: end - 1)
    let isOpenEnded = end == start || "&.:@".utf8.contains(last)
    let isNewLine = bytes[end..<index].contains { Self.isNewline($0) }
    if isNewLine, !isOpenEnded, !endsWithArrow(end) { return false }
    switch byte {
    case UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: "("),
      UInt8(ascii: "["), UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "~"):
      return true
    default:
      return Self.isWordByte(byte)
    }
  }

  private func endsWithArrow(_ end: Int) -> Bool {
    byte(at: end - 1) == UInt8(ascii: ">") && byte(at: end - 2) == UInt8(ascii: "-")
  }

  /// Moves past `<…>` if the cursor is at a list of generic arguments; else stays.
  ///
  /// - Parameter limit: How many bytes to look at, to keep the scanning of expressions linear.
  /// - Returns: Whether there was a list.
  mutating func skipGenericArguments(limit: Int = .max) -> Bool {
    let start = index
    var depth = 0
    while !isAtEnd, index - start < limit {
      if skipComment() { continue }
      switch current {
      case UInt8(ascii: "=") where limit != .max:
        // Arguments in an expression have none: what was taken for their beginning is an operator.
        index = start
        return false
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">") where byte(at: index - 1) != UInt8(ascii: "-"): depth -= 1
      case UInt8(ascii: "("), UInt8(ascii: "["):
        skipGroup()
        continue
      case UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "?"),
        UInt8(ascii: "!"), UInt8(ascii: "&"), UInt8(ascii: "-"), UInt8(ascii: ">"),
        UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "~"), UInt8(ascii: "="):
        break
      default:
        guard Self.isWordByte(current) || Self.isSpace(current) else {
          index = start
          return false
        }
      }
      index += 1
      if depth == 0 { return true }
    }
    index = start
    return false
  }
}
