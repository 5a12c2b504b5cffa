// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Reads a format string into a tree: recursive descent over tokens, one token of look-ahead.
///
/// Whether a parenthesis holds a condition or a value is decided by the token behind its closing
/// partner, so that nothing is read twice. Invariants:
/// 1. `nesting` counts the open `enter()` calls; recursion stops at ``maximumPredicateDepth``.
/// 2. Every node comes with an upper bound of its depth, which never exceeds the same limit.
struct FormatParser {
  /// A node and an upper bound of its depth.
  struct Measured<Node: Sendable>: Sendable {
    var node: Node
    var depth: Int
  }

  let bytes: [UInt8]
  let tokens: [FormatToken]
  let arguments: [Any?]
  /// For every opening parenthesis the index of its closing one.
  let closings: [Int: Int]
  var index = 0
  var argumentIndex = 0
  var nesting = 0

  private init(_ bytes: [UInt8], _ tokens: [FormatToken], _ arguments: [Any?]) {
    self.bytes = bytes
    self.tokens = tokens
    self.arguments = arguments
    closings = Self.closings(in: tokens)
  }

  /// Reads a whole format string.
  ///
  /// - Parameters:
  ///   - text: The format string.
  ///   - arguments: A value for every placeholder, in their order.
  ///   - interpolations: The byte offsets of the placeholders that an interpolated literal made;
  ///     `nil` for a format string.
  /// - Returns: The tree and an upper bound of its depth.
  /// - Throws: ``FormatError`` for anything that is not a predicate.
  static func parse(
    _ text: String,
    arguments: [Any?],
    interpolations: [Int: FormatPlaceholder]? = nil
  ) throws(FormatError) -> Measured<PredicateNode> {
    guard text.utf8.count <= PredicateLimits.byteCount else { throw .tooLong }
    let bytes = Array(text.utf8)
    do throws(FormatProblem) {
      return try parse(bytes, arguments: arguments, interpolations: interpolations)
    } catch {
      throw FormatError(error, in: bytes)
    }
  }

  /// Reads a whole format string, and reports what is wrong by its place in the text.
  static func parse(
    _ bytes: [UInt8],
    arguments: [Any?],
    interpolations: [Int: FormatPlaceholder]?
  ) throws(FormatProblem) -> Measured<PredicateNode> {
    let tokens = try FormatLexer.tokens(of: bytes, interpolations: interpolations)
    var parser = FormatParser(bytes, tokens, arguments)
    return try parser.parseAll()
  }

  /// Reads a whole text as one value.
  ///
  /// - Parameters:
  ///   - text: The value's text.
  ///   - arguments: A value for every placeholder, in their order.
  /// - Returns: The value and an upper bound of its depth.
  /// - Throws: ``FormatError`` for anything that is not a value.
  static func parseValue(
    _ text: String,
    arguments: [Any?] = []
  ) throws(FormatError) -> Measured<ExpressionNode> {
    guard text.utf8.count <= PredicateLimits.byteCount else { throw .tooLong }
    let bytes = Array(text.utf8)
    do throws(FormatProblem) {
      let tokens = try FormatLexer.tokens(of: bytes, interpolations: nil)
      var parser = FormatParser(bytes, tokens, arguments)
      let value = try parser.parseExpression()
      guard parser.token.kind == .end else { throw parser.unexpected(expected: "the end") }
      try parser.checkArgumentCount()
      return value
    } catch {
      throw FormatError(error, in: bytes)
    }
  }

  @inline(never)
  private mutating func parseAll() throws(FormatProblem) -> Measured<PredicateNode> {
    if token.kind == .end {
      throw problem("the predicate is empty", hint: "expected a comparison such as name == 'a'")
    }
    let predicate = try parsePredicate()
    guard token.kind == .end else { throw trailingProblem() }
    try checkArgumentCount()
    return predicate
  }

