// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `The format macro` {
  /// The expansion of `#FetchPredicate(Person.self, LITERAL)`.
  private func expansion(of literal: String) -> Expansion {
    FormatExpansion.expand(Request.text("\n  #FetchPredicate(Person.self, \(literal))"))
  }

  /// The lines that check keys.
  private func keys(of format: String) -> [String] {
    let expansion = expansion(of: "\"\(format)\"")
    #expect(expansion.diagnostics.isEmpty)
    return expansion.source.split(separator: "\n").filter { $0.contains(".key(") }
      .map { String($0.dropFirst("  _ = keys".count)) }
  }

  @Test func `keeps the literal and has its keys checked`() {
    let literal = #""name CONTAINS[c] \(q) AND ANY films.year > 2000""#
    let expected = #"""
      FetchPredicate._checked("name CONTAINS[c] \(q) AND ANY films.year > 2000") {
        let keys = _FormatKeys(Person.self)
        _ = keys.key(\.name)
        _ = keys.key(\.films).key(\.year)
      }
      """#
    #expect(expansion(of: literal) == Expansion(source: expected))
  }

  @Test func `expands on the compiler's request`() {
    let message: JSON = [
      "expandFreestandingMacro": [
        "macro": ["moduleName": "PerennialMacros", "typeName": "FetchPredicate"],
        "macroRole": "expression",
        "syntax": [
          "kind": "expression", "source": #"#FetchPredicate(A.self, "TRUEPREDICATE")"#,
          "location": ["fileName": "File.swift", "offset": .integer(7)],
        ],
      ]
    ]
    let result = Request.answer(Array(message.text.utf8))?["expandMacroResult"]
    #expect(result?["expandedSource"]?.string == #"FetchPredicate._checked("TRUEPREDICATE") {}"#)
  }

  @Test(arguments: [
    ("TRUEPREDICATE", []),
    ("1 == 2", []),
    ("a == 1 OR b == a", [#".key(\.a)"#, #".key(\.b)"#]),
    ("a.b == a", [#".key(\.a).key(\.b)"#]),
    ("SELF == nil AND SELF.a == 1", [#".key(\.a)"#]),
    ("#in == 1 AND #'two words' == 2", [#".key(\.in)"#, #".key(\.`two words`)"#]),
    ("films.@count > 0", [#".key(\.films)"#]),
    ("films.@max.year > 0", [#".key(\.films).key(\.year)"#]),
    ("films.@unionOfObjects.cast_.name == 'a'", [#".key(\.films).key(\.cast_).key(\.name)"#]),
    ("films[FIRST].year == a[b]", [#".key(\.films).key(\.year)"#, #".key(\.a)"#, #".key(\.b)"#]),
    ("max(a, b.c) > 1", [#".key(\.a)"#, #".key(\.b).key(\.c)"#]),
    ("a BETWEEN {b, c}", [#".key(\.a)"#, #".key(\.b)"#, #".key(\.c)"#]),
    ("TERNARY(a == 1, b, c) == 1", [#".key(\.a)"#, #".key(\.b)"#, #".key(\.c)"#]),
    ("CAST(a, 'NSDate') == nil", [#".key(\.a)"#]),
    (
      "SUBQUERY(films, $f, $f.year > 1 AND $f.cast_.boss == boss).@count > 0",
      [#".key(\.films).key(\.year)"#, #".key(\.films).key(\.cast_).key(\.boss)"#, #".key(\.boss)"#]
    ),
    (
      "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == $x.d).@count > 0).@count > 0",
      [#".key(\.a).key(\.b).key(\.c)"#, #".key(\.a).key(\.d)"#]
    ),
    ("$unknown.a == 1", []),
    ("a == \\(value) AND \\(object).b == 2", [#".key(\.a)"#]),
    ("a.\\(key: name).b == 2", [#".key(\.a)"#]),
  ])
  func `finds the keys`(format: String, expected: [String]) {
    #expect(keys(of: format) == expected)
  }

  @Test(arguments: [
    (#""name CONTAIN[c] 'x'""#, "CONTAIN[", #"unknown operator "CONTAIN", did you mean CONTAINS?"#),
    (#""\u{61}\t\"\" CONTAIN 'x'""#, #"\"\" CONTAIN"#, #"unexpected """"#),
    (
      #""\u{61}b\t CONTAIN 'x'""#, "CONTAIN ",
      #"unknown operator "CONTAIN", did you mean CONTAINS?"#
    ),
    (##"#"a\b == 1"#"##, "\\b", "unexpected character"),
    (
      ##"#"a == \#(1 + (2)) AND 'é' =="#"##, "\"#)",
      "the predicate ends too early, expected a value"
    ),
    (#""a == '\(x)'""#, "'\\(x", "a value is interpolated inside quotes"),
    ("\"\"\"\n    a == 1\n    AND b =! 2\n    \"\"\"", "! 2", #"unexpected "!""#),
    (
      "\"\"\"\n    a \\\n    === 2\n    \"\"\"", "===", #"unknown operator "===", did you mean ==?"#
    ),
    ("\"\"\"\r\n  a == 1\r\n  &\r\n  \"\"\"", "\"\"\")", "the predicate ends too early"),
    (#""""#, "\")", "the predicate is empty"),
    (#""a == %@""#, "%@", "a placeholder has no argument; interpolate the value"),
    ("predicate", "predicate", "only a string literal can be checked at compile time"),
    (#"("a == 1")"#, "(\"a", "only a string literal can be checked at compile time"),
  ])
  func `reports a mistake at its place`(literal: String, place: String, message: String) throws {
    let use = "\n  #FetchPredicate(Person.self, \(literal))"
    let diagnostic = try #require(FormatExpansion.expand(Request.text(use)).diagnostics.first)
    #expect(diagnostic.message.contains(message))
    let rest = Array(use.utf8.dropFirst(diagnostic.range.lowerBound))
    #expect(String(decoding: rest, as: UTF8.self).hasPrefix(place))
  }

  @Test func `an error stands beside an expression, so that no others follow`() {
    let expansion = expansion(of: #""name ==""#)
    #expect(expansion.source == #"FetchPredicate._checked("name ==") {}"#)
    let empty = FormatExpansion.expand(Request.text("#FetchPredicate"))
    #expect(empty.source == "FetchPredicate._checked(FetchPredicate.value(false)) {}")
    #expect(empty.diagnostics.count == 1)
  }

  @Test(arguments: [
    (#""a\nb\\c\'d\0""#, "a\nb\\c'd\0"), (##"#"a\n\#n"#"##, "a\\n\n"),
    (#""a\(1)b\(key: k)""#, "a%@b%@"),
    ("\"\"\"\n  a\n\n    b\n  \"\"\"", "a\n\n  b"), ("\"\"\"\n  \"\"\"", ""),
    ("\"\u{E9}\"", "\u{E9}"),
    (#""\u{1F600}""#, "\u{1F600}"), ("#\"\"\"\n a\\\n b\n \"\"\"#", "a\\\nb"),
  ])
  func `a literal is read as the compiler reads it`(source: String, expected: String) throws {
    let literal = try #require(FormatLiteral(at: 0..<source.utf8.count, in: source))
    #expect(String(decoding: literal.bytes, as: UTF8.self) == expected)
    #expect(literal.origins.count == literal.bytes.count + 1)
  }
}
