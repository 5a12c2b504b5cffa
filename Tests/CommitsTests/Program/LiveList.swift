// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import DemoHistory
import Foundation
import ProgramTesting
import Testing

/// A live list of the built program, a repository, and other processes that import it.
struct LiveList {
  let repository: TestRepository
  let program: Program
  /// The arguments that name the store.
  let store: [String]

  init(store: [String]) throws {
    self.store = store
    repository = try TestRepository()
    var program = Program.commits(in: repository)
    program.environment["TERM"] = "xterm"
    program.environment["NO_COLOR"] = nil
    self.program = program
  }

  /// A list on a terminal.
  func watch(
    _ arguments: String...,
    rows: Int = 12,
    columns: Int = 60
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      program,
      ["watch"] + store + arguments,
      rows: rows,
      columns: columns
    )
  }

  /// Runs another process on the store.
  func run(_ arguments: String...) async throws {
    let result = try await program.run(arguments + store)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Adds a commit to the repository.
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
}
