// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import MoviesKit
import Testing

@Suite struct `Rows of movies` {
  let plain = Style(isColored: false)

  @Test(
    arguments: [
      (nil, "…"), (0, "0.0"), (31.407, "31.4"), (0.05, "0.1"), (-1.25, "-1.3"), (-0.01, "0.0"),
      (1e300, "1e+300"), (.infinity, "inf"),
    ] as [(Double?, String)]
  )
  func `a popularity has one digit after the point`(popularity: Double?, text: String) {
    let row = MovieRow(title: "A", popularity: popularity, members: [])
    #expect(row.shownPopularity == text)
  }

  @Test func `a line is never wider than the terminal`() {
    let row = MovieRow(
      title: "映画 with a long title",
      popularity: 1,
      members: ["Ann", "Ben\u{1B}"]
    )
    #expect(
      row.line(style: plain, width: nil) == "     1.0  映画 with a long title  (Ann, Ben\\u{1B})"
    )
    for width in 20...60 {
      #expect(row.line(style: plain, width: width).displayWidth <= width)
    }
    #expect(row.line(style: plain, width: 24) == "     1.0  映画 with a l…")
  }

  @Test func `colours do not change the text`() {
    let row = MovieRow(title: "A", popularity: 1, members: ["Ann"])
    #expect(
      row.line(style: Style(isColored: true), width: nil)
        == "     \u{1B}[33m1.0\u{1B}[0m  A  \u{1B}[2m(Ann)\u{1B}[0m"
    )
  }

  @Test func `a bar shows what is done`() {
    var summary = RatingSummary(total: 12)
    #expect(summary.progress == "[" + String(repeating: "-", count: 30) + "]  0/12")
    for _ in 0..<5 { summary.note(.found(1)) }
    summary.note(.unknown)
    let half = String(repeating: "#", count: 15) + String(repeating: "-", count: 15)
    #expect(summary.progress == "[\(half)]  6/12")
    #expect(summary.line == "5 movies rated, 1 not found, 6 left")
    #expect(RatingSummary(total: 0).progress.hasPrefix("[####"))
  }

  @Test func `five failures in succession end the work`() {
    let failure = CommandFailure("no", status: .tryLater)
    var summary = RatingSummary(total: 100)
    for _ in 0..<4 { summary.note(.failed(failure, endsWork: false)) }
    summary.note(.found(1))
    for _ in 0..<4 { summary.note(.failed(failure, endsWork: false)) }
    #expect(!summary.isOver)
    summary.note(.failed(failure, endsWork: false))
    #expect(summary.isOver)
    #expect(summary.failure == failure)
  }
}
