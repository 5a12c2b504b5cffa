// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import PerennialModel

/// Prints rows as a table, whose columns are as wide as the first rows need.
struct RowPrinter {
  private let terminal: Terminal
  private var table: TextTable
  private let names: [String]
  /// Whether rows of several entities may come, so that each says which it is of.
  private let hasSubentities: Bool
  /// Rows that wait until the widths are known.
  private var waiting: [[String]] = []
  private var hasHeader = false
  /// How many rows were printed.
  private(set) var count = 0

  /// How many rows are looked at for the widths.
  private static let sampleCount = 200
  private static let greatestWidth = 40

  init(_ terminal: Terminal, entity: EntityLayout, _ model: ModelLayout) {
    self.terminal = terminal
    hasSubentities = entity.family.count > 1
    let columns = RowColumns(entity, model).columns
    names = columns.map(\.name)
    let shown = columns.map { column in
      TextTable.Column(
        title: column.name.escapedForTerminal,
        alignment: Self.isNumber(column, entity) ? .right : .left
      )
    }
    table = TextTable([.init(title: "id")] + shown, greatestWidth: Self.greatestWidth)
  }

  private static func isNumber(_ column: RowColumns.Column, _ entity: EntityLayout) -> Bool {
    guard case .slot(let slot) = column.place else { return false }
    switch entity.slots[slot].attributeType {
    case .int16, .int32, .int64, .decimal, .double, .float: return true
    default: return false
    }
  }

  mutating func print(_ row: StoredRow) throws {
    count += 1
    let key = hasSubentities ? row.id.description : "p\(row.id.key)"
    // A row of a subentity has properties of its own, too.
    let values = Dictionary(row.values.map { ($0.name, $0.value) }) { first, _ in first }
    let cells = [key.escapedForTerminal] + names.map { values[$0]?.line ?? "" }
    if hasHeader {
      try write(cells)
    } else {
      waiting.append(cells)
      if waiting.count == Self.sampleCount { try begin() }
    }
  }

  /// Prints what waits; says so when there were no rows.
  mutating func finish() throws {
    if count == 0 { return terminal.note("No rows.") }
    if !hasHeader { try begin() }
  }

  private mutating func begin() throws {
    for cells in waiting { table.fit(cells) }
    hasHeader = true
    try terminal.output.writeLine(terminal.style(cut(table.header), .title))
    for cells in waiting { try write(cells) }
    waiting = []
  }

  private func write(_ cells: [String]) throws {
    try terminal.output.writeLine(cut(table.line(cells)))
  }

  private func cut(_ line: String) -> String {
    terminal.width.map { line.truncated(toWidth: $0) } ?? line
  }
}
