// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Testing

@Suite struct `Showing commits` {
  static let plain = Style(isColored: false)
  static let utc = TimeZone(secondsFromGMT: 0) ?? .current
  static let row = CommitRow(
    sha: "2f77f2fc0123456789abcdef0123456789abcdef",
    message: "Fix a bug\n\nBody.",
    url: "https://git.example.org/a/b/commit/2f77f2fc",
    date: Date(timeIntervalSince1970: 1_453_837_578),
    author: "Joe Groff"
  )

  @Test func `a line has id, date, author and title`() {
    #expect(
      Self.row.line(style: Self.plain, width: nil, zone: Self.utc)
        == "2f77f2fc  2016-01-26 19:46  Joe Groff             Fix a bug"
    )
    #expect(
      Self.row.line(style: Self.plain, width: nil, zone: Self.utc, showsAuthor: false)
        == "2f77f2fc  2016-01-26 19:46  Fix a bug"
    )
  }

  @Test func `a line fits the terminal`() {
    var row = Self.row
    row.author = "A very long name of an author"
    row.message = "日本語の長い題名で、端末の幅に収まらないもの"
    let line = row.line(style: Self.plain, width: 60, zone: Self.utc)
    #expect(line == "2f77f2fc  2016-01-26 19:46  A very long name of…  日本語の…")
  }

  @Test func `in a narrow terminal the author goes first, then the date`() {
    func line(_ width: Int) -> String {
      Self.row.line(style: Self.plain, width: width, zone: Self.utc)
    }
    #expect(line(50) == "2f77f2fc  2016-01-26 19:46  Joe Groff     Fix a b…")
    #expect(line(45) == "2f77f2fc  2016-01-26 19:46  Fix a bug")
    #expect(line(30) == "2f77f2fc  Fix a bug")
    for width in 12..<80 { #expect(line(width).displayWidth <= width) }
  }

  @Test func `nothing in a commit steers the terminal`() {
    var row = Self.row
    row.author = "\u{1B}]0;title\u{7}"
    row.message = "\u{1B}[2Jcleared\rover"
    row.url = "\u{1B}[31m"
    row.sha = "\u{1B}c"
    let detail = CommitDetail(commit: row, email: "\u{9B}2J", position: 1, count: 1)
    let lines =
      [row.line(style: Self.plain, width: nil, zone: Self.utc)]
      + detail.lines(style: Self.plain, zone: Self.utc)
    for scalar in lines.joined().unicodeScalars {
      #expect(scalar.properties.generalCategory != .control)
    }
  }

  @Test(arguments: [
    ("", "(no message)"), ("\n\n", "(no message)"), ("\n\nLate", "Late"), ("One\r\nTwo", "One"),
  ])
  func `the title is the first line with text`(message: String, title: String) {
    var row = Self.row
    row.message = message
    #expect(row.title == title)
  }

  @Test func `JSON has every field, and null for no author`() {
    var row = Self.row
    #expect(
      row.json.text == """
        {"sha": "2f77f2fc0123456789abcdef0123456789abcdef", "message": "Fix a bug\\n\\nBody.", \
        "url": "https://git.example.org/a/b/commit/2f77f2fc", "date": "2016-01-26T19:46:18Z", \
        "author": "Joe Groff"}
        """
    )
    row.author = nil
    #expect(row.json.text.hasSuffix(#""author": null}"#))
    #expect(row.shownAuthor == "(no name)")
  }

  @Test func `a detail says which of the author's commits it is`() {
    let detail = CommitDetail(
      commit: Self.row,
      email: "joe@example.org",
      position: 3,
      count: 1_024
    )
    #expect(
      detail.lines(style: Self.plain, zone: Self.utc) == [
        "commit 2f77f2fc0123456789abcdef0123456789abcdef",
        "author Joe Groff <joe@example.org>",
        "date   2016-01-26 19:46",
        "url    https://git.example.org/a/b/commit/2f77f2fc",
        "Commit 3/1,024 by this author",
        "",
        "    Fix a bug",
        "",
        "    Body.",
      ]
    )
    #expect(
      detail.json.text.hasSuffix(
        #""author": "Joe Groff", "email": "joe@example.org", "position": 3, "count": 1024}"#
      )
    )
  }

  @Test func `an import is summed up in one line`() {
    var summary = ImportSummary()
    #expect(summary.line == "0 commits, 0 authors in 0.0 s")
    summary.commits = 11_308
    summary.authors = 231
    summary.inserted = 11_307
    summary.duration = .milliseconds(912)
    #expect(summary.line == "11,308 commits, 231 authors in 0.9 s")
    #expect(summary.note == nil)
    #expect(
      summary.json.text == """
        {"commits": 11308, "authors": 231, "inserted": 11307, "updated": 0, "seconds": 0.912}
        """
    )
    summary.skipped = 1
    #expect(summary.note == "1 deleted commit left out")
  }

  @Test func `statistics list the authors with the most commits`() {
    let counts = (1...12).map { Statistics.AuthorCount(name: "A\($0)", commits: $0 / 2) }
    let top = Statistics.top(counts)
    #expect(top.count == 10)
    #expect(top.prefix(3) == [counts[11], counts[9], counts[10]])
    let statistics = Statistics(
      commits: 1_200,
      authors: 12,
      deleted: 2,
      oldest: Date(timeIntervalSince1970: 0),
      newest: Self.row.date,
      topAuthors: [.init(name: "A", commits: 1_000), .init(name: "B", commits: 7)]
    )
    #expect(
      statistics.lines(style: Self.plain, zone: Self.utc) == [
        "1,200 commits, 12 authors, 2 deleted", "newest  2016-01-26 19:46",
        "oldest  1970-01-01 00:00", "", "Most commits", "1,000  A", "    7  B",
      ]
    )
    #expect(
      statistics.json.text == """
        {"commits": 1200, "authors": 12, "deleted": 2, "oldest": "1970-01-01T00:00:00Z", \
        "newest": "2016-01-26T19:46:18Z", "topAuthors": [{"name": "A", "commits": 1000}, \
        {"name": "B", "commits": 7}]}
        """
    )
  }

  @Test func `a query shows its values and its plan`() {
    let explanation = QueryExplanation(
      sql: "SELECT 1\nWHERE x = ?",
      bindings: ["fix\u{1B}"],
      plan: ["SCAN commits"],
      inMemory: ["filter: x"]
    )
    #expect(
      explanation.lines(style: Self.plain) == [
        "SELECT 1", "WHERE x = ?", "", "Values", "  1  fix\\u{1B}", "", "Plan", "  SCAN commits",
        "", "In memory", "  filter: x",
      ]
    )
    #expect(
      explanation.json.text == """
        {"sql": "SELECT 1\\nWHERE x = ?", "bindings": ["fix\\u001b"], "plan": ["SCAN commits"], \
        "inMemory": ["filter: x"]}
        """
    )
  }
}

