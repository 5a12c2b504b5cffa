// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Values: arithmetic, signs, and what may follow a value.
extension FormatParser {
  mutating func parseExpression() throws(FormatProblem) -> Measured<ExpressionNode> {
    try parseExpression(minimumPrecedence: 1)
  }

  /// Reads operands joined by signs that bind at least as tightly as given; all associate left.
  private mutating func parseExpression(
    minimumPrecedence: Int
  ) throws(FormatProblem) -> Measured<ExpressionNode> {
    try enter()
    defer { leave() }
    var left = try parseSigned()
    while case .sign(let sign) = token.kind,
      let (function, precedence) = Self.infixFunctions[sign], precedence >= minimumPrecedence
    {
      advance()
      let right = try parseExpression(minimumPrecedence: precedence + 1)
      left = try measured(
        .function(function, [left.node, right.node]),
        1 + max(left.depth, right.depth)
      )
    }
    return left
  }

  private static let infixFunctions: [String: (PredicateFunction, Int)] = Dictionary(
    uniqueKeysWithValues: PredicateFunction.allCases.compactMap { function in
      function.infix.map { ($0.sign, (function, $0.precedence)) }
    }
  )

  @inline(never)
  private mutating func parseSigned() throws(FormatProblem) -> Measured<ExpressionNode> {
    var count = 0
    while accept(sign: "-") { count += 1 }
    if count > 0, token.kind == .integer(Int64.min.magnitude) {
      advance()
      count -= 1
      return try negated(Measured(node: .constant(.integer(.min)), depth: 1), times: count)
    }
    return try negated(try parsePostfix(), times: count)
  }

  private func negated(
    _ value: Measured<ExpressionNode>,
    times count: Int
  ) throws(FormatProblem) -> Measured<ExpressionNode> {
    var value = value
    for _ in 0..<count {
      let node = value.node.negated
      if case .constant = node {
        value.node = node
      } else {
        value = try measured(node, value.depth + 1)
      }
    }
    return value
  }

  // MARK: What follows a value

  @inline(never)
  private mutating func parsePostfix() throws(FormatProblem) -> Measured<ExpressionNode> {
    var value = try parseAtom()
    while token.isSign(".") || token.isSign("[") {
      value =
        token.isSign(".") ? try path(from: value, try parseSteps()) : try parseIndex(of: value)
    }
    return value
  }

  @inline(never)
  private mutating func parseIndex(
    of value: Measured<ExpressionNode>
  ) throws(FormatProblem) -> Measured<ExpressionNode> {
    let opening = token
    advance()
    var depth = 1
    let index: CollectionIndex
    switch token.keyword {
    case "FIRST": index = .first
    case "LAST": index = .last
    case "SIZE": index = .size
    default:
      let position = try parseExpression()
      index = .element(position.node)
      depth = position.depth
    }
    if case .element = index {} else { advance() }
    try expect(sign: "]", toClose: opening)
    return try measured(.index(value.node, index), 1 + max(value.depth, depth))
  }

  // MARK: Key paths

  /// A step of a key path.
  enum Step {
    case key(String)
    case operation(CollectionOperator)
  }

  /// Reads `.key.key.@operator` up to something else.
  @inline(never)
  mutating func parseSteps() throws(FormatProblem) -> [Step] {
    var steps: [Step] = []
    while accept(sign: ".") {
      switch token.kind {
      case .word(let word):
        try checkNotReserved(word)
        steps.append(.key(word))
      case .escapedWord(let word): steps.append(.key(word))
      case .collectionOperator(let name): steps.append(.operation(try collectionOperator(name)))
      case .placeholder(.keyPath), .placeholder(.interpolatedKey):
        steps += try keyPathArgument()
        continue
      default: throw unexpected(expected: "a key")
      }
      advance()
    }
    return steps
  }

  func checkNotReserved(_ word: String) throws(FormatProblem) {
    guard ReservedWord.all.contains(word.uppercased()) else { return }
    throw isReserved(word)
  }

  func isReserved(_ word: String) -> FormatProblem {
    problem(
      "\"\(word)\" is a reserved word",
      hint: "did you mean #\(word)?",
      recovery: "write #\(word) when it is the name of a property."
    )
  }

  func collectionOperator(_ name: String) throws(FormatProblem) -> CollectionOperator {
    if let operation = CollectionOperator(rawValue: name) { return operation }
    let names = CollectionOperator.allCases.map(\.rawValue)
    let suggestion = EditDistance.suggestion(for: name, among: names)
    throw problem(
      "unknown collection operator \"\(name)\"",
      hint: suggestion.map { "did you mean \($0)?" } ?? "expected one such as @count"
    )
  }

  /// The value at steps from a root.
  ///
  /// A numeric operator takes the rest of the path as its key.
  func path(
    from root: Measured<ExpressionNode>,
    _ steps: [Step]
  ) throws(FormatProblem) -> Measured<ExpressionNode> {
    let operators = steps.count { if case .operation = $0 { true } else { false } }
    guard operators <= maximumPredicateDepth else { return try measured(root.node, operators) }
    let node = Self.path(from: root.node, ArraySlice(steps))
    return try measured(node, node.depth())
  }

  private static func path(
    from root: ExpressionNode,
    _ steps: ArraySlice<Step>
  ) -> ExpressionNode {
    var node = root
    var rest = steps
    while let step = rest.popFirst() {
      switch step {
      case .key(let key): node = node.appending([key] + takeKeys(&rest))
      case .operation(.count): node = .aggregate(node, .count, .object)
      case .operation(let operation) where operation.isCollection:
        node = .aggregate(node, operation, ExpressionNode.object.appending(takeKeys(&rest)))
      case .operation(let operation): return .aggregate(node, operation, path(from: .object, rest))
      }
    }
    return node
  }

  /// The keys at the front of some steps, taken away from them.
  private static func takeKeys(_ steps: inout ArraySlice<Step>) -> [String] {
    var keys: [String] = []
    while case .key(let key)? = steps.first {
      keys.append(key)
      steps.removeFirst()
    }
    return keys
  }
}
