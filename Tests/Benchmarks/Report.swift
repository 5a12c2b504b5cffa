// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The result of one operation; times are medians in milliseconds.
struct OperationResult {
  let operation: Operation
  let rows: Int
  var ours: Double?
  var raw: Double?
  var rawC: Double?
  var variants: [(name: String, time: Double)] = []

  /// Ours ÷ raw Swift.
  var ratio: Double? { Self.quotient(ours, raw) }

  /// Raw Swift ÷ raw C: how good the yardstick is.
  var ratioToC: Double? { Self.quotient(raw, rawC) }

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

/// Prints results as a table and as lines of JSON.
enum Report {
  private static let widths = [-4, 9, 10, 13, 7, 7, 12, 6]

  /// The heading of the table.
  static var heading: String {
    line(["op", "rows", "ours ms", "raw Swift ms", "ratio", "target", "Swift/C", "limit"])
  }

  /// One line for the result, and one for each variant.
  static func table(_ result: OperationResult) -> String {
    let operation = result.operation
    let first = line([
      operation.rawValue, String(result.rows), number(result.ours, 1), number(result.raw, 1),
      number(result.ratio, 2), number(operation.target, 2), number(result.ratioToC, 2),
      number(operation.measuredRatioToC.map { $0 * 1.2 }, 2),
    ])
    let verdict = (result.ratio ?? 0) > operation.target ? "  missed" : ""
    let variants = result.variants.map { name, time in
      let share = result.ours.map { ", ours is \(number($0 / time, 2)) of it" }
      return "       \(name): \(number(time, 1)) ms" + (share ?? "")
    }
    return ([first + verdict] + variants).joined(separator: "\n")
  }

  /// Sentences for results that the table cannot say.
  static func notes(_ results: [OperationResult]) -> [String] {
    var notes: [String] = []
    if let raw = results.first(where: { $0.operation == .readAll })?.raw {
      notes.append(
        "Raw Swift W2 here: \(number(raw, 1)) ms. "
          + "Absolute figures of the performance page scale by \(number(raw / 89.8, 2))."
      )
    }
    return notes
  }

  /// One JSON object: op, rows, ours_ms, raw_ms, ratio; null where ours was not built.
  static func json(_ result: OperationResult) -> String {
    let fields = [
      "\"op\":\"\(result.operation.rawValue)\"", "\"rows\":\(result.rows)",
      "\"ours_ms\":\(json(result.ours))", "\"raw_ms\":\(json(result.raw))",
      "\"ratio\":\(json(result.ratio))",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  private static func json(_ value: Double?) -> String {
    value.map { String(format: "%.3f", $0) } ?? "null"
  }

  private static func number(_ value: Double?, _ decimals: Int) -> String {
    value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, widths).map { cell, width in
      let padding = String(repeating: " ", count: max(0, abs(width) - cell.count))
      return width < 0 ? cell + padding : padding + cell
    }.joined(separator: " ")
  }
}
