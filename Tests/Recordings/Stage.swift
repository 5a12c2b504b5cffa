// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting

/// A line of a terminal: parts in one style each.
typealias Line = [TerminalScreen.Run]

/// What is shown for a while.
struct Frame {
  var lines: [Line]
  var seconds: Double
}

/// A home with a terminal, in which programs run, and all that it has shown.
final class Stage {
  static let columns = 80
  static let rows = 21
  /// The style of the prompt, which no program uses.
  static let promptStyle = "prompt"

  let folder: URL
  private(set) var frames: [Frame] = []
  /// What was printed, also what is above the first line by now.
  private var lines: [Line] = []

  /// Makes a home in a temporary folder.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "recording-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A program in the home, without the settings of whoever makes the recording.
  func program(_ name: String) -> Program {
    .built(
      name,
      in: folder,
      environment: [
        "HOME": folder.path, "XDG_DATA_HOME": folder.path, "TERM": "xterm-256color", "TZ": "UTC",
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      ]
    )
  }

  /// Shows a command line, runs it, and shows what it prints.
  ///
  /// - Parameters:
  ///   - name: The program.
  ///   - arguments: Its arguments.
  ///   - seconds: How long the output is shown.
  /// - Throws: ``Failed`` when it ends with anything but 0.
  func run(_ name: String, _ arguments: [String], seconds: Double) async throws {
    show(command: name, arguments)
    let terminal = try PseudoTerminal(
      program(name),
      arguments,
      rows: 200,
      columns: Self.columns
    )
    // Nothing is ever as wanted, so this is the end of the output.
    _ = try? await terminal.screen { _ in false }
    guard await terminal.status() == 0 else {
      throw Failed(output: terminal.current.text.joined(separator: "\n"))
    }
    lines += terminal.current.runs.trimmed + [[]]
    show(lines, seconds: seconds)
  }

  /// Shows a command line, and then each screen of a program that takes the whole terminal.
  ///
  /// - Parameters:
  ///   - name: The program.
  ///   - arguments: Its arguments.
  ///   - body: Says which screens.
  /// - Throws: What `body` throws.
  func watch(
    _ name: String,
    _ arguments: [String],
    _ body: (PseudoTerminal) async throws -> Void
  ) async throws {
    show(command: name, arguments)
    let terminal = try PseudoTerminal(
      program(name),
      arguments,
      rows: Self.rows - 2,
      columns: Self.columns
    )
    try await body(terminal)
    terminal.type("q")
    _ = await terminal.status()
  }

  /// Shows a screen that takes the whole terminal.
  ///
  /// - Parameters:
  ///   - screen: What is shown.
  ///   - command: What was run in another terminal meanwhile, told below the screen; nil for nothing.
  ///   - seconds: How long it is shown.
  func show(_ screen: TerminalScreen, besides command: String? = nil, seconds: Double) {
    let note = command.map { "in another terminal:  $ \($0)" }
    let line = note.map { [TerminalScreen.Run($0, style: Self.promptStyle)] } ?? []
    show(screen.runs + [[], line], seconds: seconds)
  }

  private func show(command name: String, _ arguments: [String]) {
    lines.append(
      [
        TerminalScreen.Run("$ ", style: Self.promptStyle),
        TerminalScreen.Run(([name] + arguments.map(\.quoted)).joined(separator: " ")),
      ]
    )
    show(lines, seconds: 1)
  }

  private func show(_ lines: [Line], seconds: Double) {
    frames.append(Frame(lines: lines.suffix(Self.rows).trimmed, seconds: seconds))
  }

  /// A program of the recording failed.
  struct Failed: Error {
    let output: String
  }
}

extension Collection<Line> {
  /// The lines without empty ones at the end.
  fileprivate var trimmed: [Line] {
    var lines = Array(self)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

extension String {
  /// The text as a person would type it as one word of a command line.
  fileprivate var quoted: String {
    contains { " '\"$<>&|*()".contains($0) } ? contains("'") ? "\"\(self)\"" : "'\(self)'" : self
  }
}
