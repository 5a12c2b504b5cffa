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

  init(rows: Int) {
    var source = CommitSource()
    authors = (1...Self.authorCount).map(Self.author)
    commits = source.next(rows)
  }

  /// The same commits with the messages of the first ones changed, at the same length; each revision
  /// (1 to 9,999) differs from all others.
  func revised(_ revision: Int, first count: Int) -> Workload {
    let digits = String(revision)
    let ending = "#" + String(repeating: "0", count: 4 - digits.count) + digits
    var copy = self
    for index in copy.commits.indices.prefix(count) {
      let message = commits[index].message
      copy.commits[index].message = message.dropLast(ending.count) + ending
    }
    return copy
  }

  /// The same without the first commits.
  func dropping(first count: Int) -> Workload {
    var copy = self
    copy.commits.removeFirst(count)
    return copy
  }

  /// `count` shas that exist, in random order.
  func lookUps(_ count: Int) -> [String] {
    var generator = SeededGenerator(seed: 5)
    return (0..<count).map { _ in commits[generator.below(commits.count)].sha }
  }

  /// The same shas, each once, in batches of a size.
  func lookUpBatches(_ count: Int, of size: Int) -> [[String]] {
    var seen: Set<String> = []
    let shas = lookUps(count).filter { seen.insert($0).inserted }
    return stride(from: 0, to: shas.count, by: size).map {
      Array(shas[$0..<min(shas.count, $0 + size)])
    }
  }

  private static func author(number: Int) -> AuthorRecord {
    AuthorRecord(email: "author\(number)@example.org", name: "Author Number \(number)")
  }
}
