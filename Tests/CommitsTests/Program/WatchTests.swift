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
  let list: LiveList

  init() throws { list = try LiveList(store: ["--store-path", "store"]) }

  @Test func `another process's import and deletion appear by themselves, in sections`()
    async throws
  {
    try list.add("first", by: "Ben", minute: 0)
    let terminal = try list.watch()
    let empty = try await terminal.screen { $0.frames > 0 }
    #expect(empty.lines[0] == "commits" + String(repeating: " ", count: 44) + "0 commits")
    #expect(empty.lines[1] == "There are no commits yet.")

    try await list.run("import", "repository")
    _ = try await list.frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])

    try list.add("second", by: "Ann", minute: 1)
    try await list.run("import", "repository")
    let second = try await list.frame(
      terminal,
      ["Ann", "+ 2016-01-27 04:47  second", "Ben", "  2016-01-27 04:46  first"]
    )
    #expect(second.reversedLines.count == 1)
    #expect(second.reversedLines.first?.hasSuffix("second") == true)
    #expect(second.lines[0].hasSuffix("2 commits"))

    let sha = try list.repository.run(["rev-parse", "HEAD"]).trimmed
    try await list.run("delete", sha)
    _ = try await list.frame(terminal, ["Ben", "  2016-01-27 04:46  first"])

    terminal.type("q")
    #expect(await terminal.status() == 0)
    let last = try await terminal.screen { !$0.isAlternate }
    #expect(last.showsCursor)
  }

  @Test func `a list by date has no sections and shows the authors`() async throws {
    try list.add("first", by: "Ben", minute: 0)
    try await list.run("import", "repository")
    let terminal = try list.watch("--by-date")
    _ = try await list.frame(terminal, ["  2016-01-27 04:46  Ben                   first"])
    try list.add("second", by: "Ann", minute: 1)
    try await list.run("import", "repository")
    _ = try await list.frame(
      terminal,
      [
        "+ 2016-01-27 04:47  Ann                   second",
        "  2016-01-27 04:46  Ben                   first",
      ]
    )
  }

  @Test func `conditions hold for what comes later, too`() async throws {
    try list.add("a fix", by: "Ben", minute: 0)
    try await list.run("import", "repository")
    let terminal = try list.watch("--fixes")
    _ = try await list.frame(terminal, ["Ben", "  2016-01-27 04:46  a fix"])
    try list.add("other", by: "Ben", minute: 1)
    try list.add("one more fix", by: "Ben", minute: 2)
    try await list.run("import", "repository")
    _ = try await list.frame(
      terminal,
      ["Ben", "+ 2016-01-27 04:48  one more fix", "  2016-01-27 04:46  a fix"]
    )
  }

  @Test func `the list scrolls and follows the terminal's size`() async throws {
    try list.repository.add(
      (0..<20).map { TestCommit("number \($0)", date: 1_453_837_560 + $0 * 60) }
    )
    try await list.run("import", "repository")
    let terminal = try list.watch("--by-date", rows: 6, columns: 70)
    func messages(_ screen: TerminalScreen) -> [String] {
      LiveList.content(of: screen).compactMap { $0.split(separator: " ").last.map(String.init) }
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
    try list.repository.add(people)
    try await list.run("import", "repository")
    let terminal = try list.watch(rows: 8)
    _ = try await terminal.screen { $0.frames > 0 && $0.lines[1] == "Person 10" }
    try list.add("new", by: "Person 25", minute: 5)
    try await list.run("import", "repository")
    let screen = try await terminal.screen { !$0.reversedLines.isEmpty }
    #expect(screen.lines.contains("Person 25"))
    #expect(screen.reversedLines.first?.hasSuffix("new") == true)
  }

  @Test(arguments: ["\u{3}", nil]) func `Ctrl-C ends the list and gives the terminal back`(
    key: String?
  ) async throws {
    let terminal = try list.watch()
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
    let terminal = try list.watch("--color", "never")
    _ = try await terminal.screen { $0.frames > 0 }
    try list.add("first", by: "Ben", minute: 0)
    try await list.run("import", "repository")
    let screen = try await list.frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    #expect(screen.reversedLines.isEmpty)
    #expect(!screen.hasColors)
  }

  @Test func `a checkout's new commits appear by themselves`() async throws {
    try list.add("first", by: "Ben", minute: 0)
    let terminal = try list.watch("--import", "repository")
    _ = try await list.frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    try list.add("second", by: "Ben", minute: 1)
    _ = try await list.frame(
      terminal,
      ["Ben", "+ 2016-01-27 04:47  second", "  2016-01-27 04:46  first"]
    )
  }

  @Test func `a checkout that cannot be read is told, and the list goes on`() async throws {
    try list.add("first", by: "Ben", minute: 0)
    let terminal = try list.watch("--import", "repository")
    _ = try await list.frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    let objects = list.repository.folder.appendingPathComponent(".git/objects")
    let aside = list.repository.root.appendingPathComponent("aside")
    try FileManager.default.moveItem(at: objects, to: aside)
    let broken = try await terminal.screen { !$0.lines[0].hasSuffix("1 commit") }
    #expect(broken.lines[0].hasSuffix("'repository' is not in a git repository"))
    #expect(broken.lines[1] == "Ben")
    try FileManager.default.moveItem(at: aside, to: objects)
    _ = try await terminal.screen { $0.lines[0].hasSuffix("1 commit") }
    let missing = try await list.program.run(
      "watch",
      "--import",
      "missing",
      "--store-path",
      "store"
    )
    #expect(missing.status == 1)
    #expect(missing.errorLines.first == "commits: error: there is no folder 'missing'")
  }

  @Test func `a terminal that can do nothing gets lines`() async throws {
    var program = list.program
    program.environment["TERM"] = "dumb"
    let terminal = try PseudoTerminal(program, ["watch", "--store-path", "store"], columns: 70)
    _ = try await terminal.screen { $0.text == ["Watching 0 commits."] }
    try list.add("first", by: "Ben", minute: 0)
    try await list.run("import", "repository")
    let screen = try await terminal.screen { $0.text.count == 2 }
    #expect(screen.text[1].hasPrefix("+ "))
    #expect(screen.text[1].hasSuffix("  2016-01-27 04:46  Ben                   first"))
    #expect(!screen.isAlternate)
  }

  @Test func `without a terminal every change is a line`() async throws {
    try list.add("first", by: "Ben", minute: 0)
    try await list.run("import", "repository")
    let pipe = try PipedProgram(list.program, ["watch", "--json", "--store-path", "store"])
    #expect(try await pipe.error() == "Watching 1 commit.")
    try list.add("second", by: "Ann", minute: 1)
    try await list.run("import", "repository")
    struct Line: Decodable {
      var event: String
      var row: ListedCommit
    }
    let line = try JSONDecoder().decode(Line.self, from: Data(try await pipe.line().utf8))
    #expect(line.event == "insert")
    #expect(line.row.message == "second")
    try await list.run("delete", line.row.sha)
    let gone = try JSONDecoder().decode(Line.self, from: Data(try await pipe.line().utf8))
    #expect(gone.event == "delete")
    #expect(gone.row == line.row)
    kill(pipe.process.processIdentifier, SIGINT)
    #expect(await pipe.status() == 2)
  }

  @Test func `a wrong condition leaves no store behind`() async throws {
    for format in ["message CONTAINZ 'a'", "mesage == 'x'"] {
      let result = try await list.program.run("watch", "--where", format, "--store-path", "store")
      #expect(result.status == 64)
      let store = list.repository.root.appending(path: "store")
      #expect(!FileManager.default.fileExists(atPath: store.path))
    }
    let memory = try await list.program.run("watch", "--store", "memory")
    #expect(memory.status == 64)
  }
}