@Suite struct `Printing a list` {
  /// What a list of rows writes to the output and to the notes.
  func printed(
    _ rows: [CommitRow],
    total: Int,
    isByAuthor: Bool = false,
    isJSON: Bool = false
  ) throws -> [String] {
    let pipes = [Pipe(), Pipe()]
    let writers = pipes.map { FileWriter(descriptor: $0.fileHandleForWriting.fileDescriptor) }
    var options = ListOptions()
    options.isByAuthor = isByAuthor
    var printer = ListPrinter(
      Terminal(output: writers[0], notes: writers[1]),
      options: options,
      isJSON: isJSON,
      zone: `Showing commits`.utc
    )
    for row in rows { try printer.print(row) }
    try printer.finish(total: total)
    return try zip(pipes, writers).map { pipe, writer in
      try writer.flush()
      try pipe.fileHandleForWriting.close()
      return String(
        decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(),
        as: UTF8.self
      )
    }
  }

  @Test func `sections have the authors as titles`() throws {
    var rows = Array(repeating: `Showing commits`.row, count: 3)
    rows[0].author = nil
    let text = try printed(rows, total: 3, isByAuthor: true)
    #expect(
      text[0] == """
        (no name)
        2f77f2fc  2016-01-26 19:46  Fix a bug

        Joe Groff
        2f77f2fc  2016-01-26 19:46  Fix a bug
        2f77f2fc  2016-01-26 19:46  Fix a bug

        """
    )
    #expect(text[1] == "")
  }

  @Test func `what is missing is noted beside the data`() throws {
    let text = try printed([`Showing commits`.row], total: 11_308)
    #expect(text[0] == "2f77f2fc  2016-01-26 19:46  Joe Groff             Fix a bug\n")
    #expect(text[1] == "11,307 more; '--limit N' shows more, '--limit 0' all.\n")
  }

  @Test func `JSON is one array without notes`() throws {
    #expect(try printed([], total: 0, isJSON: true) == ["[]\n", ""])
    let row = `Showing commits`.row
    let text = try printed([row, row], total: 9, isJSON: true)
    #expect(text == ["[\n\(row.json.text),\n\(row.json.text)\n]\n", ""])
  }

  @Test func `an empty store says how to fill it`() throws {
    #expect(
      try printed([], total: 0)[1]
        == "There are no commits yet. Run 'commits import PATH' to import a checkout.\n"
    )
  }
}
