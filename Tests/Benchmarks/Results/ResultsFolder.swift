// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSQLite
import Foundation

/// Writes pages with figures, and their plots, for the documentation.
struct ResultsFolder {
  private let folder: URL

  init(_ path: String) throws {
    folder = URL(filePath: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes `Results-N.md` and `Ratios-N.svg`.
  func write(
    _ results: [OperationResult],
    _ growths: [Growth],
    rows: Int,
    slowness: Double
  ) throws {
    let plot = "Ratios-\(rows).svg"
    try write(RatioPlot(results, rows: rows).svg, to: plot)
    var lines = ["# Results at \(rows) commits", "", "![Ratios](\(plot))", ""]
    lines += facts + ["", Report.slowness(slowness), ""]
    lines += [
      "| op | what | rows | Perennial | raw Swift | ratio | target | |",
      "|---|---|--:|--:|--:|--:|--:|---|",
    ]
    for result in results { lines += self.lines(of: result) }
    lines += [
      "", "Times are medians in ms where no unit is said; N is \(rows), 10 N is 1,000,000 at most.",
    ]
    if !growths.isEmpty {
      lines += [
        "", "## From a tenth of the rows to all", "",
        "| op | rows | tenth, ms | all, ms | times | limit | raw times | |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
      ]
      lines += growths.map { self.line(of: $0) }
    }
    try write(lines.joined(separator: "\n") + "\n", to: "Results-\(rows).md")
  }

  /// Writes `Growth.md` and `Growth.svg`.
  func write(_ sweep: Sweep) throws {
    try write(SweepPlot(sweep).svg, to: "Growth.svg")
    let sizes = sweep.sizes.map(String.init)
    var lines = ["# How cost grows", "", "![Growth](Growth.svg)", ""]
    lines +=
      facts + [
        "",
        "Milliseconds, Perennial and below it raw Swift. The slope is that of the line through the "
          + "logarithms: 1 when the time is proportional to the rows, 2 when it is to their square.",
        "",
        "| op | " + sizes.joined(separator: " | ") + " | slope |",
        "|---|" + sizes.map { _ in "--:|" }.joined() + "--:|",
      ]
    for row in sweep.rows {
      let name = row.operation.rawValue
      for (side, times, slope) in [(name, row.ours, row.slope), ("raw", row.raw, row.rawSlope)]
      where !times.isEmpty {
        let cells = [side] + times.map { Report.number($0, 2) } + [Report.number(slope, 2)]
        lines.append(Self.line(cells))
      }
    }
    try write(lines.joined(separator: "\n") + "\n", to: "Growth.md")
  }

  private var facts: [String] {
    let engine = "SQLite: \(String(cString: sqlite3_libversion()))"
    return MachineFacts(program: "perennial-bench", engine: [engine]).lines.map { "- " + $0 }
  }

  private func lines(of result: OperationResult) -> [String] {
    let figures = Report.Figures(result)
    let first = Self.line([
      result.operation.rawValue, result.operation.summary, String(result.rows), figures.ours,
      figures.raw, Report.number(result.ratio, 2), figures.target, Report.verdict(result),
    ])
    let variants = result.variants.map { name, time in
      Self.line([
        "", name, "", "", Report.number(time, time < 10 ? 2 : 1),
        Report.number(result.ratio(toVariant: name), 2),
        Report.number(result.threshold.variants?[name], 2),
        Report.verdict(result, ofVariant: name),
      ])
    }
    return [first] + variants
  }

  private func line(of growth: Growth) -> String {
    Self.line([
      growth.name, String(growth.rows), Report.number(growth.small, 1),
      Report.number(growth.large, 1), Report.number(growth.factor, 1),
      Report.number(growth.limit, 1), Report.number(growth.rawFactor, 1),
      growth.isJudged ? growth.verdict : "",
    ])
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private func write(_ text: String, to name: String) throws {
    let file = folder.appending(path: name)
    try text.write(to: file, atomically: true, encoding: .utf8)
    print("Wrote \(file.path).")
  }
}
