// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A program with help pages, and what they say: to compare with its manual page and its completions.
public struct DocumentedProgram: Sendable {
  private let program: Program
  /// The program's name.
  public let name: String

  /// Takes a program.
  public init(_ program: Program) {
    self.program = program
    name = program.executable.lastPathComponent
  }

  /// The commands that the help page lists, with the words of each.
  public func commands() async throws -> [[String]] {
    let page = try await output("--help")
    return page.table("Commands").map { row in
      row.split(separator: " ").map(String.init).filter { $0 == $0.lowercased() && $0.first != "[" }
    }
  }

  /// The options that a command's help page lists: its own, then those of every command.
  public func options(of command: [String]) async throws -> [String] {
    let page = try await output(command + ["--help"])
    return (page.table("Options") + page.table("Options of every command"))
      .map { String($0.prefix { $0 != " " }) }
  }

  /// The manual page.
  public func manual() async throws -> String { try await output("man").text }

  /// What groff complains about in the manual page; empty when it is in order.
  ///
  /// - Throws: ``Failed`` when groff shows no page.
  public func manualComplaints() async throws -> String {
    let page = program.folder.appending(path: "\(name).1")
    try Data(try await manual().utf8).write(to: page)
    let result = try await Program.shell("groff", in: program.folder)
      .run("-mandoc", "-ww", "-Tascii", page.path)
    guard result.text.contains("\(name.uppercased())(1)") else {
      throw Failed(errors: result.errors)
    }
    return result.errors
  }

  /// A completer in bash with the program's script.
  public func completer() async throws -> BashCompleter {
    let script = try await output("completions", "bash").text
    return try BashCompleter(name, script: script, in: program.folder)
  }

  /// What the help pages tell, but not the manual page or the completions in bash; empty when all agree.
  ///
  /// - Throws: ``Failed`` when a page cannot be had, or there are no commands.
  public func differences() async throws -> [String] {
    let commands = try await commands()
    guard !commands.isEmpty else { throw Failed(errors: "no commands are listed") }
    let (manual, completer) = (try await manual(), try await completer())
    var differences: [String] = []
    for command in commands {
      let words = command.joined(separator: " ")
      let heading = command.count > 1 ? "\"\(words.escapedForManual)\"" : words.escapedForManual
      if !manual.contains("\n.Ss \(name) \(heading)\n") { differences.append("manual: \(words)") }
      let next = try await completer.completions(of: command.dropLast() + [""])
      if !next.contains(command[command.count - 1]) { differences.append("completion: \(words)") }
      let options = try await options(of: command)
      for option in options
      where !manual.contains("\n.It Fl \(option.dropFirst().escapedForManual)") {
        differences.append("manual: \(words) \(option)")
      }
      let offered = try await completer.completions(of: command + ["--"])
      if offered.sorted() != options.sorted() {
        differences.append("completion: \(words) offers \(offered), not \(options)")
      }
    }
    return differences
  }

  private func output(_ arguments: String...) async throws -> Page { try await output(arguments) }

  private func output(_ arguments: [String]) async throws -> Page {
    let result = try await program.run(arguments)
    guard result.status == 0, result.errors.isEmpty else { throw Failed(errors: result.errors) }
    return Page(text: result.text)
  }

  /// The program did not print a page.
  public struct Failed: Error {
    /// What it complained about.
    public let errors: String
  }
}

private struct Page {
  let text: String

  /// The terms of the table with a title: what stands in front of two spaces, in lines that are indented by two.
  func table(_ title: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0 == "\(title):" }) else { return [] }
    return lines[(start + 1)...].prefix { !$0.isEmpty }
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .map { line in
        let term = line.dropFirst(2)
        return String(term.firstRange(of: "  ").map { term[..<$0.lowerBound] } ?? term)
      }
  }
}

extension StringProtocol {
  /// The text as the manual page has it, whose dashes are no hyphens.
  fileprivate var escapedForManual: String { String(self).replacing("-", with: "\\-") }
}
