// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// One commit of the workload, as an importer would hold it: a plain value.
struct CommitRecord {
  var sha: String
  var message: String
  var url: String
  var date: Date
  /// Position of the author in `Workload.authors`.
  var author: Int
}

/// One author of the workload.
struct AuthorRecord {
  var email: String
  var name: String
}

/// The data that every contestant writes and reads: the same for the same number of rows.
///
/// 2,000 authors; shas of 40 hexadecimal digits, unique; messages of 75 to 200 ASCII characters,
/// 142 on average, 5 % of which contain fix, Fix or FIX; urls of 69; dates in whole seconds.
struct Workload {
  static let authorCount = 2_000

  let authors: [AuthorRecord]
  var commits: [CommitRecord]

  init(rows: Int, seed: UInt64 = 38) {
    var generator = SeededGenerator(seed: seed)
    authors = (1...Self.authorCount).map(Self.author)
    commits = (0..<rows).map { Self.commit(row: $0, using: &generator) }
  }

  /// The same commits with every message changed, at the same length; each revision (1 to 9,999)
  /// differs from all others.
  func revised(_ revision: Int) -> Workload {
    let digits = String(revision)
    let ending = "#" + String(repeating: "0", count: 4 - digits.count) + digits
    var copy = self
    for index in copy.commits.indices {
      let message = commits[index].message
      copy.commits[index].message = message.dropLast(ending.count) + ending
    }
    return copy
  }

  /// `count` shas that exist, in random order.
  func lookUps(_ count: Int) -> [String] {
    var generator = SeededGenerator(seed: 5)
    return (0..<count).map { _ in commits[generator.below(commits.count)].sha }
  }

  private static func author(number: Int) -> AuthorRecord {
    AuthorRecord(email: "author\(number)@example.org", name: "Author Number \(number)")
  }

  private static func commit(
    row: Int,
    using generator: inout SeededGenerator
  ) -> CommitRecord {
    let sha =
      hexadecimal(generator.next()) + hexadecimal(generator.next())
      + hexadecimal(generator.next()).suffix(8)
    let secondsFrom2016 = row * 60 + generator.below(60)
    return CommitRecord(
      sha: sha,
      message: message(using: &generator),
      url: "https://example.org/c/commit/" + sha,
      date: Date(timeIntervalSinceReferenceDate: 473_385_600 + Double(secondsFrom2016)),
      author: generator.below(authorCount)
    )
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Three of four lengths are spread over 75 to 200, the fourth over 110 to 200: 142 on average.
  private static func message(using generator: inout SeededGenerator) -> String {
    let shortest = generator.below(4) == 0 ? 110 : 75
    let length = shortest + generator.below(201 - shortest)
    var text = generator.below(20) == 0 ? ["fix ", "Fix ", "FIX "][generator.below(3)] : ""
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
