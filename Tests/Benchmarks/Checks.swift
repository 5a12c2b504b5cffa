// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC
import Foundation

extension Workload {
  /// What reading the commits whose messages have a word must add up to.
  func sum(ofWord word: String) -> UInt64 {
    commits.filter { $0.message.lowercased().contains(word) }
      .reduce(0) { $0 &+ Self.sum(of: $1) }
  }

  /// How many messages have a word.
  func count(ofWord word: String) -> UInt64 {
    UInt64(commits.count { $0.message.lowercased().contains(word) })
  }

  /// What reading the author's name of every commit must add up to.
  var authorNameSum: UInt64 {
    commits.reduce(0) { $0 &+ nameSum(authors[$1.author].name) }
  }

  /// What counting the commits of every author must add up to.
  var countSum: UInt64 {
    var counts = authors.map { _ in 0 }
    for commit in commits { counts[commit.author] += 1 }
    return zip(counts, authors).reduce(0) {
      $0 &+ weightedCount($1.0, of: $1.1.name)
    }
  }

  /// What the squared numbers of commits of all authors must add up to.
  var countSquareSum: UInt64 {
    var counts = authors.map { _ in UInt64(0) }
    for commit in commits { counts[commit.author] += 1 }
    return counts.reduce(0) { $0 &+ $1 * $1 }
  }

  /// What `rawc_digest` finds in a store that holds this workload.
  var digest: UInt64 {
    commits.reduce(0) { total, commit in
      let author = authors[commit.author]
      var hash = rawc_hash_seed()
      for text in [commit.sha, commit.message, commit.url, author.email, author.name] {
        hash = Self.hash(hash, text)
      }
      var date = Int64(commit.date.timeIntervalSinceReferenceDate)
      return total &+ rawc_hash(hash, &date, 8)
    }
  }

  private static func hash(_ seed: UInt64, _ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { rawc_hash(seed, $0.baseAddress, Int64($0.count)) }
  }
}

/// The bench's sum of an author's name.
@inline(__always)
func nameSum(_ name: String) -> UInt64 { textSum(name) }

/// The bench's sum of an author's number of commits.
@inline(__always)
func weightedCount(_ count: Int, of name: String) -> UInt64 { UInt64(count) &* textSum(name) }
