// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate
import Testing

/// What a format says of itself before its values are known.
@Suite("Formats read at compile time")
struct FormatCheckTests {
  private func problem(
    _ text: String,
    _ interpolations: [(offset: Int, kind: FormatCheck.Interpolation)] = []
  ) throws -> FormatCheck.Problem {
    try #require(throws: FormatCheck.Problem.self) {
      try FormatCheck.tree(of: text, interpolations: interpolations)
    }
  }

  @Test
  func `a value becomes a variable, and a key one that no property has`() throws {
    let tree = try FormatCheck.tree(
      of: "%@ == %@",
      interpolations: [(offset: 0, kind: .key), (offset: 6, kind: .value)]
    )
    guard case .comparison(let comparison) = tree else {
      Issue.record("\(tree)")
      return
    }
    #expect(comparison.left == .object.appending([FormatCheck.interpolatedKey]))
    guard case .variable(let name) = comparison.right else {
      Issue.record("\(comparison.right)")
      return
    }
    #expect(throws: (any Error).self, "no text can name this variable") {
      try FetchPredicate(parsing: "a == $" + name)
    }
  }

  @Test
  func `a problem is one sentence: what is wrong, what would be right, what to do`() throws {
    #expect(try problem("a == ").message == "the predicate ends too early, expected a value")
    #expect(
      try problem("none == 3").message
        == "\"none\" is a reserved word, did you mean #none?; write #none when it is the name of a property"
    )
    #expect(
      try problem("a UTI-EQUALS 'b'").message
        == "UTI-EQUALS is not supported; compare the identifiers with == or BEGINSWITH"
    )
  }

  @Test
  func `what to do is not said twice`() throws {
    let problem = try problem("a == '%@'", [(offset: 6, kind: .value)])
    #expect(
      problem.message
        == "a value is interpolated inside quotes, remove the quotes: the value is bound, not pasted"
    )
    #expect(problem.range == 5..<8)
  }
}
