// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One picture of a live list: what is on the screen between two changes.
///
/// The first line is the head, the last one the foot; between them is a window on the lines of all
/// sections. A frame is a pure function of its values; only the rows in the window are asked for.
public struct LiveFrame {
  /// What happened to a row at the last change.
  public enum Mark: Sendable, Hashable {
    /// It was there and is as it was.
    case none
    /// It is new.
    case inserted
    /// It is different, or at another place.
    case updated
  }

  /// A section of the list.
  public struct Section: Sendable, Hashable {
    /// The title; a section without title has no line of its own.
    public var title: String
    /// How many rows it has.
    public var count: Int

    /// Makes a section.
    public init(title: String, count: Int) {
      self.title = title
      self.count = count
    }
  }

  /// The place of a row.
  public struct Place: Sendable, Hashable {
    /// The section, from 0.
    public var section: Int
    /// The row in the section, from 0.
    public var row: Int

    /// Makes a place.
    public init(section: Int, row: Int) {
      self.section = section
      self.row = row
    }
  }

  /// What stands above the list on the left.
  public var title: String
  /// What stands above the list on the right, cut where the title leaves no room.
  public var summary: String
  /// What stands instead of a list without rows.
  public var emptyText: String
  /// The sections in their order.
  public var sections: [Section]
  /// The size of the screen.
  public var size: TerminalSize
  /// The first line of the list that is shown, from 0.
  public var offset: Int

  /// Makes a frame.
  public init(
    title: String,
    summary: String,
    emptyText: String,
    sections: [Section],
    size: TerminalSize,
    offset: Int
  ) {
    self.title = title
    self.summary = summary
    self.emptyText = emptyText
    self.sections = sections
    self.size = size
    self.offset = offset
  }
}

extension LiveFrame {
  /// What is in a line of the list.
  private enum Line: Hashable {
    case title(String)
    case row(Place)
    case gap
  }

  private static let help = "q quit  ↑ ↓ scroll"
  private static let markWidth = 2

  /// How many lines of the list the screen shows.
  public var height: Int { max(1, size.rows - 2) }

  /// The largest offset that leaves no line of the screen unused.
  public var lastOffset: Int { max(0, lineCount - height) }

  /// The lines of the screen, as many as it has rows.
  ///
  /// - Parameters:
  ///   - style: The colours.
  ///   - row: The text of a row in at most so many columns, and what happened to it; the style is
  ///     that of the frame, or one without colours for a row that stands out as a whole.
  /// - Returns: The lines, none of which is wider than the screen.
  public func lines(
    style: Style,
    row: (_ place: Place, _ width: Int) -> (text: (Style) -> String, mark: Mark)
  ) -> [String] {
    let window = window()
    var lines = [head(style)]
    lines += window.map { line(for: $0, style: style, row: row) }
    if sections.allSatisfy({ $0.count == 0 && $0.title.isEmpty }), !emptyText.isEmpty {
      lines = [lines[0], style(emptyText.truncated(toWidth: size.columns), .secondary)]
    }
    while lines.count < size.rows - 1 { lines.append("") }
    lines.append(foot(style))
    return Array(lines.prefix(size.rows))
  }

  /// The offset that shows a row, as near to the present one as possible; the present one when the
  /// list has no such row any more.
  public func offset(showing place: Place) -> Int {
    guard sections.indices.contains(place.section), place.row < sections[place.section].count else {
      return offset
    }
    let index = index(of: place)
    if index < offset { return max(0, place.row == 0 ? index - 1 : index) }
    return index >= offset + height ? index - height + 1 : offset
  }

  private func line(
    for line: Line,
    style: Style,
    row: (_ place: Place, _ width: Int) -> (text: (Style) -> String, mark: Mark)
  ) -> String {
    switch line {
    case .gap: return ""
    case .title(let title):
      return style(title.escapedForTerminal.truncated(toWidth: size.columns), .title)
    case .row(let place):
      let width = max(1, size.columns - Self.markWidth)
      let (text, mark) = row(place, width)
      // A line that is wider than the screen would push the others off it.
      let plain = text(Style(isColored: false))
      let cut = plain.truncated(toWidth: width)
      switch mark {
      case .none: return "  \(cut == plain ? text(style) : cut)"
      case .inserted: return style("+ \(cut)", .changed)
      case .updated: return style("~ \(cut)", .changed)
      }
    }
  }

  private func head(_ style: Style) -> String {
    let left = title.escapedForTerminal.truncated(toWidth: size.columns)
    let space = size.columns - left.displayWidth
    let right = summary.escapedForTerminal.truncated(toWidth: space - 2)
    guard !right.isEmpty else { return style(left, .title) }
    let gap = String(repeating: " ", count: space - right.displayWidth)
    return style(left, .title) + gap + style(right, .secondary)
  }

  private func foot(_ style: Style) -> String {
    let count = lineCount
    let below = max(0, count - clampedOffset - height)
    let more = below > 0 ? "  \(below.counted("line")) below" : ""
    return style((Self.help + more).truncated(toWidth: size.columns), .secondary)
  }

  private var clampedOffset: Int { min(max(0, offset), lastOffset) }

  private var lineCount: Int {
    sections.enumerated().reduce(0) { $0 + lineCount(of: $1.element, at: $1.offset) }
  }

  /// The lines of a section: a gap unless it is the first, its title, its rows.
  private func lineCount(of section: Section, at index: Int) -> Int {
    (section.title.isEmpty ? 0 : 1) + (index == 0 ? 0 : 1) + section.count
  }

  private func index(of place: Place) -> Int {
    var index = 0
    for number in 0..<place.section { index += lineCount(of: sections[number], at: number) }
    let section = sections[place.section]
    return index + lineCount(of: section, at: place.section) - section.count + place.row
  }

  /// The lines of the list that the screen shows.
  private func window() -> [Line] {
    var lines: [Line] = []
    var skipped = clampedOffset
    for (number, section) in sections.enumerated() {
      let count = lineCount(of: section, at: number)
      if skipped >= count {
        skipped -= count
        continue
      }
      for index in skipped..<count {
        if lines.count == height { return lines }
        lines.append(line(index, of: section, at: number))
      }
      skipped = 0
    }
    return lines
  }

  private func line(_ index: Int, of section: Section, at number: Int) -> Line {
    let start = lineCount(of: section, at: number) - section.count
    if index >= start { return .row(Place(section: number, row: index - start)) }
    return index == start - 1 && !section.title.isEmpty ? .title(section.title) : .gap
  }
}
