// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How many times the cost of a small amount of work a larger one takes.
struct Growth {
  let name: String
  /// The size of the larger amount.
  let rows: Int
  /// The times in milliseconds.
  let small: Double
  let large: Double
  let limit: Double
  /// The same factor of raw Swift.
  let rawFactor: Double?
  /// Whether the larger amount costs no more of raw Swift's time than it may.
  var isRatioHeld = true
  /// False when there are too few rows for a verdict.
  let isJudged: Bool

  var factor: Double { large / small }
  var isWithinLimit: Bool { factor <= limit }
  /// Whether the limit is out of reach: what SQLite does grows as much without us, or more than it may, and
  /// we take no more of its time than we may.
  var isBoundedBySQLite: Bool {
    guard !isWithinLimit, let rawFactor else { return false }
    return factor <= rawFactor || rawFactor > limit && isRatioHeld
  }

  var verdict: String {
    isWithinLimit ? "ok" : isBoundedBySQLite ? "over, as raw SQLite" : "MISSED"
  }
}
