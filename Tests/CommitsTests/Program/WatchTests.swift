// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import DemoHistory
import Foundation
import ProgramTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite(.timeLimit(.minutes(30))) struct `Live lists of the built program` {
  let repository: TestRepository
  let program: Program

  init() throws {
    repository = try TestRepository()
    var program = Program.commits(in: repository)
    program.environment["TERM"] = "xterm"
    program.environment["NO_COLOR"] = nil
    self.program = program
  }

  func watch(
    _ arguments: String...,
    rows: Int = 12,
    columns: Int = 60
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      program,
      ["watch", "--store-path", "store"] + arguments,
      rows: rows,
      columns: columns
    )
  }

  func run(_ arguments: String...) async throws {
    let result = try await program.run(arguments + ["--store-path", "store"])
    try #require(result.status == 0, "\(result.errors)")
  }

  func add(_ message: String, by name: String, minute: Int) throws {
    var commit = TestCommit(
      message,
      person: "\(name) <x@example.org>",
      date: 1_453_837_560 + minute * 60
    )
    commit.continuesMain = minute > 0
    try repository.add([commit])
  }

  /// The first frame of a live list that shows some lines between head and foot.
  func frame(
    _ terminal: PseudoTerminal,
    _ lines: [String]
  ) async throws -> TerminalScreen {
    let screen = try await terminal.screen { screen in
      screen.frames > 0 && Self.content(of: screen) == lines
    }
    #expect(screen.isAlternate)
    #expect(!screen.showsCursor)
    return screen
  }

  /// The lines between head and foot, without ids, which depend on git, and without empty ones.
  static func content(of screen: TerminalScreen) -> [String] {
    screen.lines.dropFirst().dropLast().filter { !$0.isEmpty }.map { line in
      guard let date = line.firstRange(of: "2016-01-27") else { return line }
      return String(line.prefix(2) + line[date.lowerBound...])
    }
  }

  @Test func `another process's import and deletion appear by themselves, in sections`()
    async throws
  {
    try add("first", by: "Ben", minute: 0)
    let terminal = try watch()
    let empty = try await terminal.screen { $0.frames > 0 }
    #expect(empty.lines[0] == "commits" + String(repeating: " ", count: 44) + "0 commits")
    #expect(empty.lines[1] == "There are no commits yet.")

    try await run("import", "repository")
    _ = try await frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])

    try add("second", by: "Ann", minute: 1)
    try await run("import", "repository")
    let second = try await frame(
      terminal,
      ["Ann", "+ 2016-01-27 04:47  second", "Ben", "  2016-01-27 04:46  first"]
    )
    #expect(second.reversedLines.count == 1)
    #expect(second.reversedLines.first?.hasSuffix("second") == true)
    #expect(second.lines[0].hasSuffix("2 commits"))

    let sha = try repository.run(["rev-parse", "HEAD"]).trimmed
    try await run("delete", sha)
    _ = try await frame(terminal, ["Ben", "  2016-01-27 04:46  first"])

    terminal.type("q")
    #expect(await terminal.status() == 0)
    let last = try await terminal.screen { !$0.isAlternate }
    #expect(last.showsCursor)
  }

  @Test func `a list by date has no sections and shows the authors`() async throws {
    try add("first", by: "Ben", minute: 0)
    try await run("import", "repository")
    let terminal = try watch("--by-date")
    _ = try await frame(terminal, ["  2016-01-27 04:46  Ben                   first"])
    try add("second", by: "Ann", minute: 1)
    try await run("import", "repository")
    _ = try await frame(
      terminal,
      [
        "+ 2016-01-27 04:47  Ann                   second",
        "  2016-01-27 04:46  Ben                   first",
      ]
    )
  }

  @Test func `conditions hold for what comes later, too`() async throws {
    try add("a fix", by: "Ben", minute: 0)
    try await run("import", "repository")
    let terminal = try watch("--fixes")
    _ = try await frame(terminal, ["Ben", "  2016-01-27 04:46  a fix"])
    try add("other", by: "Ben", minute: 1)
    try add("one more fix", by: "Ben", minute: 2)
    try await run("import", "repository")
    _ = try await frame(
      terminal,
      ["Ben", "+ 2016-01-27 04:48  one more fix", "  2016-01-27 04:46  a fix"]
    )
  }

  @Test func `the list scrolls and follows the terminal's size`() async throws {
    try repository.add(
      (0..<20).map { TestCommit("number \($0)", date: 1_453_837_560 + $0 * 60) }
    )
    try await run("import", "repository")
    let terminal = try watch("--by-date", rows: 6, columns: 70)
    func messages(_ screen: TerminalScreen) -> [String] {
      Self.content(of: screen).compactMap { $0.split(separator: " ").last.map(String.init) }
    }
    let first = try await terminal.screen { $0.frames > 0 }
    #expect(messages(first) == ["19", "18", "17", "16"])
    #expect(first.lines.last == "q quit  ↑ ↓ scroll  16 lines below")
    terminal.type("jj\u{1B}[A")
    _ = try await terminal.screen { messages($0) == ["18", "17", "16", "15"] }
    terminal.type("G")
    let last = try await terminal.screen { messages($0) == ["3", "2", "1", "0"] }
    #expect(last.lines.last == "q quit  ↑ ↓ scroll")
    terminal.resize(rows: 9, columns: 60)
    let resized = try await terminal.screen { messages($0).count == 7 }
    #expect(messages(resized) == ["6", "5", "4", "3", "2", "1", "0"])
    #expect(resized.lines.count == 9)
  }

  @Test func `a change out of sight is brought into the window`() async throws {
    let people = (10..<30).map { number in
      TestCommit("old", person: "Person \(number) <x@example.org>")
    }
    try repository.add(people)
    try await run("import", "repository")
    let terminal = try watch(rows: 8)
    _ = try await terminal.screen { $0.frames > 0 && $0.lines[1] == "Person 10" }
    try add("new", by: "Person 25", minute: 5)
    try await run("import", "repository")
    let screen = try await terminal.screen { !$0.reversedLines.isEmpty }
    #expect(screen.lines.contains("Person 25"))
    #expect(screen.reversedLines.first?.hasSuffix("new") == true)
  }

  @Test(arguments: ["\u{3}", nil]) func `Ctrl-C ends the list and gives the terminal back`(
    key: String?
  ) async throws {
    let terminal = try watch()
    _ = try await terminal.screen { $0.frames > 0 }
    #expect(terminal.isRaw)
    if let key {
      terminal.type(key)
    } else {
      kill(terminal.process.processIdentifier, SIGTERM)
    }
    #expect(await terminal.status() == 2)
    let last = try await terminal.screen { $0.text == ["commits: cancelled"] }
    #expect(!last.isAlternate)
    #expect(last.showsCursor)
  }

  @Test func `without colours changes are still marked`() async throws {
    let terminal = try watch("--color", "never")
    _ = try await terminal.screen { $0.frames > 0 }
    try add("first", by: "Ben", minute: 0)
    try await run("import", "repository")
    let screen = try await frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    #expect(screen.reversedLines.isEmpty)
    #expect(!screen.hasColors)
  }

  @Test func `a checkout's new commits appear by themselves`() async throws {
    try add("first", by: "Ben", minute: 0)
    let terminal = try watch("--import", "repository")
    _ = try await frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    try add("second", by: "Ben", minute: 1)
    _ = try await frame(
      terminal,
      ["Ben", "+ 2016-01-27 04:47  second", "  2016-01-27 04:46  first"]
    )
  }

  @Test func `a checkout that cannot be read is told, and the list goes on`() async throws {
    try add("first", by: "Ben", minute: 0)
    let terminal = try watch("--import", "repository")
    _ = try await frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    let objects = repository.folder.appendingPathComponent(".git/objects")
    let aside = repository.root.appendingPathComponent("aside")
    try FileManager.default.moveItem(at: objects, to: aside)
    let broken = try await terminal.screen { !$0.lines[0].hasSuffix("1 commit") }
    #expect(broken.lines[0].hasSuffix("'repository' is not in a git repository"))
    #expect(broken.lines[1] == "Ben")
    try FileManager.default.moveItem(at: aside, to: objects)
    _ = try await terminal.screen { $0.lines[0].hasSuffix("1 commit") }
    let missing = try await program.run("watch", "--import", "missing", "--store-path", "store")
    #expect(missing.status == 1)
    #expect(missing.errorLines.first == "commits: error: there is no folder 'missing'")
  }

  @Test func `a terminal that can do nothing gets lines`() async throws {
    var program = program
    program.environment["TERM"] = "dumb"
    let terminal = try PseudoTerminal(program, ["watch", "--store-path", "store"], columns: 70)
    _ = try await terminal.screen { $0.text == ["Watching 0 commits."] }
    try add("first", by: "Ben", minute: 0)
    try await run("import", "repository")
    let screen = try await terminal.screen { $0.text.count == 2 }
    #expect(screen.text[1].hasPrefix("+ "))
    #expect(screen.text[1].hasSuffix("  2016-01-27 04:46  Ben                   first"))
    #expect(!screen.isAlternate)
  }

  @Test func `without a terminal every change is a line`() async throws {
    try add("first", by: "Ben", minute: 0)
    try await run("import", "repository")
    let pipe = try PipedProgram(program, ["watch", "--json", "--store-path", "store"])
    #expect(try await pipe.error() == "Watching 1 commit.")
    try add("second", by: "Ann", minute: 1)
    try await run("import", "repository")
    struct Line: Decodable {
      var event: String
      var row: ListedCommit
    }
    let line = try JSONDecoder().decode(Line.self, from: Data(try await pipe.line().utf8))
    #expect(line.event == "insert")
    #expect(line.row.message == "second")
    try await run("delete", line.row.sha)
    let gone = try JSONDecoder().decode(Line.self, from: Data(try await pipe.line().utf8))
    #expect(gone.event == "delete")
    #expect(gone.row == line.row)
    kill(pipe.process.processIdentifier, SIGINT)
    #expect(await pipe.status() == 2)
  }

  @Test func `another process's changes of a JSON store appear by themselves`() async throws {
    let store = ["--store", "json", "--store-path", "store.json"]
    func run(_ arguments: String...) async throws {
      let result = try await program.run(arguments + store)
      try #require(result.status == 0, "\(result.errors)")
    }
    let terminal = try PseudoTerminal(program, ["watch"] + store, rows: 12, columns: 60)
    _ = try await terminal.screen { $0.frames > 0 }
    try add("first", by: "Ben", minute: 0)
    try await run("import", "repository")
    _ = try await frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    try add("second", by: "Ann", minute: 1)
    try await run("import", "repository")
    _ = try await frame(
      terminal,
      ["Ann", "+ 2016-01-27 04:47  second", "Ben", "  2016-01-27 04:46  first"]
    )
    let sha = try repository.run(["rev-parse", "HEAD"]).trimmed
    try await run("delete", sha)
    _ = try await frame(terminal, ["Ben", "  2016-01-27 04:46  first"])
    terminal.type("q")
    #expect(await terminal.status() == 0)
  }

  @Test func `a wrong condition leaves no store behind`() async throws {
    for format in ["message CONTAINZ 'a'", "mesage == 'x'"] {
      let result = try await program.run("watch", "--where", format, "--store-path", "store")
      #expect(result.status == 64)
    }
    let memory = try await program.run("watch", "--store", "memory")
    #expect(memory.status == 64)
  }
}
