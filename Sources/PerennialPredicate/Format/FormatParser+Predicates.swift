// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Conditions: `OR`, `AND`, `NOT`, parentheses and comparisons.
extension FormatParser {
  mutating func parsePredicate() throws(FormatProblem) -> Measured<PredicateNode> {
    try enter()
    defer { leave() }
    var parts = [try parseConjunction()]
    while accept(keyword: "OR") || accept(sign: "||") { parts.append(try parseConjunction()) }
    return try joined(parts, PredicateNode.disjunction)
  }

  @inline(never)
  private mutating func parseConjunction() throws(FormatProblem) -> Measured<PredicateNode> {
    var parts = [try parseNegation()]
    while accept(keyword: "AND") || accept(sign: "&&") { parts.append(try parseNegation()) }
    return try joined(parts, PredicateNode.conjunction)
  }

  private func joined(
    _ parts: [Measured<PredicateNode>],
    _ join: ([PredicateNode]) -> PredicateNode
  ) throws(FormatProblem) -> Measured<PredicateNode> {
    if parts.count == 1 { return parts[0] }
    return try measured(join(parts.map(\.node)), 1 + Self.depth(of: parts))
  }

  @inline(never)
  private mutating func parseNegation() throws(FormatProblem) -> Measured<PredicateNode> {
    var count = 0
    while accept(keyword: "NOT") || accept(sign: "!") { count += 1 }
    var predicate = try parsePrimary()
    for _ in 0..<count {
      predicate = try measured(.not(predicate.node), predicate.depth + 1)
    }
    return predicate
  }

  @inline(never)
  private mutating func parsePrimary() throws(FormatProblem) -> Measured<PredicateNode> {
    if accept(keyword: "TRUEPREDICATE") { return Measured(node: .constant(true), depth: 1) }
    if accept(keyword: "FALSEPREDICATE") { return Measured(node: .constant(false), depth: 1) }
    guard token.isSign("("), holdsPredicate() else { return try parseComparison() }
    let opening = token
    advance()
    let predicate = try parsePredicate()
    try expect(sign: ")", toClose: opening)
    return predicate
  }

  /// Whether the parenthesis at hand holds a condition: nothing behind it works on a value.
  private func holdsPredicate() -> Bool {
    guard let closing = closings[index] else { return true }
    let next = tokens[min(closing + 1, tokens.count - 1)]
    switch next.kind {
    case .sign(let sign):
      return [")", "}", "]", ",", "&&", "||", "(", "{", "!"].contains(sign)
    case .word(let word):
      return word.uppercased() != "NOT" && Self.wordOperators[word.uppercased()] == nil
    default: return true
    }
  }

  // MARK: Comparisons

  @inline(never)
  private mutating func parseComparison() throws(FormatProblem) -> Measured<PredicateNode> {
    let modifier = try parseModifier()
    let left = try parseExpression()
    let isNegated = try parseNegationOfOperator(modifier)
    let comparator = try parseOperator()
    let options = try parseOptions()
    let right = try parseExpression()
    let comparison = Comparison(
      left.node,
      comparator,
      right.node,
      options: options,
      modifier: modifier
    )
    let predicate = try measured(
      PredicateNode.comparison(comparison),
      1 + max(left.depth, right.depth)
    )
    return isNegated ? try measured(.not(predicate.node), predicate.depth + 1) : predicate
  }

  @inline(never)
  private mutating func parseModifier() throws(FormatProblem) -> Comparison.Modifier {
    let modifier: Comparison.Modifier
    switch token.keyword {
    case "ANY", "SOME": modifier = .any
    case "ALL": modifier = .all
    case "NONE": modifier = .none
    default: return .direct
    }
    let word = text(of: token)
    if isOperator(nextToken) { throw isReserved(word) }
    advance()
    if token.isSign("("), holdsPredicate() {
      throw problem(
        "\(word) is followed by a parenthesis",
        hint: "expected a key path",
        recovery: "use SUBQUERY(items, $item, …).@count > 0 for several conditions on one element."
      )
    }
    return modifier
  }

