// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

extension Workload {
  /// What reading every attribute of every commit must add up to.
  var sum: UInt64 {
    commits.reduce(0) { $0 &+ Self.sum(of: $1) }
  }

  /// What reading the commits with these shas must add up to.
  func sum(ofShas shas: [String]) -> UInt64 {
    let sums = Dictionary(uniqueKeysWithValues: commits.map { ($0.sha, Self.sum(of: $0)) })
    return shas.reduce(0) { $0 &+ (sums[$1] ?? 0) }
  }

  static func sum(of commit: CommitRecord) -> UInt64 {
    rowSum(message: commit.message, sha: commit.sha, url: commit.url, date: commit.date)
  }
}

/// The bench's sum of one row: byte count and first byte of each text, and the date in seconds.
///
/// The same as `row_sum` of the raw C loops.
@inline(__always)
func rowSum(message: String, sha: String, url: String, date: Date) -> UInt64 {
  textSum(message) &+ textSum(sha) &+ textSum(url)
    &+ UInt64(bitPattern: Int64(date.timeIntervalSinceReferenceDate))
}

/// The bench's sum of a text.
@inline(__always)
func textSum(_ text: String) -> UInt64 {
  UInt64(truncatingIfNeeded: text.utf8.count) &+ UInt64(text.utf8.first ?? 0)
}
