// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A small panel for each operation: times over rows, both logarithmic, ours and raw Swift.
struct SweepPlot {
  private static let columns = 4
  private static let (panelWidth, panelHeight) = (190.0, 150.0)
  private static let top = 76.0
  /// Where the lines are within a panel.
  private static let (left, right, above, below) = (44.0, 12.0, 26.0, 24.0)

  private let rows: [Sweep.Row]
  private let sizes: [Int]

  init(_ sweep: Sweep) {
    sizes = sweep.sizes
    rows = sweep.rows.filter { $0.ours.count == sweep.sizes.count && sweep.sizes.count > 1 }
  }

  var svg: String {
    let lines = (rows.count + Self.columns - 1) / Self.columns
    var svg = SVG(
      width: Double(Self.columns) * Self.panelWidth + 16,
      height: Self.top + Double(lines) * Self.panelHeight + 8
    )
    svg.text(
      "Milliseconds from 1,000 to \(Self.short(Double(sizes.last ?? 0))) rows",
      16,
      26,
      "title"
    )
    svg.line([(16, 47), (40, 47)], "ours")
    svg.text("Perennial", 46, 51)
    svg.line([(120, 47), (144, 47)], "raw")
    svg.text(
      "hand-written Swift. Both axes are logarithmic; the number is the slope of ours.",
      150,
      51
    )
    for (index, row) in rows.enumerated() {
      panel(
        row,
        Double(index % Self.columns) * Self.panelWidth + 8,
        Self.top + Double(index / Self.columns) * Self.panelHeight,
        &svg
      )
    }
    return svg.file
  }

  private func panel(_ row: Sweep.Row, _ x: Double, _ y: Double, _ svg: inout SVG) {
    let times = row.ours + row.raw
    let least = floor(log10(times.min() ?? 1))
    let most = max(ceil(log10(times.max() ?? 1)), least + 1)
    let width = Self.panelWidth - Self.left - Self.right
    let height = Self.panelHeight - Self.above - Self.below
    let sizes = sizes.map { log10(Double($0)) }
    let (first, last) = (sizes[0], sizes[sizes.count - 1])
    func point(_ size: Double, _ power: Double) -> (Double, Double) {
      (
        x + Self.left + (size - first) / (last - first) * width,
        y + Self.above + (most - power) / (most - least) * height
      )
    }
    svg.text(row.operation.rawValue, x + Self.left, y + 16, "first")
    svg.text(Report.number(row.slope, 2), x + Self.panelWidth - Self.right, y + 16, "second", .end)
    for power in stride(from: least, through: most, by: 1) {
      svg.line([point(first, power), point(last, power)], "grid")
      let label = power < 0 ? String(format: "%g", pow(10, power)) : Self.short(pow(10, power))
      svg.text(label, x + Self.left - 6, point(first, power).1 + 4, "second", .end)
    }
    for size in [first, last] {
      let label = Self.short(pow(10, size).rounded())
      svg.text(label, point(size, least).0, point(size, least).1 + 16, "second", .middle)
    }
    for (times, style) in [(row.raw, "raw"), (row.ours, "ours")] where !times.isEmpty {
      svg.line(zip(sizes, times).map { point($0, log10($1)) }, style)
    }
    for (size, time) in zip(sizes, row.ours) {
      let place = point(size, log10(time))
      svg.circle(place.0, place.1, radius: 2.5, "good")
    }
  }

  /// 1,000 as 1k, 3,000,000 as 3M.
  private static func short(_ number: Double) -> String {
    if number >= 1e6 { return String(format: "%gM", number / 1e6) }
    return number >= 1e3 ? String(format: "%gk", number / 1e3) : String(format: "%g", number)
  }
}
