// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

// Figures as lines of JSON.

extension Report {
  /// One JSON object: op, rows, unit, ours, raw, rawC, ratio, target, variants, rounds, within; null where
  /// there is no such figure.
  static func json(_ result: OperationResult) -> String {
    let threshold = result.threshold
    let variants = result.variants.map { "\(text($0.name)):\(json($0.time))" }
    let fields = [
      "\"op\":\(text(result.operation.rawValue))", "\"rows\":\(result.rows)",
      "\"unit\":\"\(result.operation.isMemory ? "bytes" : "ms")\"",
      "\"ours\":\(json(result.ours))", "\"raw\":\(json(result.raw))",
      "\"rawC\":\(json(result.rawC))", "\"ratio\":\(json(result.ratio))",
      "\"nanosecondsPerStep\":\(json(threshold.nanoseconds.flatMap { _ in result.nanoseconds }))",
      "\"target\":\(json(threshold.ratio ?? threshold.bytes ?? result.greatestNanoseconds))",
      "\"variants\":{\(variants.joined(separator: ","))}", "\"rounds\":\(result.rounds)",
      "\"within\":\(result.ours == nil ? "null" : String(result.isWithinThresholds))",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  /// One JSON object: growth, rows, factor, limit, raw, within.
  static func json(_ growth: Growth) -> String {
    let fields = [
      "\"growth\":\(text(growth.name))", "\"rows\":\(growth.rows)",
      "\"factor\":\(json(growth.factor))", "\"limit\":\(growth.limit)",
      "\"raw\":\(json(growth.rawFactor))", "\"within\":\(growth.isWithinLimit)",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  /// One JSON object: sweep, sizes, ours, raw, slope, rawSlope.
  static func json(_ row: Sweep.Row) -> String {
    let fields = [
      "\"sweep\":\(text(row.operation.rawValue))", "\"sizes\":\(row.sizes)",
      "\"ours\":[\(row.ours.map(json).joined(separator: ","))]",
      "\"raw\":[\(row.raw.map(json).joined(separator: ","))]",
      "\"slope\":\(json(row.slope))", "\"rawSlope\":\(json(row.rawSlope))",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  private static func json(_ value: Double?) -> String {
    value.map { String(format: "%.3f", $0) } ?? "null"
  }

  /// A text in quotes; names have nothing that JSON would escape.
  private static func text(_ name: String) -> String { "\"\(name)\"" }
}
