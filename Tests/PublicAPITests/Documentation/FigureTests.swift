// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The figures of README and of the article on performance are those of the page that `make bench-pages` writes.
@Suite("Figures of the documentation")
struct FigureTests {
  /// Times of both sides, in milliseconds, and their ratio, as they are written.
  private struct Figures: Hashable {
    var ours: String
    var raw: String
    var ratio: String

    /// The figures of the last three cells of a row.
    init?(_ row: [String]) {
      let last = Array(row.suffix(3))
      guard last.count == 3, last.allSatisfy({ Double($0) != nil }) else { return nil }
      (ours, raw, ratio) = (last[0], last[1], last[2])
    }

    /// With times of ten milliseconds and more rounded to whole ones, as a reader wants them.
    var rounded: Figures {
      var rounded = self
      rounded.ours = Self.rounded(ours)
      rounded.raw = Self.rounded(raw)
      return rounded
    }

    private static func rounded(_ text: String) -> String {
      guard let value = Double(text), value >= 10 else { return text }
      return String(format: "%.0f", value)
    }
  }

  /// The cells of every row of a text's tables.
  private static func rows(_ text: some StringProtocol) -> [[String]] {
    text.split(separator: "\n")
      .filter { $0.hasPrefix("|") }
      .map { line in
        line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  @Test(arguments: [
    ("README.md", 6), ("Sources/Perennial/Perennial.docc/Articles/Performance.md", 12),
  ])
  func `they are those of the last run`(_ page: String, _ count: Int) throws {
    let results = try Checkout.text("Documentation/Benchmarks/Results-100000.md")
    let times = results.prefix(upTo: try #require(results.range(of: "\n## ")).lowerBound)
    // op, what, rows, Perennial, raw Swift, ratio, target, verdict
    let known = Set(Self.rows(times).compactMap { Figures($0.dropLast(2))?.rounded })
    let figures = try Self.rows(Checkout.text(page)).compactMap(Figures.init)
    #expect(figures.count == count)
    #expect(figures.filter { !known.contains($0) } == [])
  }
}
