// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Prints results as a table and as lines of JSON.
enum Report {
  private static let widths = [-4, 9, 10, 13, 7, 7, 12, 6]

  /// The heading of the table.
  static var heading: String {
    line(["op", "rows", "ours ms", "raw Swift ms", "ratio", "limit", "Swift/C", "limit"])
      + "  verdict"
  }

  /// One line for the result, and one for each variant.
  static func table(_ result: OperationResult) -> String {
    let operation = result.operation
    let first: String
    switch operation.limit {
    case .ratio(let limit):
      first = line([
        operation.rawValue, String(result.rows), number(result.ours, 1), number(result.raw, 1),
        number(result.ratio, 2), number(limit, 2), number(result.ratioToC, 2),
        number(operation.measuredRatioToC.map { $0 * 1.2 }, 2),
      ])
    case .bytes(let limit):
      first = line([
        operation.rawValue, String(result.rows), bytes(result.ours), bytes(result.raw),
        number(result.ratio, 2), bytes(limit), "-", "-",
      ])
    case .nanoseconds(let limit):
      first = line([
        operation.rawValue, String(result.rows), nanoseconds(result.nanoseconds), "-", "-",
        nanoseconds(limit), "-", "-",
      ])
    }
    let variants = result.variants.map { name, time in
      let share = result.ours.map { ", ours is \(number($0 / time, 2)) of it" }
      return "       \(name): \(number(time, 1)) ms" + (share ?? "")
    }
    return ([first + "  " + verdict(result)] + variants).joined(separator: "\n")
  }

  private static func verdict(_ result: OperationResult) -> String {
    guard result.ours != nil else { return "not built" }
    guard result.isJudged else { return "" }
    let verdict = result.isWithinLimit ? "ok" : "MISSED"
    return result.rounds > 1 ? "\(verdict) (\(result.rounds) rounds)" : verdict
  }

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

  /// One JSON object: op, rows, unit, ours, raw, ratio, limit, within; null where ours was not built.
  static func json(_ result: OperationResult) -> String {
    let (limit, unit) =
      switch result.operation.limit {
      case .ratio(let limit): (limit, "ms")
      case .bytes(let limit): (limit, "bytes")
      case .nanoseconds(let limit): (limit, "ms")
      }
    let fields = [
      "\"op\":\"\(result.operation.rawValue)\"", "\"rows\":\(result.rows)",
      "\"unit\":\"\(unit)\"", "\"ours\":\(json(result.ours))", "\"raw\":\(json(result.raw))",
      "\"ratio\":\(json(result.ratio))", "\"limit\":\(limit)",
      "\"within\":\(result.ours == nil ? "null" : String(result.isWithinLimit))",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  /// One JSON object: growth, rows, factor, limit, raw, within.
  static func json(_ growth: Growth) -> String {
    let fields = [
      "\"growth\":\"\(growth.name)\"", "\"rows\":\(growth.rows)",
      "\"factor\":\(json(growth.factor))", "\"limit\":\(growth.limit)",
      "\"raw\":\(json(growth.rawFactor))", "\"within\":\(growth.isWithinLimit)",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  private static func json(_ value: Double?) -> String {
    value.map { String(format: "%.3f", $0) } ?? "null"
  }

  private static func bytes(_ value: Double?) -> String {
    value.map { String(format: "%.0f B", $0) } ?? "-"
  }

  private static func nanoseconds(_ value: Double?) -> String {
    value.map { String(format: "%.0f ns", $0) } ?? "-"
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
