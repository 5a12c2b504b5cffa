// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct `Reading a command line` {
  @Test(arguments: [
    ["list", "--limit", "3"], ["list", "--limit=3"], ["list", "--limit", "9", "--limit", "3"],
    ["list", "--limit", "3", "--"],
  ])
  func `an option has its value behind a space or an equals sign`(arguments: [String]) throws {
    guard case .run(let parsed) = try SampleTool.tool.parse(arguments) else {
      Issue.record("no command")
      return
    }
    #expect(parsed.command == "list")
    #expect(parsed[SampleTool.limit] == 3)
    #expect(!parsed[SampleTool.fixes])
  }

  @Test func `an option that is given several times has all its values in their order`() throws {
    let parsed = try #require(
      try SampleTool.run("list", "--limit", "9", "--limit=3", "--limit", "9")
    )
    #expect(parsed.all(SampleTool.limit) == [9, 3, 9])
    #expect(parsed.all(SampleTool.author).isEmpty)
  }

  @Test func `options that were not given have no value`() throws {
    let parsed = try #require(try SampleTool.run("list"))
    #expect(parsed[SampleTool.limit] == nil)
    #expect(parsed[SampleTool.author] == nil)
    #expect(!parsed[SampleTool.json])
  }

  @Test func `an option of the tool may stand before and behind the command`() throws {
    let parsed = try #require(try SampleTool.run("--json", "list", "--color", "never"))
    #expect(parsed[SampleTool.json])
    #expect(parsed[SampleTool.color] == .never)
  }

  @Test func `the value after an equals sign may be anything`() throws {
    let parsed = try #require(try SampleTool.run("list", "--author=--json = x"))
    #expect(parsed[SampleTool.author] == "--json = x")
    #expect(!parsed[SampleTool.json])
  }

  @Test func `a negative number is a value`() throws {
    #expect(try SampleTool.run("list", "--limit", "-5")?[SampleTool.limit] == -5)
  }

  @Test func `a command may have several words`() throws {
    let parsed = try #require(try SampleTool.run("family", "add", "Ann", "--json", "likes films"))
    #expect(parsed.command == "family add")
    #expect(parsed[SampleTool.name] == "Ann")
    #expect(parsed[SampleTool.note] == "likes films")
  }

  @Test func `two dashes end the options`() throws {
    let parsed = try #require(try SampleTool.run("family", "add", "--", "--json", "-x"))
    #expect(parsed[SampleTool.name] == "--json")
    #expect(parsed[SampleTool.note] == "-x")
    #expect(!parsed[SampleTool.json])
  }
}

@Suite struct `Wrong command lines` {
  struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let message: String
    let advice: String

    init(_ arguments: [String], _ message: String, _ advice: String) {
      self.arguments = arguments
      self.message = message
      self.advice = advice
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let cases: [Case] = [
    Case(["lsit"], "unknown command 'lsit'", "Did you mean 'sample list'?"),
    Case(["frobnicate"], "unknown command 'frobnicate'", "Run 'sample --help'."),
    Case(["family", "ad"], "unknown command 'family ad'", "Did you mean 'sample family add'?"),
    Case(
      ["family"],
      "'sample family' needs another word",
      "Write 'sample family add' or 'sample family list'."
    ),
    Case(["--json"], "no command is given", "Run 'sample --help'."),
    Case(["list", "--fixs"], "unknown option '--fixs'", "Did you mean '--fixes'?"),
    Case(["list", "--auhtor", "x"], "unknown option '--auhtor'", "Did you mean '--author'?"),
    Case(["list", "--zzz"], "unknown option '--zzz'", "Run 'sample list --help'."),
    Case(["list", "-q"], "unknown option '-q'", "Run 'sample list --help'."),
    Case(["list", "-fixes"], "unknown option '-fixes'", "Did you mean '--fixes'?"),
    Case(
      ["--fixes", "list"],
      "'--fixes' is an option of 'sample list'",
      "Write: sample list --fixes"
    ),
    Case(
      ["--limit", "3", "list"],
      "'--limit' is an option of 'sample list'",
      "Write: sample list --limit N"
    ),
    Case(["list", "--fixes=yes"], "'--fixes' takes no value", "Write: --fixes"),
    Case(["list", "--limit"], "'--limit' needs a value", "Write: --limit N"),
    Case(
      ["list", "--author", "--json"],
      "'--author' needs a value",
      "To give a value that begins with dashes, write: --author=--json"
    ),
    Case(
      ["list", "--limit", "many"],
      "'--limit' needs a whole number, not 'many'",
      "Write: --limit N"
    ),
    Case(
      ["list", "--author="],
      "'--author' needs a value that is not empty, not ''",
      "Write: --author NAME"
    ),
    Case(
      ["list", "--color", "red"],
      "'--color' needs auto, always or never, not 'red'",
      "Write: --color auto|always|never"
    ),
    Case(["list", "more"], "unexpected argument 'more'", "Run 'sample list --help'."),
    Case(
      ["scan", ".", "film"],
      "KIND is photo or text, not 'film'",
      "Run 'sample scan --help'."
    ),
    Case(
      ["completions", "csh"],
      "SHELL is bash, zsh or fish, not 'csh'",
      "Run 'sample completions --help'."
    ),
    Case(["family", "add"], "NAME is missing: the name", "Run 'sample family add --help'."),
    Case(
      ["list", "--\u{1B}[2J"],
      "unknown option '--\\u{1B}[2J'",
      "Run 'sample list --help'."
    ),
  ]

  @Test(arguments: cases)
  func `an error says what is wrong and what to do`(wrong: Case) throws {
    let failure = try #require(throws: CommandFailure.self) {
      try SampleTool.tool.parse(wrong.arguments)
    }
    #expect(failure.message == wrong.message)
    #expect(failure.advice == wrong.advice)
    #expect(failure.status == .usage)
  }
}
