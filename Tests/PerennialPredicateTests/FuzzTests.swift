// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

/// Texts that no predicate was meant to be; `make fuzz` goes on for longer, led by coverage.
@Suite("Hostile text")
struct FuzzTests {
  private static let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
    ProcessInfo.processInfo.environment[$0] != nil
  }
  /// How long one text may take to be read, in a debug build too; a sanitizer makes it some three times slower.
  private static let limit = Duration.milliseconds(isSanitized ? 50 : 10)

  @Test(arguments: PropertyRuns.seeds(10))
  func `ten thousand damaged predicates are read in time, or refused`(_ seed: UInt64) async {
    var mutator = TextMutator(seed: seed, formats: Vector.all.map(\.format))
    for number in 0..<10_000 {
      // Other tests wait for their turn.
      if number.isMultiple(of: 200) { await Task.yield() }
      let text = mutator.text()
      if let problem = problem(text, evaluates: number.isMultiple(of: 8)) {
        Issue.record("seed \(seed), text \(number): \(problem)\n\(text.debugDescription)")
        return
      }
    }
  }

  /// What is wrong with how a text is read; `nil` when nothing is.
  private func problem(_ text: String, evaluates: Bool) -> String? {
    // Those with placeholders get arguments, which most often are too few or too many.
    let arguments: [(any Sendable)?] = text.contains("%") ? ["a", 1] : []
    var predicate: FetchPredicate?
    func read() { predicate = try? FetchPredicate(parsing: text, arguments: arguments) }
    var time = ThreadTime.of(read)
    // The first time may pay for tables that are made once.
    if time > Self.limit { time = ThreadTime.of(read) }
    if time > Self.limit { return "took \(time)" }
    guard let predicate, let node = try? predicate.checked() else { return nil }
    guard node.depth() <= maximumPredicateDepth else { return "is too deep" }
    let printed = predicate.description
    guard let copy = try? FetchPredicate(parsing: printed) else { return "prints as \(printed)" }
    guard copy.description == printed, copy == predicate || printed.contains("nan") else {
      return "is read back as \(copy), not \(printed)"
    }
    if evaluates { evaluate(predicate) }
    return nil
  }

  /// Any answer or error will do.
  private func evaluate(_ predicate: FetchPredicate) {
    let objects: [(any Sendable)?] = [
      nil, 1, "text", ["a": 1], ["a": ["x", "y"], "b": ["c": 2.5]] as [String: any Sendable],
      [1, 2, 3],
    ]
    for object in objects {
      _ = try? predicate.evaluate(with: object, substitutionVariables: ["x": 1])
    }
  }

  @Test(arguments: PropertyRuns.seeds(10))
  func `ten thousand texts of users are values, whatever they contain`(_ seed: UInt64) async throws
  {
    var mutator = TextMutator(seed: seed, formats: Vector.all.map(\.format))
    for number in 0..<10_000 {
      // Other tests wait for their turn.
      if number.isMultiple(of: 200) { await Task.yield() }
      let text = mutator.userText()
      let tree = PredicateNode.comparison(Comparison(.path("a"), .equal, .constant(.string(text))))
      let literal: FetchPredicate = "a == \(text)"
      let predicates = [
        FetchPredicate(format: "a == %@", text),
        try FetchPredicate(parsing: "a == %@", arguments: [text]),
        literal, try FetchPredicate(parsing: literal.description),
      ]
      // Trees hold the bytes of a text, not what Swift finds equal to it.
      guard try predicates.allSatisfy({ try $0.checked() == tree }),
        try literal.evaluate(with: ["a": text])
      else {
        Issue.record("seed \(seed), text \(number): \(text.debugDescription) becomes \(predicates)")
        return
      }
    }
  }

  /// A text of one part again and again, with something before and behind it.
  struct LongText: Sendable, CustomTestStringConvertible {
    var start = ""
    var part: String
    var count = 50_000
    var end = ""

    var text: String { text(count) }
    /// A quarter of the parts; as odd a number as of all.
    var quarter: String { text(count / 4 + count % 2) }

    private func text(_ count: Int) -> String {
      start + String(repeating: part, count: count) + end
    }

    var testDescription: String { "\(start)\(part)…\(end)".debugDescription }
  }

  @Test(arguments: [
    LongText(start: "a", part: ".a", end: " == 1"), LongText(start: "a == 1", part: " AND a == 1"),
    LongText(start: "a IN {", part: "1, ", end: "1}"),
    LongText(start: "a == '", part: "\\u00e9", end: "'"), LongText(part: "é", end: " == 1"),
    LongText(part: "-", end: "1 == a"), LongText(part: "a:"), LongText(part: "NOT ", end: "a == 1"),
    LongText(part: "["), LongText(start: "a == ", part: "9"),
    LongText(part: "averge", end: "(a) == 1"),
    LongText(part: "'", count: 50_001), LongText(start: "a", part: "{("),
    LongText(part: "\n", end: "a"),
    LongText(start: "a", part: ".@max", end: " == 1"), LongText(part: "%@ "),
    LongText(start: "a ==[", part: "c", end: "] 'b'"), LongText(part: "a b\n"),
  ])
  func `a long text takes time in its length`(_ long: LongText) {
    func time(_ text: String) -> Duration {
      ThreadTime.of { _ = try? FetchPredicate(parsing: text).description }
    }
    // A time that grows with the square would be 16 times as long.
    #expect(time(long.text) < time(long.quarter) * 8 + .milliseconds(200))
  }
}
