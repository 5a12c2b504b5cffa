// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct `The program movies in a terminal` {
  let home: TestHome

  init() async throws {
    home = try TestHome()
    try await home.run("family", "add", "Ann")
  }

  @Test func `a movie's row shows dots, then its number in the same place`() async throws {
    let gate = LoopbackGate()
    let server = try ServedMovies.start(["Alpha": 2], gate: gate)
    let terminal = try PseudoTerminal(
      home.program,
      ["add", "Ann", "Alpha", "--base-url", server.url.absoluteString]
    )
    gate.whenReached {
      // Else the dots and the number may be read at once.
      while terminal.current.text.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
      gate.open()
    }
    let waiting = try await terminal.screen { !$0.text.isEmpty }
    #expect(waiting.text == ["       …  Alpha  (Ann)"])
    let rated = try await terminal.screen { $0.text.first?.contains("2.0") == true }
    #expect(rated.text == ["     2.0  Alpha  (Ann)"])
    #expect(await terminal.status() == 0)
  }

  @Test func `a terminal that can do nothing shows a movie's row once, without control sequences`()
    async throws
  {
    let server = try ServedMovies.start(["Alpha": 2])
    var program = home.program
    program.environment["TERM"] = "dumb"
    let terminal = try PseudoTerminal(
      program,
      ["add", "Ann", "Alpha", "--base-url", server.url.absoluteString]
    )
    let rated = try await terminal.screen { $0.text.first?.contains("2.0") == true }
    #expect(rated.text == ["     2.0  Alpha  (Ann)"])
    #expect(!rated.hasSequences)
    #expect(await terminal.status() == 0)
  }

  @Test func `rate shows a bar while it works, and its result alone at the end`() async throws {
    try home.write(
      #"{"movies": [{"title": "A"}, {"title": "B"}, {"title": "C"}, {"title": "D"}]}"#,
      to: "in.json"
    )
    try await home.run("import", "in.json")
    let gate = LoopbackGate()
    let server = try LoopbackServer { request in
      let answer = LoopbackAnswer(text: #"{"results": [{"popularity": 5}]}"#)
      return request[query: "query"] == "A" ? answer : answer.held(by: gate)
    }
    let terminal = try PseudoTerminal(
      home.program,
      ["rate", "--all", "--base-url", server.url.absoluteString]
    )
    let bar = "[#######-----------------------]  1/4"
    _ = try await terminal.screen { $0.text == [bar] }
    gate.open()
    #expect(await terminal.status() == 0)
    let last = try await terminal.screen { $0.text.contains { $0.hasSuffix("rated") } }
    #expect(last.text == ["4 movies rated"])
  }

  /// Variables to set, further arguments, and whether the output has colours.
  static let colors: [([String: String], [String], Bool)] = [
    ([:], [], true), (["NO_COLOR": "1"], [], false), (["NO_COLOR": ""], [], true),
    (["TERM": "dumb"], [], false), ([:], ["--color", "never"], false),
    (["NO_COLOR": "1"], ["--color", "always"], true),
  ]

  @Test(arguments: colors.indices) func `colours follow the rules`(index: Int) async throws {
    let (variables, arguments, hasColors) = Self.colors[index]
    var program = home.program
    program.environment.merge(variables) { $1 }
    let terminal = try PseudoTerminal(program, ["family", "list"] + arguments)
    _ = try await terminal.screen { $0.text == ["Ann  0 movies"] }
    #expect(await terminal.status() == 0)
    #expect(terminal.current.hasColors == hasColors)
  }

  @Test func `a pipe gets no colours unless they are asked for`() async throws {
    #expect(try await home.run("family", "list").text == "Ann  0 movies\n")
    let colored = try await home.run("family", "list", "--color", "always")
    #expect(colored.text == "\u{1B}[36mAnn\u{1B}[0m  \u{1B}[2m0 movies\u{1B}[0m\n")
  }

  @Test func `a list is cut to the width of the terminal`() async throws {
    let title = String(repeating: "long ", count: 30)
    try home.write("{\"movies\": [{\"title\": \"\(title)\"}]}", to: "in.json")
    try await home.run("import", "in.json")
    let terminal = try PseudoTerminal(home.program, ["list"], columns: 40)
    let screen = try await terminal.screen { !$0.text.isEmpty }
    #expect(screen.text.count == 1)
    #expect(screen.text.first?.hasSuffix("…") == true)
  }
}
