// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct `Frames of live lists` {
  typealias Section = LiveFrame.Section
  typealias Place = LiveFrame.Place

  func frame(_ sections: [Section], rows: Int = 10, columns: Int = 30, offset: Int = 0) -> LiveFrame
  {
    LiveFrame(
      title: "demo",
      summary: "3 rows",
      emptyText: "Nothing yet.",
      sections: sections,
      size: TerminalSize(rows: rows, columns: columns),
      offset: offset
    )
  }

  func lines(
    _ frame: LiveFrame,
    style: Style = Style(isColored: false),
    marks: [Place: LiveFrame.Mark] = [:]
  ) -> [String] {
    frame.lines(style: style) { place, width in
      let text = "row \(place.section).\(place.row)".truncated(toWidth: width)
      return ({ $0(text, .name) }, marks[place] ?? .none)
    }
  }

  static let two = [Section(title: "Ann", count: 2), Section(title: "Ben", count: 1)]

  @Test func `a frame has a head, sections with titles, and a foot`() {
    #expect(
      lines(frame(Self.two)) == [
        "demo                    3 rows", "Ann", "  row 0.0", "  row 0.1", "", "Ben", "  row 1.0",
        "", "", "q quit  ↑ ↓ scroll",
      ]
    )
  }

  @Test(arguments: [
    ("a path that is no repository's", "demo  a path that is no repos…"),
    ("two\nlines \u{1B}[31m", "demo     two\\nlines \\u{1B}[31m"),
  ])
  func `what stands beside the title has one line, and is cut`(summary: String, head: String) {
    var frame = frame(Self.two)
    frame.summary = summary
    let lines = lines(frame)
    #expect(lines[0] == head)
    #expect(lines.count == 10)
  }

  @Test func `a list without sections has no titles`() {
    let lines = lines(frame([Section(title: "", count: 2)], rows: 5))
    #expect(lines.dropFirst().dropLast() == ["  row 0.0", "  row 0.1", ""])
  }

  @Test func `a row that is wider than the screen is cut`() {
    let frame = frame([Section(title: "", count: 2)], rows: 5, columns: 20)
    let lines = frame.lines(style: Style(isColored: true)) { place, _ in
      ({ $0(String(repeating: "x", count: 18 + place.row), .name) }, .none)
    }
    let whole = "  \u{1B}[36m\(String(repeating: "x", count: 18))\u{1B}[0m"
    #expect(lines[1...2] == [whole, "  \(String(repeating: "x", count: 17))…"])
  }

  @Test func `new and changed rows are marked, and reversed where there are colours`() {
    let marks = [
      Place(section: 0, row: 0): LiveFrame.Mark.inserted, Place(section: 0, row: 1): .updated,
    ]
    let plain = lines(frame(Self.two), marks: marks)
    #expect(plain[2...3] == ["+ row 0.0", "~ row 0.1"])
    let colored = lines(frame(Self.two), style: Style(isColored: true), marks: marks)
    #expect(colored[2] == "\u{1B}[7m+ row 0.0\u{1B}[0m")
    #expect(colored[6] == "  \u{1B}[36mrow 1.0\u{1B}[0m")
  }

  @Test func `an empty list says so`() {
    #expect(lines(frame([]))[1] == "Nothing yet.")
    #expect(lines(frame([Section(title: "", count: 0)]))[1...2] == ["Nothing yet.", ""])
    #expect(lines(frame([Section(title: "Ann", count: 0)]))[1...2] == ["Ann", ""])
  }

  @Test(arguments: 0...12) func `the window moves over the lines`(offset: Int) {
    let all = lines(frame(Self.two + [Section(title: "Zoë", count: 4)], rows: 20))
      .dropFirst().dropLast().filter { _ in true }
    let content = Array(all.prefix(12))
    let frame = frame(Self.two + [Section(title: "Zoë", count: 4)], rows: 7, offset: offset)
    #expect(frame.height == 5)
    #expect(frame.lastOffset == 7)
    let start = min(offset, 7)
    #expect(Array(lines(frame)[1...5]) == Array(content[start..<(start + 5)]))
    let below = 7 - start
    let more = below == 0 ? "" : "  \(below) line\(below == 1 ? "" : "s") below"
    #expect(lines(frame).last == "q quit  ↑ ↓ scroll\(more)".truncated(toWidth: 30))
  }

  @Test func `only rows in the window are asked for`() {
    var asked = 0
    let frame = frame([Section(title: "", count: 1_000_000)], rows: 12, offset: 500_000)
    let lines = frame.lines(style: Style(isColored: false)) { place, _ in
      asked += 1
      return ({ _ in "\(place.row)" }, .none)
    }
    #expect(asked == 10)
    #expect(lines[1] == "  500000")
  }

  @Test(arguments: [
    (0, 0, 3, 0), (0, 0, 0, 0), (2, 3, 0, 7), (2, 0, 9, 7), (1, 0, 6, 4), (0, 1, 2, 2),
    (3, 0, 2, 2), (1, 1, 2, 2),
  ])
  func `a row is brought into the window by the shortest way`(
    section: Int,
    row: Int,
    offset: Int,
    expected: Int
  ) {
    let frame = frame(Self.two + [Section(title: "Zoë", count: 4)], rows: 7, offset: offset)
    #expect(frame.offset(showing: Place(section: section, row: row)) == expected)
  }

  @Test(arguments: [(1, 1), (1, 80), (2, 5), (3, 2), (4, 10), (24, 3)])
  func `a frame fits a small screen`(rows: Int, columns: Int) {
    let lines = lines(frame(Self.two, rows: rows, columns: columns))
    #expect(lines.count == rows)
    #expect(lines.allSatisfy { $0.displayWidth <= max(3, columns) })
  }

  @Test(arguments: [
    ("q", [Key.quit]), ("\u{3}", [.interrupt]), ("jk", [.down, .up]),
    ("\u{1B}[A\u{1B}[B", [.up, .down]), ("\u{1B}[5~\u{1B}[6~ ", [.pageUp, .pageDown, .pageDown]),
    ("gG\u{1B}OH", [.home, .end, .home]), ("x\u{1B}[99;99Rq", []), ("é\u{1B}", []), ("", []),
  ])
  func `keys are known`(text: String, keys: [Key]) {
    #expect(Key.keys(in: Array(text.utf8)) == keys)
  }
}
