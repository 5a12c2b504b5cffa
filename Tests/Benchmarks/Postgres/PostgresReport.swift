// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Prints results as a table, a page and lines of JSON.
enum PostgresReport {
  static let heading =
    "op        rows    ours ms     raw ms   ratio  target   trips  target  verdict"

  static func line(_ result: PostgresResult) -> String {
    let cells = cells(result)
    let widths = [6, 7, 10, 10, 7, 7, 7, 7]
    let columns = zip(cells, widths).enumerated().map { index, pair in
      let padding = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
      return index == 0 ? pair.0 + padding : padding + pair.0
    }
    let variants = result.variants.map { "\n       \($0.name): \(number($0.time, 2)) ms" }
    return columns.joined(separator: " ") + "  " + result.verdict + variants.joined()
  }

  /// Operation, rows, times, ratio and its target, round trips and their target.
  private static func cells(_ result: PostgresResult) -> [String] {
    let threshold = result.threshold
    return [
      result.operation.rawValue, String(result.rows), number(result.time(.ours), 2),
      number(result.time(.raw), 2), number(result.ratio, 2), number(threshold.ratio, 2),
      result.roundTrips.map(String.init) ?? "-", threshold.roundTrips.map(String.init) ?? "-",
    ]
  }

  static func json(_ result: PostgresResult) throws -> String {
    var object: [String: Any] = [
      "op": result.operation.rawValue, "rows": result.rows, "ok": result.isWithinThreshold,
      "rounds": result.rounds,
    ]
    object["ours"] = result.time(.ours)
    object["raw"] = result.time(.raw)
    object["ratio"] = result.ratio
    object["target"] = result.threshold.ratio
    object["roundTrips"] = result.roundTrips
    object["roundTripsTarget"] = result.threshold.roundTrips
    let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  /// A page for the documentation.
  static func page(_ results: [PostgresResult], rows: Int, engine: [String]) -> String {
    let facts = MachineFacts(program: "perennial-bench-postgres", engine: engine).lines
    var lines = ["# PostgreSQL: results at \(rows) commits", ""]
    lines += facts.map { "- " + $0 }
    lines += [
      "", "| op | what | rows | Perennial | raw libpq | ratio | target | round trips | target | |",
      "|---|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for result in results {
      var cells = cells(result)
      cells.insert(result.operation.summary, at: 1)
      lines.append("| " + (cells + [result.verdict]).joined(separator: " | ") + " |")
      for (name, time) in result.variants {
        lines.append("| | \(name) | | | \(number(time, 2)) | | | | | |")
      }
    }
    lines += ["", "Times are medians in ms; round trips are those of one save."]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func number(_ value: Double?, _ decimals: Int) -> String {
    value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
  }
}
