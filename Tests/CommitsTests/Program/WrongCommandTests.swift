// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import ProgramTesting
import Testing

@Suite(.importedHistory) struct `Wrong command lines of the built program` {
  let history: ImportedHistory

  init() throws {
    history = try #require(ImportedHistory.current)
  }

  @Test(arguments: [
    ("mesage == 'x'", ["'Commit' has no property 'mesage'", "Did you mean 'message'?"]),
    ("author.nam == 'x'", ["'Author' has no property 'nam'", "Did you mean 'name'?"]),
    (
      "foo == 1",
      ["'Commit' has no property 'foo'", "Use one of: author, date, message, sha, url."]
    ),
    (
      "message CONTAINZ 'a'",
      [
        "unknown operator \"CONTAINZ\" at column 9, did you mean CONTAINS?",
        "  message CONTAINZ 'a'", "          ^~~~~~~~",
      ]
    ),
    (
      "(message == 'a'",
      ["the \"(\" is not closed at column 1, expected ')'", "  (message == 'a'", "  ^"]
    ),
    (
      "message CONTAINS %@",
      [
        "placeholder 1 has no argument at column 18, 0 arguments given",
        "  message CONTAINS %@", "                   ^~",
      ]
    ),
    (
      "date > 'yesterday'",
      [
        "Text cannot be ordered against a number or a date: date > a value",
        "Compare values of one type, or use CAST.",
      ]
    ),
    (
      "message MATCHES '('",
      [
        "the right side of MATCHES is not a regular expression",
        "Correct the pattern, or use LIKE or CONTAINS.",
      ]
    ),
  ])
  func `a wrong filter is explained`(format: String, lines: [String]) async throws {
    for command in ["list", "sql"] {
      let result = try await history.run(command, "--where", format)
      if command == "sql", format.contains("MATCHES") { continue }
      #expect(result.status == 64)
      #expect(result.text.isEmpty)
      #expect(result.errorLines == ["commits: error: '--where': \(lines[0])"] + lines.dropFirst())
    }
  }

  @Test(arguments: [
    (["lst"], "unknown command 'lst'", "Did you mean 'commits list'?"),
    (["list", "--limt", "3"], "unknown option '--limt'", "Did you mean '--limit'?"),
    (
      ["list", "--limit", "-1"],
      "'--limit' needs a whole number, 0 or more, not '-1'", "Write: --limit N"
    ),
    (
      ["list", "--recent", "soon"],
      "'--recent' needs a time such as 90m, 12h, 3d or 2w, not 'soon'", "Write: --recent TIME"
    ),
    (["show"], "SHA is missing: a commit's id, or its beginning", "Run 'commits show --help'."),
    (["stats", "now"], "unexpected argument 'now'", "Run 'commits stats --help'."),
  ])
  func `wrong words are explained`(
    arguments: [String],
    message: String,
    advice: String
  ) async throws {
    let result = try await Program.commits(in: history.repository).run(arguments)
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
    #expect(result.errorLines == ["commits: error: \(message)", advice])
  }
}
