// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

/// Every sentence that the lexer and the parser can say.
@Suite("Every error of the format language")
struct FormatErrorTableTests {
  /// A format, its arguments, and how the message begins.
  struct Case: Sendable, CustomTestStringConvertible {
    var format: String
    var arguments: [(any Sendable)?]
    var sentence: String

    init(_ format: String, _ sentence: String, _ arguments: (any Sendable)?...) {
      self.format = format
      self.arguments = arguments
      self.sentence = sentence
    }

    var testDescription: String { format.count < 60 ? format : sentence }

    var message: String {
      do {
        return try FetchPredicate(parsing: format, arguments: arguments).description
      } catch {
        return error.message
      }
    }
  }

  private struct Strange: Sendable {}

  static let characters = [
    Case("a == ?", "unexpected character at column 6"),
    Case(
      "é == \u{201C}a\u{201D}",
      "the quotation mark \u{201C} is not understood at column 6, expected ' or \""
    ),
    Case("a == $", "'$' is not followed by a name at column 6, expected a variable such as $name"),
    Case("@ == 1", "'@' is not followed by a name at column 1, expected a collection operator"),
    Case("#1 == 1", "'#' is not followed by a name at column 1, expected a key such as #name"),
    Case("a == 99999999999999999999", "the number does not fit into 64 bits at column 6"),
    Case("a == 9223372036854775808", "the number does not fit into 64 bits at column 6"),
    Case("a == 0x", "this is not a number at column 6, expected digits"),
    Case("a == 12ab", "this is not a number at column 6, expected digits"),
    Case("a == 1.5ab", "this is not a number at column 6, expected digits"),
    Case("a == 1e999", "this is not a number at column 6, expected digits"),
    Case("a == 'x", "the text in quotes does not end at column 6, expected '"),
    Case("a == '\\u12'", "the escape is not complete at column 7, expected 4 digits"),
    Case("a == '\\x4'", "the escape is not complete at column 7, expected 2 digits"),
    Case("a == '\\7'", "the escape is not complete at column 7, expected 3 digits"),
    Case("a == '\\uD800'", "half a surrogate pair at column 7, expected two escapes"),
    Case("a == '\\uDC00\\uD800'", "half a surrogate pair at column 7, expected two escapes"),
    Case("a == '\\uD83D\\u0041'", "half a surrogate pair at column 7, expected two escapes"),
    Case("a == %q", "unknown placeholder at column 6, expected %@, %K, %d or %f"),
    Case("a %% 2 == 1", "a percent sign stands outside quotes at column 3"),
  ]

  static let structure = [
    Case("", "the predicate is empty at column 1, expected a comparison such as name == 'a'"),
    Case(" \n ", "the predicate is empty at line 2, column 2"),
    Case("age", "the predicate ends too early at column 4, expected an operator"),
    Case("age == ", "the predicate ends too early at column 8, expected a value"),
    Case("a == 1 AND", "the predicate ends too early at column 11, expected a value"),
    Case("(a == 1", "the \"(\" is not closed at column 1, expected ')'"),
    Case("a == {1, 2", "the \"{\" is not closed at column 6, expected '}'"),
    Case("a[0 == 1", "unexpected \"==\" at column 5, expected ']'"),
    Case("a ==[c 'b'", "unexpected \"'b'\" at column 8, expected ']'"),
    Case("a == 1)", "unexpected \")\" at column 7, expected AND, OR or the end"),
    Case("a == 1 ANDb == 2", "unexpected \"ANDb\" at column 8, did you mean AND?"),
    Case("a == , 1", "unexpected \",\" at column 6, expected a value"),
    Case("a. == 1", "unexpected \"==\" at column 4, expected a key"),
    Case("TERNARY(a == 1 b, c) == 1", "unexpected \"b\" at column 16, expected ','"),
    Case("$x := 3", "an assignment is not a predicate at column 4, did you mean ==?"),
    Case("a := 3", "an assignment is not a predicate at column 3, did you mean ==?"),
    Case("a == 1 := 2", "an assignment is not a predicate at column 8, expected =="),
    Case(
      "ANY (a == 1 AND b == 2)",
      "ANY is followed by a parenthesis at column 5, expected a key path"
    ),
    Case("ANY a NOT IN {1}", "NOT stands behind a path with ANY at column 7"),
    Case(
      String(repeating: "(", count: 300) + "a == 1",
      "the predicate is nested more than 200 levels deep at column 201"
    ),
  ]

