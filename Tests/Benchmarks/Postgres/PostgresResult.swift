// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The result of one operation; times are medians in milliseconds.
struct PostgresResult {
  let operation: PostgresOperation
  let rows: Int
  let threshold: PostgresThresholds.Entry
  /// False when there are too few rows for a verdict.
  let isJudged: Bool
  /// How many rounds of repetitions it took.
  var rounds = 0
  /// How often a save has waited for the server.
  var roundTrips: Int?
  private var samples: [(role: PostgresContestant.Role, times: [Double])]

  init(
    _ operation: PostgresOperation,
    rows: Int,
    _ threshold: PostgresThresholds.Entry,
    _ roles: [PostgresContestant.Role],
    isJudged: Bool
  ) {
    self.operation = operation
    self.rows = rows
    self.threshold = threshold
    self.isJudged = isJudged
    samples = roles.map { ($0, []) }
  }

  mutating func add(_ time: Double, to contestant: Int) { samples[contestant].times.append(time) }

  /// The median of a side.
  func time(_ role: PostgresContestant.Role) -> Double? {
    guard let times = samples.first(where: { $0.role == role })?.times.sorted() else { return nil }
    return times.isEmpty ? nil : times[times.count / 2]
  }

  var variants: [(name: String, time: Double)] {
    samples.compactMap { sample in
      guard case .variant(let name) = sample.role else { return nil }
      return time(sample.role).map { (name, $0) }
    }
  }

  /// Ours ÷ raw.
  var ratio: Double? {
    guard let ours = time(.ours), let raw = time(.raw), raw > 0 else { return nil }
    return ours / raw
  }

  var isWithinThreshold: Bool {
    (ratio ?? 0) <= threshold.ratio ?? .infinity
      && (roundTrips ?? 0) <= threshold.roundTrips ?? .max
  }

  var verdict: String {
    guard isJudged, threshold.ratio != nil || threshold.roundTrips != nil else { return "" }
    let verdict = isWithinThreshold ? "ok" : "MISSED"
    return rounds > 1 ? "\(verdict) (\(rounds) rounds)" : verdict
  }
}
