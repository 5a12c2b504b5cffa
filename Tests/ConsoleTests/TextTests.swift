// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Testing

@Suite struct `Text for a terminal` {
  @Test(arguments: [
    ("plain é 🎉", "plain é 🎉"),
    ("red \u{1B}[31m", "red \\u{1B}[31m"),
    ("a\nb\r\tc", "a\\nb\\r\\tc"),
    ("\0\u{7F}\u{9B}", "\\u{0}\\u{7F}\\u{9B}"),
    ("safe\u{202E}cod.exe", "safe\\u{202E}cod.exe"),
  ])
  func `control characters become visible`(raw: String, escaped: String) {
    #expect(raw.escapedForTerminal == escaped)
  }

  @Test(arguments: [
    ("postgres://ada:secret@db/library", "postgres://ada@db/library"),
    ("'postgres://ada:se cr@t'@db/library' is gone", "'postgres://ada@db/library' is gone"),
    ("POSTGRESQL://ada:secret@db", "POSTGRESQL://ada@db"),
    ("postgres://:secret@db", "postgres://@db"),
    ("postgres://ada:p?w@db/lib", "postgres://ada@db/lib"),
    ("postgres://me@corp:secret@host/db", "postgres://me@corp@host/db"),
    (
      "'postgres://me@corp:s?c@t@host/db?pool=2' is gone",
      "'postgres://me@corp@host/db?pool=2' is gone"
    ),
    ("'postgres://db?password=secret&pool=2'", "'postgres://db?password=…&pool=2'"),
    ("postgres://db?pool=2&sslpassword=secret", "postgres://db?pool=2&sslpassword=…"),
    ("postgres://ada@db:5432/library?pool=2", "postgres://ada@db:5432/library?pool=2"),
    ("postgres://db:5432/shop?user=a&password=S3cr@tTail&pool=2", "postgres://db@…&pool=2"),
    ("'postgres://u@host:5432/db?password=p@ss'", "'postgres://u@host@…'"),
    ("postgres://u:p?password=x@host/db", "postgres://u@…"),
    ("https://ada:secret@db/", "https://ada:secret@db/"),
    ("ada: a@b", "ada: a@b"),
  ])
  func `passwords of addresses are not shown`(text: String, shown: String) {
    #expect(text.withoutPasswords == shown)
  }

  @Test func `lines keep their breaks but no other control character`() {
    let lines = "one\r\ntwo\tx\n\n\u{1B}three".linesEscapedForTerminal
    #expect(lines == ["one", "two  x", "", "\\u{1B}three"])
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("🎉", 2), ("👩‍👩‍👧", 2), ("한", 2),
    ("❤️", 2), ("ｶ", 1),
  ])
  func `the width counts columns`(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(arguments: [
    ("short", 10, "short"), ("exactly", 7, "exactly"), ("too long", 5, "too …"),
    ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 6, "日本語"), ("abc", 1, "…"),
    ("abc", 0, ""), ("🎉🎉", 3, "🎉…"),
  ])
  func `a long text is cut and says so`(text: String, width: Int, expected: String) {
    let cut = text.truncated(toWidth: width)
    #expect(cut == expected)
    #expect(cut.displayWidth <= width)
  }

  @Test func `padding counts columns`() {
    #expect("日".padded(toWidth: 4) + "|" == "日  |")
    #expect("long".padded(toWidth: 2) == "long")
  }
}

@Suite struct `Numbers and dates` {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (11_308, "11,308"), (-1_234_567, "-1,234,567"),
  ])
  func `digits are grouped by three`(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test func `a noun is singular for one only`() {
    #expect(0.counted("commit") == "0 commits")
    #expect(1.counted("commit") == "1 commit")
    #expect(11_308.counted("commit") == "11,308 commits")
  }

  @Test(arguments: [(0, "0.0 s"), (940, "0.9 s"), (960, "1.0 s"), (83_210, "83.2 s")])
  func `seconds have one decimal`(milliseconds: Int, text: String) {
    #expect(Duration.milliseconds(milliseconds).roundedSeconds == text)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_453_837_578, "2016-01-26T19:46:18Z"),
    (951_782_400, "2000-02-29T00:00:00Z"), (951_868_799, "2000-02-29T23:59:59Z"),
    (4_107_542_400, "2100-03-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
    (253_402_300_799, "9999-12-31T23:59:59Z"), (1e300, "9999-12-31T23:59:59Z"),
    (-62_135_769_600, "0000-12-30T00:00:00Z"), (-62_162_121_600, "0000-02-29T00:00:00Z"),
    (-62_167_219_200, "0000-01-01T00:00:00Z"), (-1e300, "0000-01-01T00:00:00Z"),
  ])
  func `a date is ISO 8601 in UTC`(seconds: Double, text: String) {
    #expect(Date(timeIntervalSince1970: seconds).iso8601 == text)
  }

  @Test func `fractions of a second are dropped`() {
    #expect(Date(timeIntervalSince1970: 0.999).iso8601 == "1970-01-01T00:00:00Z")
    #expect(Date(timeIntervalSince1970: -0.5).iso8601 == "1969-12-31T23:59:59Z")
  }

  @Test func `every day agrees with Foundation's calendar`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for day in stride(from: -40_000, to: 60_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_661)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let expected = try [
        #require(parts.year), #require(parts.month), #require(parts.day), 1, 1, 1,
      ]
      let numbers = date.iso8601.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(numbers == expected)
    }
  }

  @Test func `people see the day and the minute in their zone`() throws {
    let date = Date(timeIntervalSince1970: 1_453_837_578)
    let india = try #require(TimeZone(secondsFromGMT: 19_800))
    #expect(date.dayAndMinute(in: india) == "2016-01-27 01:16")
    let last = Date(timeIntervalSince1970: 253_402_300_799)
    #expect(last.dayAndMinute(in: india) == "9999-12-31 23:59")
  }
}

@Suite struct `Colours` {
  @Test(arguments: [
    (ColorPolicy.auto, true, [:], true), (.auto, false, [:], false),
    (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
    (.auto, true, ["TERM": "dumb"], false), (.auto, true, ["TERM": "xterm"], true),
    (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true), (.never, true, [:], false),
  ])
  func `colours need a terminal that wants them`(
    policy: ColorPolicy,
    isTerminal: Bool,
    environment: [String: String],
    expected: Bool
  ) {
    #expect(policy.allowsColor(isTerminal: isTerminal, environment: environment) == expected)
  }

  @Test func `a style without colour changes nothing`() {
    #expect(Style(isColored: false)("x", .title) == "x")
    #expect(Style(isColored: true)("x", .identifier) == "\u{1B}[33mx\u{1B}[0m")
  }
}
