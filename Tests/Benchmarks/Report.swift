// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Prints results as a table.
enum Report {
  private static let widths = [-11, 9, 10, 13, 7, 7, 12, 6]

  /// The heading of the table.
  static var heading: String {
    line(["op", "rows", "ours ms", "raw Swift ms", "ratio", "target", "Swift/C", "limit"])
      + "  verdict"
  }

  /// What the times of the thresholds are multiplied by.
  static func slowness(_ slowness: Double) -> String {
    "Raw Swift W2 takes \(number(slowness * 898, 0)) ns an object here; times of the thresholds "
      + "scale by \(number(slowness, 2))."
  }

  /// One line for the result, and one for each variant.
  static func table(_ result: OperationResult) -> String {
    let cells = Figures(result)
    let first = line([
      result.operation.rawValue, String(result.rows), cells.ours, cells.raw,
      number(result.ratio, 2), cells.target, number(result.ratioToC, 2),
      number(result.greatestRatioToC, 2),
    ])
    let variants = result.variants.map { name, time in
      let share = result.ratio(toVariant: name).map { ", ours is \(number($0, 2)) of it" }
      let target = result.threshold.variants?[name].map {
        " (target \(number($0, 2)))  " + verdict(result, ofVariant: name)
      }
      return "              \(name): \(number(time, 2)) ms" + (share ?? "") + (target ?? "")
    }
    return ([first + "  " + verdict(result)] + variants).joined(separator: "\n")
  }

  static func verdict(_ result: OperationResult) -> String {
    guard result.ours != nil else { return "not built" }
    guard result.isJudged, result.hasThreshold else { return "" }
    let verdict = result.isWithinThreshold ? "ok" : "MISSED"
    return result.rounds > 1 ? "\(verdict) (\(result.rounds) rounds)" : verdict
  }

  /// The verdict on ours ÷ a variant; empty where there is no threshold.
  static func verdict(_ result: OperationResult, ofVariant name: String) -> String {
    guard result.isJudged, result.threshold.variants?[name] != nil else { return "" }
    return result.isWithinThreshold(ofVariant: name) ? "ok" : "MISSED"
  }

  // MARK: Growth

  /// The heading of the table of growth.
  static var growthHeading: String {
    "\ngrowth of ours from a tenth of the rows to all\n"
      + line(["op", "rows", "tenth ms", "all ms", "times", "limit", "raw times", ""])
      + "  verdict"
  }

  /// One line for the growth of an operation.
  static func table(_ growth: Growth) -> String {
    line([
      growth.name, String(growth.rows), number(growth.small, 1), number(growth.large, 1),
      number(growth.factor, 1),
      number(growth.limit, growth.limit.rounded() == growth.limit ? 0 : 1),
      number(growth.rawFactor, 1), "",
    ]) + (growth.isJudged ? "  " + growth.verdict : "")
  }

  /// The heading of the table of the sweep.
  static func heading(ofSweep sizes: [Int]) -> String {
    "\nours and raw Swift in ms, and the exponents of their growth\n"
      + (["op         "] + sizes.map { padded(String($0), 12) })
      .joined(separator: " ") + "    slope"
  }

  /// Two lines for an operation of the sweep.
  static func table(_ row: Sweep.Row) -> String {
    let name = row.operation.rawValue
    let sides = [(name, row.ours, row.slope), ("  raw", row.raw, row.rawSlope)]
    return sides.filter { !$0.1.isEmpty }.map { name, times, slope in
      name + String(repeating: " ", count: max(0, 11 - name.count)) + " "
        + times.map { padded(number($0, 2), 12) }.joined(separator: " ")
        + padded(number(slope, 2), 9)
    }.joined(separator: "\n")
  }

  // MARK: Numbers

  /// The figures of a result as texts with their units.
  struct Figures {
    let ours: String
    let raw: String
    let target: String

    init(_ result: OperationResult) {
      let threshold = result.threshold
      if result.operation.isMemory {
        ours = number(result.ours, 0) + " B"
        raw = number(result.raw, 0) + " B"
      } else if threshold.nanoseconds != nil {
        let decimals = (result.nanoseconds ?? 0) < 100 ? 2 : 0
        ours = number(result.nanoseconds, decimals) + " ns"
        raw = "-"
      } else {
        ours = number(result.ours, Self.decimals(result.ours))
        raw = number(result.raw, Self.decimals(result.raw))
      }
      target =
        threshold.bytes.map { number($0, 0) + " B" }
        ?? result.greatestNanoseconds.map { number($0, $0 < 100 ? 1 : 0) + " ns" }
        ?? number(threshold.ratio, 2)
    }

    private static func decimals(_ value: Double?) -> Int { (value ?? 0) < 10 ? 2 : 1 }
  }

  static func number(_ value: Double?, _ decimals: Int) -> String {
    value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, widths).map { cell, width in
      width < 0
        ? cell + String(repeating: " ", count: max(0, -width - cell.count))
        : padded(cell, width)
    }.joined(separator: " ")
  }

  private static func padded(_ cell: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - cell.count)) + cell
  }
}
