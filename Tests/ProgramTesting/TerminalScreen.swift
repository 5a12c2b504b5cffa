// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a terminal shows: an emulator of as much as the programs use.
public struct TerminalScreen: Sendable {
  private struct Cell: Sendable {
    var character: Character = " "
    /// The parameters of the sequence that began the style, empty for plain text.
    var style = ""
  }

  /// A part of a line in one style.
  public struct Run: Sendable, Hashable {
    /// What is shown.
    public var text: String
    /// The parameters of `ESC [ … m`, such as `1;31`; empty for plain text.
    public var style: String

    /// Makes a part.
    public init(_ text: String, style: String = "") {
      self.text = text
      self.style = style
    }
  }

  /// Whether the alternate screen is shown.
  public private(set) var isAlternate = false
  /// Whether the cursor is shown.
  public private(set) var showsCursor = true
  /// How many frames were shown with synchronised output.
  public private(set) var frames = 0
  /// Whether any text was shown in a colour or in another style.
  public private(set) var hasColors = false
  /// Whether any control sequence came.
  public private(set) var hasSequences = false
  private(set) var isUpdating = false
  private var cells: [[Cell]]
  /// What the ordinary screen showed when the alternate one came, and its cursor.
  private var saved: (cells: [[Cell]], row: Int, column: Int)?
  private var row = 0
  private var column = 0
  private var style = ""
  private var columns: Int
  /// Bytes that are not a whole character or sequence yet.
  private var pending: [UInt8] = []

  init(rows: Int, columns: Int) {
    self.columns = columns
    cells = Self.blank(rows, columns)
  }

  /// The lines, without spaces at their ends.
  public var lines: [String] { cells.map { Self.text($0) } }

  /// The lines that hold something.
  public var text: [String] { lines.filter { !$0.isEmpty } }

  /// The lines that are shown in reverse.
  public var reversedLines: [String] {
    cells.filter { $0.contains { $0.style == "7" } }.map { Self.text($0) }
  }

  /// The lines as parts in one style each, without plain spaces at their ends.
  public var runs: [[Run]] {
    cells.map { line in
      var runs: [Run] = []
      for cell in line.prefix(Self.length(line)) {
        if runs.last?.style == cell.style {
          runs[runs.count - 1].text.append(cell.character)
        } else {
          runs.append(Run(String(cell.character), style: cell.style))
        }
      }
      return runs
    }
  }

  /// Gives the screen another size; what it shows is lost.
  mutating func resize(rows: Int, columns: Int) {
    self.columns = columns
    cells = Self.blank(rows, columns)
    if saved != nil { saved = (cells, 0, 0) }
    (row, column) = (0, 0)
  }

  /// Takes output of the program.
  ///
  /// - Parameters:
  ///   - bytes: The output, cut at any place.
  ///   - onFrame: Called after each synchronised frame.
  mutating func write(_ bytes: [UInt8], onFrame: (TerminalScreen) -> Void) {
    pending += bytes
    while let length = unitLength {
      let unit = Array(pending.prefix(length))
      pending.removeFirst(length)
      let count = frames
      take(unit)
      if frames > count { onFrame(self) }
    }
  }

  /// The length of the character or sequence that begins the pending bytes, nil when it is cut off.
  private var unitLength: Int? {
    guard let first = pending.first else { return nil }
    guard first != 0x1B else { return sequenceLength }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return pending.count >= length ? length : nil
  }

  private var sequenceLength: Int? {
    guard pending.count >= 2 else { return nil }
    guard pending[1] == UInt8(ascii: "[") else { return 2 }
    return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
  }

  private mutating func take(_ unit: [UInt8]) {
    switch unit[0] {
    case 0x0D: column = 0
    case 0x0A: lineFeed()
    case 0x1B where unit.count > 2:
      hasSequences = true
      control(String(decoding: unit.dropFirst(2).dropLast(), as: UTF8.self), unit[unit.count - 1])
    case 0x20...: put(Character(String(decoding: unit, as: UTF8.self)))
    default: break
    }
  }

  private mutating func put(_ character: Character) {
    guard row < cells.count, column < columns else { return }
    cells[row][column] = Cell(character: character, style: style)
    column += 1
  }

  private mutating func lineFeed() {
    if row + 1 < cells.count {
      row += 1
    } else {
      cells.removeFirst()
      cells.append(Self.blank(1, columns)[0])
    }
  }

  private mutating func control(_ parameters: String, _ final: UInt8) {
    switch (parameters, Character(Unicode.Scalar(final))) {
    case ("", "H"): (row, column) = (0, 0)
    case ("", "K"): erase(row, from: column)
    case ("", "J"):
      erase(row, from: column)
      for other in cells.indices.dropFirst(row + 1) { erase(other, from: 0) }
    case (_, "m"):
      style = parameters == "0" ? "" : parameters
      hasColors = true
    case ("?25", "l"): showsCursor = false
    case ("?25", "h"): showsCursor = true
    case ("?1049", "h"):
      (isAlternate, saved) = (true, (cells, row, column))
      cells = Self.blank(cells.count, columns)
    case ("?1049", "l"):
      guard let saved else { return }
      (isAlternate, cells, row, column) = (false, saved.cells, saved.row, saved.column)
      self.saved = nil
    case ("?2026", "h"): isUpdating = true
    case ("?2026", "l"):
      isUpdating = false
      frames += 1
    default: break
    }
  }

  private mutating func erase(_ row: Int, from column: Int) {
    for place in column..<max(column, columns) { cells[row][place] = Cell() }
  }

  private static func blank(_ rows: Int, _ columns: Int) -> [[Cell]] {
    Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The number of cells without plain spaces at the end.
  private static func length(_ cells: [Cell]) -> Int {
    (cells.lastIndex { $0.character != " " || !$0.style.isEmpty } ?? -1) + 1
  }

  private static func text(_ cells: [Cell]) -> String {
    var text = String(cells.map(\.character))
    while text.last == " " { text.removeLast() }
    return text
  }
}
