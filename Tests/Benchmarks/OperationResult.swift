// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The result of one operation; times are medians in milliseconds, memory is in bytes per object.
struct OperationResult {
  let operation: Operation
  let rows: Int
  let threshold: Thresholds.Entry
  /// How much slower this machine is than that of the thresholds' times.
  let slowness: Double
  /// False when there are too few rows for a verdict.
  let isJudged: Bool
  /// How many rounds of repetitions it took.
  var rounds = 0
  private(set) var ours: Double?
  private(set) var raw: Double?
  private(set) var rawC: Double?
  private(set) var variants: [(name: String, time: Double)] = []

  init(
    of operation: Operation,
    rows: Int,
    threshold: Thresholds.Entry,
    slowness: Double,
    isJudged: Bool
  ) {
    self.operation = operation
    self.rows = rows
    self.threshold = threshold
    self.slowness = slowness
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

  /// What a step of ours takes.
  var nanoseconds: Double? { ours.map { $0 * 1e6 / Double(operation.stepCount(rows: rows)) } }

  /// What a step may take on this machine.
  var greatestNanoseconds: Double? { threshold.nanoseconds.map { $0 * slowness } }

  /// Ours ÷ a variant.
  func ratio(toVariant name: String) -> Double? {
    Self.quotient(ours, variants.first { $0.name == name }?.time)
  }

  /// Whether the operation has a threshold of its own.
  var hasThreshold: Bool {
    threshold.ratio != nil || threshold.bytes != nil || threshold.nanoseconds != nil
  }

  /// Whether ours does not exceed its thresholds, or was not built, or has none.
  var isWithinThresholds: Bool {
    isWithinThreshold && variants.allSatisfy { isWithinThreshold(ofVariant: $0.name) }
  }

  /// The same for what is not said of variants.
  var isWithinThreshold: Bool {
    Self.holds(ratio, threshold.ratio)
      && Self.holds(operation.isMemory ? ours : nil, threshold.bytes)
      && Self.holds(nanoseconds, greatestNanoseconds)
  }

  /// The same for a variant.
  func isWithinThreshold(ofVariant name: String) -> Bool {
    Self.holds(ratio(toVariant: name), threshold.variants?[name])
  }

  /// False when raw Swift is slower than 1.2 times what it once was in relation to raw C.
  var isYardstickFast: Bool { Self.holds(ratioToC, greatestRatioToC) }

  /// The greatest ratio of raw Swift to raw C.
  var greatestRatioToC: Double? { threshold.yardstick.map { $0 * 1.2 } }

  /// Whether a figure is not over its threshold, where there are both.
  private static func holds(_ figure: Double?, _ threshold: Double?) -> Bool {
    guard let figure, let threshold else { return true }
    return figure <= threshold
  }

  private static func quotient(_ dividend: Double?, _ divisor: Double?) -> Double? {
    guard let dividend, let divisor, divisor > 0 else { return nil }
    return dividend / divisor
  }
}
