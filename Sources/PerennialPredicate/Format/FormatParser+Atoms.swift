// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Values that do not start with another value: constants, names, lists, calls.
extension FormatParser {
  @inline(never)
  mutating func parseAtom() throws(FormatProblem) -> Measured<ExpressionNode> {
    switch token.kind {
    case .integer(let magnitude):
      guard let value = Int64(exactly: magnitude) else {
        throw problem("the number does not fit into 64 bits")
      }
      return take(.constant(.integer(value)))
    case .double(let value): return take(.constant(.double(value)))
    case .string(let text): return take(.constant(.string(text)))
    case .variable(let name):
      if nextToken.isSign(":=") {
        advance()
        throw problem("an assignment is not a predicate", hint: "did you mean ==?")
      }
      return take(.variable(name))
    case .escapedWord(let word): return take(.path(word))
    case .collectionOperator(let name):
      let operation = try collectionOperator(name)
      advance()
      return try path(from: Self.tested, [.operation(operation)] + (try parseSteps()))
    case .placeholder(.keyPath), .placeholder(.interpolatedKey):
      return try path(from: Self.tested, try keyPathArgument())
    case .placeholder(let placeholder): return try valueArgument(placeholder)
    case .word(let word): return try parseWord(word)
    case .sign("("): return try parseParenthesis()
    case .sign("{"): return try parseList()
    case .sign, .end: throw unexpected(expected: "a value")
    }
  }

  private static let tested = Measured(node: ExpressionNode.object, depth: 1)

  private mutating func take(_ node: ExpressionNode) -> Measured<ExpressionNode> {
    advance()
    return Measured(node: node, depth: node.depth())
  }

  @inline(never)
  private mutating func parseParenthesis() throws(FormatProblem) -> Measured<ExpressionNode> {
    let opening = token
    advance()
    let value = try parseExpression()
    try expect(sign: ")", toClose: opening)
    return value
  }

  @inline(never)
  private mutating func parseList() throws(FormatProblem) -> Measured<ExpressionNode> {
    let opening = token
    advance()
    let values = try parseValues(closing: "}", opening)
    return try measured(.list(values.map(\.node)), 1 + Self.depth(of: values))
  }

  /// Reads values separated by commas and the closing sign.
  @inline(never)
  private mutating func parseValues(
    closing: String,
    _ opening: FormatToken
  ) throws(FormatProblem) -> [Measured<ExpressionNode>] {
    if accept(sign: closing) { return [] }
    var values = [try parseExpression()]
    while accept(sign: ",") {
      if values.count == PredicateLimits.listCount { throw tooManyValues() }
      values.append(try parseExpression())
    }
    try expect(sign: closing, toClose: opening)
    return values
  }

  @inline(never)
  func tooManyValues() -> FormatProblem {
    let error = FormatError.tooManyValues
    return problem(error.message, recovery: error.recovery)
  }

  // MARK: Words

  @inline(never)
  private mutating func parseWord(_ word: String) throws(FormatProblem) -> Measured<ExpressionNode>
  {
    let isCall = nextToken.isSign("(")
    switch word.uppercased() {
    case "NULL", "NIL": return take(.null)
    case "TRUE", "YES": return take(.constant(.boolean(true)))
    case "FALSE", "NO": return take(.constant(.boolean(false)))
    case "SELF": return take(.object)
    case "SUBQUERY" where isCall: return try parseSubquery()
    case "TERNARY" where isCall: return try parseTernary()
    case "CAST" where isCall: return try parseCast()
    case "FUNCTION" where isCall: return try parseFunctionBySelector()
    case "FETCH" where isCall, "ANYKEY": throw problem("\(word.uppercased()) is not supported")
    default: break
    }
    try checkNotReserved(word)
    return isCall ? try parseCall(word) : take(.path(word))
  }

