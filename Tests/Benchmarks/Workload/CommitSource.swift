// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Makes the commits of the workload, as many as are asked for, always the same ones.
struct CommitSource {
  private var generator = SeededGenerator(seed: 38)
  private var row = 0

  /// The next commits.
  mutating func next(_ count: Int) -> [CommitRecord] {
    (0..<count).map { _ in commit() }
  }

  private mutating func commit() -> CommitRecord {
    defer { row += 1 }
    let sha =
      Self.hexadecimal(generator.next()) + Self.hexadecimal(generator.next())
      + Self.hexadecimal(generator.next()).suffix(8)
    let secondsFrom2016 = row * 60 + generator.below(60)
    return CommitRecord(
      sha: sha,
      message: Self.message(row, using: &generator),
      url: "https://example.org/c/commit/" + sha,
      date: Date(timeIntervalSinceReferenceDate: 473_385_600 + Double(secondsFrom2016)),
      author: generator.below(Workload.authorCount)
    )
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// One message in 10,000 names a zephyr.
  ///
  /// Three of four lengths are spread over 75 to 200, the fourth over 110 to 200: 142 on average.
  private static func message(_ row: Int, using generator: inout SeededGenerator) -> String {
    let shortest = generator.below(4) == 0 ? 110 : 75
    let length = shortest + generator.below(201 - shortest)
    var text = generator.below(20) == 0 ? ["fix ", "Fix ", "FIX "][generator.below(3)] : ""
    if row % 10_000 == 5_000 { text += "Zephyr " }
    while text.utf8.count < length {
      text += words[generator.below(words.count)] + " "
    }
    return String(text.prefix(length))
  }

  private static let words = [
    "add", "remove", "the", "parser", "of", "request", "and", "store", "merge", "when", "context",
    "test", "for", "optional", "result", "rename", "is", "empty", "speed", "up", "lookup", "in",
    "documentation", "type", "checker", "to", "avoid", "copy", "metadata", "a", "protocol", "from",
  ]
}