  static let words = [
    Case("age === 25", "unknown operator \"===\" at column 5, did you mean ==?"),
    Case("age !== 25", "unknown operator \"!==\" at column 5, did you mean !=?"),
    Case(
      "name HASPREFIX 'a'",
      "unknown operator \"HASPREFIX\" at column 6, did you mean BEGINSWITH?"
    ),
    Case(
      "a == 1\nAND b CONTAIN 2",
      "unknown operator \"CONTAIN\" at line 2, column 7, did you mean CONTAINS?"
    ),
    Case(
      "a RESEMBLES 2",
      "unknown operator \"RESEMBLES\" at column 3, expected an operator such as =="
    ),
    Case("a AND b == 1", "unexpected \"AND\" at column 3, expected an operator such as =="),
    Case("a + == 1", "unexpected \"==\" at column 5, expected a value"),
    Case("a ! 1", "unexpected \"!\" at column 3, expected an operator such as =="),
    Case("a UTI-EQUALS 'b'", "UTI-EQUALS is not supported at column 3"),
    Case("a UTI-CONFORMS-TO 'b'", "UTI-CONFORMS-TO is not supported at column 3"),
    Case("FETCH(a, b, c) == 1", "FETCH is not supported at column 1"),
    Case("ANYKEY == 1", "ANYKEY is not supported at column 1"),
    Case("a ==[x] 'b'", "unknown option in \"[x]\" at column 6, expected c, d, n, l or w"),
    Case("a ==[1] 'b'", "unexpected \"1\" at column 6, expected options such as cd"),
    Case("none == 3", "\"none\" is a reserved word at column 1, did you mean #none?"),
    Case("any LIKE 'a'", "\"any\" is a reserved word at column 1, did you mean #any?"),
    Case("size == 3", "\"size\" is a reserved word at column 1, did you mean #size?"),
    Case("a.first == 3", "\"first\" is a reserved word at column 3, did you mean #first?"),
    Case("averge(a) == 3", "unknown function \"averge\" at column 1, did you mean average?"),
    Case("delete(a) == 3", "unknown function \"delete\" at column 1"),
    Case("FUNCTION(a, 'rm') == 3", "unknown function \"rm\" at column 13"),
    Case(
      "FUNCTION(a, b) == 3",
      "unexpected \"b\" at column 13, expected a function's name in quotes"
    ),
    Case("sqrt(1, 2) == 3", "sqrt has 2 arguments at column 1, expected 1"),
    Case("sum() == 3", "sum has 0 arguments at column 1, expected at least 1"),
    Case(
      "a.@cuont == 3",
      "unknown collection operator \"@cuont\" at column 3, did you mean @count?"
    ),
    Case(
      "a.@everything == 3",
      "unknown collection operator \"@everything\" at column 3, expected one such as @count"
    ),
    Case(
      "SUBQUERY(a, b, TRUEPREDICATE).@count == 0",
      "unexpected \"b\" at column 13, expected a variable such as $item"
    ),
    Case(
      "CAST(a, NSDate) == 1",
      "unexpected \"NSDate\" at column 9, expected a type such as 'NSDate'"
    ),
    Case("CAST(a, 'NSDat') == 1", "unknown type in CAST at column 9, did you mean 'NSDate'?"),
    Case("CAST(a, 'Dictionary') == 1", "unknown type in CAST at column 9, expected 'NSDate'"),
  ]

  static let arguments = [
    Case("a == %@", "placeholder 1 has no argument at column 6, 0 arguments given"),
    Case("a == %@ AND b == %@", "placeholder 2 has no argument at column 18, 1 argument given", 1),
    Case("a == 1", "the format has 0 placeholders, but 1 argument is given at column 7", 1),
    Case("a == %@", "the format has 1 placeholder, but 3 arguments are given at column 8", 1, 2, 3),
    Case(
      "a == %@",
      "argument 1 has the type 'Strange', which a predicate cannot hold, at column 6",
      Strange()
    ),
    Case(
      "%@ AND b == 1",
      "argument 1 has the type 'FetchPredicate', which a predicate cannot hold, at column 1",
      FetchPredicate.value(true)
    ),
    Case("a == %d", "argument 1 is 'String', which does not fit %d, at column 6", "x"),
    Case("a == %d", "argument 1 is 'Double', which does not fit %d, at column 6", 1.5),
    Case("a == %d", "argument 1 is 'Array<Int>', which does not fit %d, at column 6", [1]),
    Case("a == %f", "argument 1 is nil, which does not fit %f, at column 6", nil as Int?),
    Case("a == %s", "argument 1 is 'Int', which does not fit %s, at column 6", 1),
    Case("%K == 1", "argument 1 is 'Int', but a key path is a string, at column 1", 1),
    Case("%K == 1", "argument 1 is nil, but a key path is a string, at column 1", nil as Int?),
    Case("%K == 1", "argument 1 is no key path: a key in it is empty, at column 1", "a..b"),
    Case("%K == 1", "unknown collection operator \"@cuont\" at column 1", "a.@cuont"),
  ]

