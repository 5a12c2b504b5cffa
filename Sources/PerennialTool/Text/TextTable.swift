// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// A table of text in aligned columns.
struct TextTable {
  enum Alignment { case left, right }

  struct Column {
    let title: String
    var alignment = Alignment.left
  }

  let columns: [Column]
  private(set) var widths: [Int]
  private let greatestWidth: Int

  /// Makes a table whose cells are cut to a width.
  init(_ columns: [Column], greatestWidth: Int = .max) {
    self.columns = columns
    self.greatestWidth = greatestWidth
    widths = columns.map { min($0.title.displayWidth, greatestWidth) }
  }

  /// Makes room for a row.
  mutating func fit(_ cells: [String]) {
    for (index, cell) in cells.enumerated() where index < widths.count {
      widths[index] = max(widths[index], min(cell.displayWidth, greatestWidth))
    }
  }

  /// The titles as a line.
  var header: String {
    line(columns.map(\.title))
  }

  /// A row as a line; cells that are wider than their column are cut.
  func line(_ cells: [String]) -> String {
    let texts = zip(cells, zip(columns, widths)).map { cell, place in
      let (column, width) = place
      let text = cell.truncated(toWidth: width)
      let gap = String(repeating: " ", count: max(0, width - text.displayWidth))
      return column.alignment == .left ? text + gap : gap + text
    }
    var line = texts.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }

  /// A whole table as lines.
  static func lines(_ columns: [Column], _ rows: [[String]], style: Style) -> [String] {
    var table = TextTable(columns)
    for row in rows { table.fit(row) }
    return [style(table.header, .title)] + rows.map { table.line($0) }
  }
}
