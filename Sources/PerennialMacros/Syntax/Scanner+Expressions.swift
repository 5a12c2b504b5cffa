// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Scanner {
  /// Moves past the expression of an initial value.
  ///
  /// It ends at `,`, `;`, a closing bracket, the braces of observers, or an end of line that no
  /// operator bridges.
  ///
  /// - Returns: Its range, without trivia at either end.
  mutating func takeExpression() -> Range<Int> {
    skipTrivia()
    let start = index
    var end = index
    while !isAtEnd {
      let tokenStart = index
      if isAt(",") || isAt(";") || isAt(")") || isAt("]") || isAt("}") { break }
      if isAt("{"), end > start, isAtObservers() { break }
      let wasLiteral = skipOpaque()
      if !wasLiteral { takeExpressionToken() }
      if index == tokenStart { index += 1 }
      end = index
      guard skipTrivia() else { continue }
      if !isAtInfixOperator(), wasLiteral || !isWaiting(at: end) { break }
    }
    index = end
    return start..<end
  }

  private mutating func takeExpressionToken() {
    if isAt("<"), Self.isWordByte(byte(at: index - 1)), skipGenericArguments(limit: 128) { return }
    if isAt("(") || isAt("[") || isAt("{") { return skipGroup() }
    if takeWord().isEmpty { index += 1 }
  }

  /// Whether an expression that stops at a position ends in an operator that waits for its operand;
  /// `x!` and `x?` do not.
  private func isWaiting(at end: Int) -> Bool {
    let last = byte(at: end - 1)
    if "+-*/%=&|^<:".utf8.contains(last) { return true }
    if last == UInt8(ascii: "?"), Self.isSpace(byte(at: end - 2)) || byte(at: end - 2) == last {
      return true
    }
    return false
  }

  /// Whether the cursor is at an operator with a space behind it, a member, or `as` or `is`.
  private func isAtInfixOperator() -> Bool {
    if isAt(".") { return !Self.isSpace(byte(at: index + 1)) }
    if isAtWord("as") || isAtWord("is") { return true }
    var position = index
    while Self.isOperatorByte(byte(at: position)) || byte(at: position) == UInt8(ascii: ":") {
      position += 1
    }
    return position > index && Self.isSpace(byte(at: position))
  }

  /// Whether the braces at the cursor hold `willSet` or `didSet`, and not a closure.
  func isAtObservers() -> Bool {
    var ahead = self
    guard ahead.take("{") else { return false }
    ahead.skipTrivia()
    while ahead.take("@") {
      _ = ahead.takeWord()
      if ahead.isAt("(") { ahead.skipGroup() }
      ahead.skipTrivia()
    }
    return ahead.isAtWord("willSet") || ahead.isAtWord("didSet")
  }
}