  @Test(arguments: characters + structure + words + arguments)
  func `a wrong format is explained at its place`(_ wrong: Case) {
    #expect(wrong.message.hasPrefix(wrong.sentence), "\(wrong.message.prefix(400))")
  }

  @Test func `a literal with interpolations has errors of its own`() throws {
    let word = "fix"
    func message(_ predicate: FetchPredicate) throws -> String {
      try #require(throws: PerennialError.self) { try predicate.checked() }.message
    }
    #expect(
      try message("message == '\(word)'").hasPrefix(
        "a value is interpolated inside quotes at column 12, remove the quotes"
      )
    )
    #expect(
      try message("a == %@ AND b == \(word)").hasPrefix("a placeholder has no argument at column 6")
    )
    let variable = FetchPredicate(format: "a == $X").withSubstitutionVariables(["X": Strange()])
    #expect(try message(variable).hasPrefix("the variable 'X' has the type 'Strange'"))
  }

  @Test func `a text and a list have a greatest length`() throws {
    func message(_ format: String, _ arguments: [(any Sendable)?] = []) throws -> String {
      try #require(throws: PerennialError.self) {
        try FetchPredicate(parsing: format, arguments: arguments)
      }.message
    }
    let text = "a == '" + String(repeating: "x", count: 4_194_298) + "'"
    #expect(text.utf8.count == 4_194_305)
    let tooLong = try message(text)
    #expect(tooLong == "the predicate is longer than 4194304 bytes")
    let longest = text.replacing("'x", with: "'")
    #expect(throws: Never.self) { try FetchPredicate(parsing: longest) }

    let value = try #require(throws: PerennialError.self) { try ExpressionNode(parsing: text) }
    #expect(value.message == tooLong)

    let values = Array(repeating: 1, count: 1_000_001)
    let tooMany = try message("a IN %@", [values])
    #expect(tooMany.hasPrefix("a list has more than 1000000 values at column 6"))
    let variable = FetchPredicate(format: "a IN $X").withSubstitutionVariables(["X": values])
    #expect(throws: PerennialError.self) { try variable.checked() }
    let written = "a IN {1" + String(repeating: ",1", count: 1_000_000) + "}"
    let tooManyWritten = try message(written)
    #expect(tooManyWritten.hasPrefix("a list has more than 1000000 values at column 2000007"))
  }

  @Test func `no sentence of the sources is missing here`() throws {
    let spoken =
      (Self.characters + Self.structure + Self.words + Self.arguments).map(\.message)
      + [
        "a value is interpolated inside quotes", "a placeholder has no argument",
        "the variable 'X' has the type 'Strange', which a predicate cannot hold",
        "the predicate is longer than 4194304 bytes", "a list has more than 1000000 values",
      ]
    let sentences = try Self.sentences()
    #expect(sentences.count > 35)
    for sentence in sentences {
      #expect(spoken.contains { $0.contains(sentence) }, "\(sentence)")
    }
  }

  /// The longest fixed part of every sentence that the sources make a problem or an error of.
  private static func sentences() throws -> Set<String> {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/PerennialPredicate/Format")
    var sentences: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path())
    where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /(?:[^.]problem|FormatProblem|FormatError)\(\s*"/) {
        let parts = fixedParts(of: text[match.range.upperBound...])
        if let longest = parts.max(by: { $0.count < $1.count }) { sentences.insert(longest) }
      }
    }
    return sentences
  }

  /// What stands between the interpolations of a string literal, whose opening quote is passed.
  private static func fixedParts(of source: Substring) -> [String] {
    var parts = [""]
    var depth = 0
    var isEscaped = false
    for character in source {
      switch character {
      case "(" where isEscaped && depth == 0:
        depth = 1
        parts.append("")
      case "(" where depth > 0: depth += 1
      case ")" where depth > 0: depth -= 1
      case _ where depth > 0: break
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "\"" where !isEscaped: return parts
      default: parts[parts.count - 1].append(character)
      }
      isEscaped = false
    }
    return parts
  }
}
