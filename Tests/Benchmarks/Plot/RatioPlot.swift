// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Bars for ours ÷ raw Swift, with the targets, on a logarithmic scale.
struct RatioPlot {
  private static let barHeight = 16.0
  private static let rowHeight = 24.0
  private static let left = 108.0
  private static let right = 64.0
  private static let top = 84.0
  private static let ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]

  private let results: [OperationResult]
  private let rows: Int

  init(_ results: [OperationResult], rows: Int) {
    self.results = results.filter { $0.ratio != nil }
    self.rows = rows
  }

  var svg: String {
    let height = Self.top + Double(results.count) * Self.rowHeight + 36
    var svg = SVG(width: 760, height: height)
    svg.text(
      "Perennial ÷ hand-written Swift, \(rows.formatted(.number.grouping(.automatic).locale(Locale(identifier: "en_US")))) commits",
      16,
      26,
      "title"
    )
    svg.text("Left of 1 is faster. A stroke marks the target.", 16, 46)
    legend(&svg)
    let figures = results.compactMap(\.ratio) + results.compactMap(\.threshold.ratio) + [1]
    let least = Self.ticks.last { $0 <= figures.min() ?? 1 } ?? Self.ticks[0]
    let most = Self.ticks.first { $0 >= figures.max() ?? 1 } ?? Self.ticks[Self.ticks.count - 1]
    let scale = (svg.width - Self.left - Self.right) / log(max(most / least, 1.1))
    func x(_ ratio: Double) -> Double {
      Self.left + log(min(max(ratio, least), most) / least) * scale
    }
    let bottom = height - 32
    for tick in Self.ticks where tick >= least && tick <= most {
      svg.line([(x(tick), Self.top - 8), (x(tick), bottom)], tick == 1 ? "axis" : "grid")
      svg.text(String(format: "%g", tick), x(tick), bottom + 18, "second", .middle)
    }
    for (index, result) in results.enumerated() {
      guard let ratio = result.ratio else { continue }
      let y = Self.top + Double(index) * Self.rowHeight
      let text = Report.number(ratio, 2)
      let name = result.operation.rawValue
      svg.text(name, Self.left - 10, y + 12, "first", .end)
      svg.bar(
        min(x(ratio), x(1)),
        y,
        abs(x(ratio) - x(1)),
        Self.barHeight,
        style(of: result),
        title: "\(name) \(text): \(result.operation.summary.replacing("<", with: "&lt;"))"
      )
      if let target = result.threshold.ratio {
        svg.line([(x(target), y - 2), (x(target), y + Self.barHeight + 2)], "target")
      }
      svg.text(text, svg.width - 16, y + 12, "first", .end)
    }
    return svg.file
  }

  private func style(of result: OperationResult) -> String {
    guard result.threshold.ratio != nil else { return "none" }
    return result.isWithinThreshold ? "good" : "bad"
  }

  private func legend(_ svg: inout SVG) {
    var x = 16.0
    for (style, text, width) in [
      ("good", "within its target", 130.0), ("bad", "over it", 76), ("none", "no target", 90),
    ] {
      svg.bar(x, 57, 10, 10, style, title: text)
      svg.text(text, x + 15, 66)
      x += width
    }
  }
}