  @inline(never)
  private mutating func parseSubquery() throws(FormatProblem) -> Measured<ExpressionNode> {
    let opening = openCall()
    let collection = try parseExpression()
    try expect(sign: ",")
    guard case .variable(let name) = token.kind else {
      throw unexpected(expected: "a variable such as $item")
    }
    advance()
    try expect(sign: ",")
    let condition = try parsePredicate()
    try expect(sign: ")", toClose: opening)
    return try measured(
      .subquery(collection.node, name, condition.node),
      1 + max(collection.depth, condition.depth)
    )
  }

  @inline(never)
  private mutating func parseTernary() throws(FormatProblem) -> Measured<ExpressionNode> {
    let opening = openCall()
    let condition = try parsePredicate()
    try expect(sign: ",")
    let first = try parseExpression()
    try expect(sign: ",")
    let second = try parseExpression()
    try expect(sign: ")", toClose: opening)
    return try measured(
      .ternary(condition.node, first.node, second.node),
      1 + max(condition.depth, first.depth, second.depth)
    )
  }

  @inline(never)
  private mutating func parseCast() throws(FormatProblem) -> Measured<ExpressionNode> {
    let opening = openCall()
    let value = try parseExpression()
    try expect(sign: ",")
    guard case .string(let name) = token.kind else {
      throw unexpected(expected: "a type such as 'NSDate'")
    }
    guard let type = CastType(name: name) else {
      let names = CastType.allCases.map(\.rawValue)
      let suggestion = EditDistance.suggestion(for: name, among: names)
      throw problem(
        "unknown type in CAST",
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "expected 'NSDate'",
        recovery: "CAST converts to \(names.joined(separator: ", "))."
      )
    }
    advance()
    try expect(sign: ")", toClose: opening)
    return try measured(value.node.casting(to: type), value.depth + 1)
  }

  /// Passes the name and the parenthesis of a call, and gives the parenthesis.
  private mutating func openCall() -> FormatToken {
    advance()
    let opening = token
    advance()
    return opening
  }

  // MARK: Functions

  @inline(never)
  private mutating func parseCall(_ name: String) throws(FormatProblem) -> Measured<ExpressionNode>
  {
    let nameToken = token
    let function = try function(named: name)
    let opening = openCall()
    let values = try parseValues(closing: ")", opening)
    return try call(function, values, at: nameToken)
  }

  /// `FUNCTION(operand, 'name:', argument …)`: a call of the same fixed table.
  @inline(never)
  private mutating func parseFunctionBySelector() throws(FormatProblem) -> Measured<ExpressionNode>
  {
    let nameToken = token
    let opening = openCall()
    var values = [try parseExpression()]
    try expect(sign: ",")
    guard case .string(let name) = token.kind else {
      throw unexpected(expected: "a function's name in quotes")
    }
    let function = try function(named: name)
    advance()
    while accept(sign: ",") { values.append(try parseExpression()) }
    try expect(sign: ")", toClose: opening)
    return try call(function, values, at: nameToken)
  }

  private func function(named name: String) throws(FormatProblem) -> PredicateFunction {
    if let function = PredicateFunction(name: name) { return function }
    let suggestion = EditDistance.suggestion(for: name, among: PredicateFunction.names)
    throw problem(
      "unknown function \"\(name)\"",
      hint: suggestion.map { "did you mean \($0)?" } ?? "",
      recovery: "a predicate calls only \(PredicateFunction.names.joined(separator: ", "))."
    )
  }

  private func call(
    _ function: PredicateFunction,
    _ values: [Measured<ExpressionNode>],
    at name: FormatToken
  ) throws(FormatProblem) -> Measured<ExpressionNode> {
    guard function.argumentCounts.contains(values.count) else {
      let expected = function.argumentCounts.lowerBound
      throw FormatProblem(
        "\(function.rawValue) has \(Self.counted(values.count, "argument"))",
        name.range,
        hint: "expected \(function.argumentCounts.count > 1 ? "at least " : "")\(expected)"
      )
    }
    return try measured(.function(function, values.map(\.node)), 1 + Self.depth(of: values))
  }
}
