// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Live lists of the built program movies` {
  let home: TestHome

  init() throws {
    home = try TestHome()
  }

  func watch(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(home.program, ["watch"] + arguments, rows: 12, columns: 50)
  }

  /// The first frame that shows some lines between head and foot.
  @discardableResult
  func frame(_ terminal: PseudoTerminal, _ lines: [String]) async throws -> TerminalScreen {
    try await terminal.screen { screen in
      screen.frames > 0
        && screen.lines.dropFirst().dropLast().filter { !$0.isEmpty } == lines
    }
  }

  @Test func `a movie appears at once with dots, then with its number`() async throws {
    try await home.run("family", "add", "Ann")
    let terminal = try watch()
    let first = try await frame(terminal, ["Ann"])
    #expect(first.lines[0] == "movies" + String(repeating: " ", count: 26) + "0 movies, 1 member")

    let gate = LoopbackGate()
    let server = try ServedMovies.start(["Alpha": 31.41], gate: gate)
    let run = try home.program.start(
      ["add", "Ann", "Alpha", "--base-url", server.url.absoluteString]
    )
    let waiting = try await frame(terminal, ["Ann", "+        …  Alpha"])
    #expect(waiting.reversedLines == ["+        …  Alpha"])
    gate.open()
    try await frame(terminal, ["Ann", "~     31.4  Alpha"])
    #expect(try await run.result().status == 0)

    try await home.run("family", "add", "Ben")
    try await frame(terminal, ["Ann", "~     31.4  Alpha", "Ben"])
    terminal.type("q")
    #expect(await terminal.status() == 0)
  }

  @Test func `an imported file appears whole, with a movie under each who likes it`() async throws {
    let terminal = try watch()
    _ = try await terminal.screen { $0.frames > 0 }
    try home.write(
      """
      {"movies": [{"title": "beta", "popularity": 2, "familyMembers": ["Ben", "Ann"]},
                  {"title": "Alpha", "popularity": 1, "familyMembers": ["Ben"]}, {"title": "Gamma"}]}
      """,
      to: "in.json"
    )
    try await home.run("import", "in.json")
    try await frame(
      terminal,
      [
        "Ann", "+      2.0  beta", "Ben", "+      1.0  Alpha", "+      2.0  beta", "(nobody)",
        "+        …  Gamma",
      ]
    )
  }

  @Test func `a list by title shows the members`() async throws {
    try home.write(
      #"{"movies": [{"title": "Alpha", "popularity": 1, "familyMembers": ["Ann"]}]}"#,
      to: "1.json"
    )
    try home.write(#"{"movies": [{"title": "Alpha", "familyMembers": ["Ben"]}]}"#, to: "2.json")
    try await home.run("import", "1.json")
    let terminal = try watch("--by-title")
    try await frame(terminal, ["       1.0  Alpha  (Ann)"])
    try await home.run("import", "2.json")
    try await frame(terminal, ["~      1.0  Alpha  (Ann, Ben)"])
  }

  @Test func `a popularity that meets the condition brings its movie in`() async throws {
    try home.write(
      #"{"movies": [{"title": "Alpha", "popularity": 20}, {"title": "Beta", "popularity": 1}]}"#,
      to: "in.json"
    )
    try await home.run("import", "in.json")
    let terminal = try watch("--by-title", "--where", "popularity > 10")
    try await frame(terminal, ["      20.0  Alpha"])
    let server = try ServedMovies.start(["Alpha": 5, "Beta": 50])
    try await home.run("rate", "--all", "--base-url", server.url.absoluteString)
    // The two movies are saved one after the other, in any order.
    _ = try await terminal.screen { screen in
      screen.lines.dropFirst().dropLast().filter { !$0.isEmpty }.map { $0.dropFirst(2) }
        == ["    50.0  Beta"]
    }
  }

  @Test func `without a terminal every change is a line`() async throws {
    let pipe = try PipedProgram(home.program, ["watch"])
    #expect(try await pipe.error() == "Watching 0 movies.")
    try home.write(#"{"movies": [{"title": "Alpha", "popularity": 20}]}"#, to: "1.json")
    try await home.run("import", "1.json")
    #expect(try await pipe.line() == "+     20.0  Alpha")
    try home.write(#"{"movies": [{"title": "Alpha", "familyMembers": ["Ann"]}]}"#, to: "2.json")
    try await home.run("import", "2.json")
    #expect(try await pipe.line() == "~     20.0  Alpha  (Ann)")
  }
}
