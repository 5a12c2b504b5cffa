// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The result of one operation; times are medians in milliseconds, memory is in bytes per object.
struct OperationResult {
  let operation: Operation
  let rows: Int
  /// False when there are too few rows for a verdict.
  let isJudged: Bool
  /// How many rounds of five repetitions it took.
  var rounds = 0
  private(set) var ours: Double?
  private(set) var raw: Double?
  private(set) var rawC: Double?
  private(set) var variants: [(name: String, time: Double)] = []

  init(of operation: Operation, rows: Int, isJudged: Bool) {
    self.operation = operation
    self.rows = rows
    self.isJudged = isJudged
  }

  /// Takes the medians of all rounds so far.
  mutating func take(_ samples: Samples) {
    rounds += 1
    variants = []
    for (index, role) in samples.contestants.enumerated() {
      let median = samples.median(of: index)
      switch role {
      case .ours: ours = median
      case .yardstick: raw = median
      case .rawC: rawC = median
      case .variant(let name): variants.append((name, median))
      }
    }
  }

  /// Ours ÷ raw Swift.
  var ratio: Double? { Self.quotient(ours, raw) }

  /// Raw Swift ÷ raw C: how good the yardstick is.
  var ratioToC: Double? { Self.quotient(raw, rawC) }

  /// Whether ours does not exceed its limit, or was not built.
  var isWithinLimit: Bool {
    switch operation.limit {
    case .ratio(let limit): (ratio ?? 0) <= limit
    case .bytes(let limit): (ours ?? 0) <= limit
    case .nanoseconds(let limit): (nanoseconds ?? 0) <= limit
    }
  }

  /// What a step of ours takes.
  var nanoseconds: Double? { ours.map { $0 * 1e6 / Double(operation.stepCount(rows: rows)) } }

  /// False when raw Swift is slower than 1.2 times what it once was in relation to raw C.
  var isYardstickFast: Bool {
    guard let ratioToC, let measured = operation.measuredRatioToC else { return true }
    return ratioToC <= 1.2 * measured
  }

  private static func quotient(_ dividend: Double?, _ divisor: Double?) -> Double? {
    guard let dividend, let divisor, divisor > 0 else { return nil }
    return dividend / divisor
  }
}
