// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import Testing

@Suite("Hostile text")
struct FuzzTests {
  private static let words = [
    "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "BETWEEN", "LIKE", "MATCHES", "CONTAINS",
    "SUBQUERY", "TERNARY", "CAST", "FUNCTION", "SELF", "nil", "TRUE", "a", "b.c", "#in", "@count",
    ".@sum", "$x", "%@", "%K", "%d", "%f", "%%", "(", ")", "{", "}", "[", "]", ",", ".", "==", "=",
    "!=", "<", "<=", "**", "+", "-", "*", "/", "&", "&&", "|", "||", "!", ":=", "'x'", "\"y\"", "'",
    "\"", "\\", "\\u", "\\x4", "12", "1.5", "0x", "0xFF", "1e5", "1e", "99999999999999999999",
    "sum", "modulus:by:", "é", "\u{201C}", "\0", "\n", "[cd]", "FIRST", "SIZE", "TRUEPREDICATE",
  ]

  @Test(arguments: 1...20)
  func `random words never trap`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let count = Int.random(in: 1...14, using: &random)
      let words = (0..<count).map { _ in Self.words.randomElement(using: &random) ?? "" }
      tryOut(words.joined(separator: Bool.random(using: &random) ? " " : ""))
    }
  }

  @Test(arguments: 1...20)
  func `damaged predicates never trap`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for vector in Vector.all {
      var bytes = Array(vector.format.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        default: bytes.insert(bytes[bytes.count - 1 - place], at: place)
        }
      }
      tryOut(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Reads, prints and evaluates a text; any answer or error will do.
  private func tryOut(_ text: String) {
    guard let predicate = try? FetchPredicate(parsing: text, arguments: ["a", 1]) else {
      _ = try? FetchPredicate(parsing: text)
      return
    }
    #expect((try? FetchPredicate(parsing: predicate.description)) == predicate, "\(text)")
    let objects: [(any Sendable)?] = [
      nil, 1, "text", ["a": 1], ["a": ["x", "y"], "b": ["c": 2.5]] as [String: any Sendable],
      [1, 2, 3],
    ]
    for object in objects {
      _ = try? predicate.evaluate(with: object, substitutionVariables: ["x": 1])
    }
  }
}