  @inline(never)
  private func checkArgumentCount() throws(FormatProblem) {
    guard argumentIndex != arguments.count else { return }
    let sentence =
      "the format has \(Self.counted(argumentIndex, "placeholder")), but "
      + "\(Self.counted(arguments.count, "argument")) \(arguments.count == 1 ? "is" : "are") given"
    guard let quoted = tokens.first(where: \.isQuotedPlaceholder) else { throw problem(sentence) }
    throw FormatProblem(
      sentence,
      quoted.range,
      hint: "a placeholder inside quotes is plain text: remove the quotes",
      recovery: "remove the quotes: the value is bound, not pasted."
    )
  }

  static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func closings(in tokens: [FormatToken]) -> [Int: Int] {
    var closings: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.isSign("(") {
        open.append(index)
      } else if token.isSign(")"), let opening = open.popLast() {
        closings[opening] = index
      }
    }
    return closings
  }
}

extension FormatParser {
  // MARK: Tokens

  var token: FormatToken { tokens[index] }

  var nextToken: FormatToken { tokens[min(index + 1, tokens.count - 1)] }

  mutating func advance() { index = min(index + 1, tokens.count - 1) }

  mutating func accept(sign: String) -> Bool {
    guard token.isSign(sign) else { return false }
    advance()
    return true
  }

  mutating func accept(keyword: String) -> Bool {
    guard token.keyword == keyword else { return false }
    advance()
    return true
  }

  mutating func expect(sign: String, toClose opening: FormatToken? = nil) throws(FormatProblem) {
    if accept(sign: sign) { return }
    guard let opening, token.kind == .end else {
      throw unexpected(expected: "'\(sign)'")
    }
    throw FormatProblem(
      "the \"\(text(of: opening))\" is not closed",
      opening.range,
      hint: "expected '\(sign)'"
    )
  }

  /// The token as it is written, cut to a readable length.
  func text(of token: FormatToken) -> String {
    let text = String(decoding: bytes[token.range], as: UTF8.self)
    return text.count > 32 ? text.prefix(31) + "…" : text
  }

  // MARK: Depth

  mutating func enter() throws(FormatProblem) {
    nesting += 1
    if nesting > maximumPredicateDepth { throw tooDeep() }
  }

  mutating func leave() { nesting -= 1 }

  func measured<Node: Sendable>(_ node: Node, _ depth: Int) throws(FormatProblem) -> Measured<Node>
  {
    guard depth <= maximumPredicateDepth else { throw tooDeep() }
    return Measured(node: node, depth: depth)
  }

  /// The depth of the deepest of some nodes.
  static func depth<Node>(of nodes: [Measured<Node>]) -> Int {
    nodes.reduce(0) { max($0, $1.depth) }
  }

  @inline(never)
  private func tooDeep() -> FormatProblem {
    FormatProblem(
      "the predicate is nested more than \(maximumPredicateDepth) levels deep",
      token.range,
      recovery: FormatError.tooDeep.recovery
    )
  }

  // MARK: Problems

  @inline(never)
  func problem(_ sentence: String, hint: String = "", recovery: String = "") -> FormatProblem {
    FormatProblem(sentence, token.range, hint: hint, recovery: recovery)
  }

  @inline(never)
  func unexpected(expected: String) -> FormatProblem {
    if token.kind == .end {
      return problem("the predicate ends too early", hint: "expected \(expected)")
    }
    return problem("unexpected \"\(text(of: token))\"", hint: "expected \(expected)")
  }

  @inline(never)
  private func trailingProblem() -> FormatProblem {
    if token.isSign(":=") {
      return problem("an assignment is not a predicate", hint: "expected ==")
    }
    if case .word(let word) = token.kind,
      let suggestion = EditDistance.suggestion(for: word, among: ["AND", "OR"])
    {
      return problem("unexpected \"\(word)\"", hint: "did you mean \(suggestion)?")
    }
    return unexpected(expected: "AND, OR or the end")
  }
}