  /// Accepts the `NOT` of `x NOT IN y`, which Core Data does not.
  @inline(never)
  private mutating func parseNegationOfOperator(
    _ modifier: Comparison.Modifier
  ) throws(FormatProblem) -> Bool {
    guard token.keyword == "NOT" else { return false }
    guard let word = nextToken.keyword, Self.wordOperators[word] != nil else { return false }
    guard modifier == .direct else {
      throw problem(
        "NOT stands behind a path with \(modifier.rawValue)",
        recovery: "write NOT in front of the comparison."
      )
    }
    advance()
    return true
  }

  // MARK: Operators

  private static let wordOperators: [String: Comparison.Operator] = Dictionary(
    uniqueKeysWithValues: Comparison.Operator.allCases.filter(\.isWord).map { ($0.rawValue, $0) }
  )

  private static let signOperators: [String: Comparison.Operator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  /// Words of other languages, and what they are called here.
  private static let foreignOperators = [
    "HASPREFIX": "BEGINSWITH", "STARTSWITH": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "IS": "==",
    "EQUALS": "==", "EQ": "==", "NE": "!=", "LT": "<", "GT": ">", "INCLUDES": "CONTAINS",
    "REGEXP": "MATCHES", "ILIKE": "LIKE[c]", "GLOB": "LIKE",
  ]

  private func isOperator(_ token: FormatToken) -> Bool {
    switch token.kind {
    case .sign(let sign): Self.signOperators[sign] != nil
    case .word(let word): Self.wordOperators[word.uppercased()] != nil
    default: false
    }
  }

  @inline(never)
  private mutating func parseOperator() throws(FormatProblem) -> Comparison.Operator {
    switch token.kind {
    case .sign(let sign):
      guard let comparator = Self.signOperators[sign] else { throw unknownSign(sign) }
      advance()
      return comparator
    case .word(let word):
      guard let comparator = Self.wordOperators[word.uppercased()] else {
        throw unknownOperator(word)
      }
      advance()
      return comparator
    default: throw unexpected(expected: "an operator such as == or CONTAINS")
    }
  }

  @inline(never)
  private func unknownSign(_ sign: String) -> FormatProblem {
    switch sign {
    case "===": problem("unknown operator \"===\"", hint: "did you mean ==?")
    case "!==": problem("unknown operator \"!==\"", hint: "did you mean !=?")
    case ":=": problem("an assignment is not a predicate", hint: "did you mean ==?")
    default: unexpected(expected: "an operator such as == or CONTAINS")
    }
  }

  @inline(never)
  private func unknownOperator(_ word: String) -> FormatProblem {
    let upper = word.uppercased()
    if upper.hasPrefix("UTI-") {
      return problem(
        "\(upper) is not supported",
        recovery: "compare the identifiers with == or BEGINSWITH."
      )
    }
    if ["AND", "OR"].contains(upper) {
      return unexpected(expected: "an operator such as == or CONTAINS")
    }
    let suggestion =
      Self.foreignOperators[upper]
      ?? EditDistance.suggestion(for: upper, among: Self.wordOperators.keys.sorted())
    return problem(
      "unknown operator \"\(word)\"",
      hint: suggestion.map { "did you mean \($0)?" } ?? "expected an operator such as =="
    )
  }

  @inline(never)
  private mutating func parseOptions() throws(FormatProblem) -> StringComparisonOptions {
    guard token.isSign("[") else { return [] }
    let opening = token
    advance()
    guard case .word(let letters) = token.kind else {
      throw unexpected(expected: "options such as cd")
    }
    var options: StringComparisonOptions = []
    for letter in letters.lowercased().utf8 {
      guard let known = StringComparisonOptions.letters.first(where: { $0.letter == letter }) else {
        throw problem("unknown option in \"[\(letters)]\"", hint: "expected c, d, n, l or w")
      }
      options.insert(known.option)
    }
    advance()
    try expect(sign: "]", toClose: opening)
    return options
  }
}
