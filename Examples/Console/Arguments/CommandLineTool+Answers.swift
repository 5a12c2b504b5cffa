// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

// The commands that every tool with several commands has beside its own.
extension CommandLineTool {
  /// The tool's own commands and those that print what is made of their declaration.
  var allCommands: [Command] {
    commands.contains { $0.name.isEmpty } ? commands : commands + [completions, manual]
  }

  /// The text that a command line asks for, nil when it is for a command of the tool's own.
  func answer(to arguments: ParsedArguments) -> String? {
    if commands.contains(where: { $0.name == arguments.command }) { return nil }
    guard let shell = arguments[Self.shell].flatMap(Shell.init(rawValue:)) else {
      return ManualPage(self, date: Self.manualDate(ProcessInfo.processInfo.environment)).text
    }
    return completionScript(for: shell)
  }

  private static let shell = Positional(
    "SHELL",
    help: Shell.allCases.map(\.rawValue).alternatives,
    completion: .words(Shell.allCases.map(\.rawValue))
  )

  private var completions: Command {
    Command(
      "completions",
      summary: "Print a script that completes command lines in a shell",
      discussion: """
        The Tab key then completes commands, options, the values of options that have only some, and \
        the names of files. bash and zsh read the script when they start, fish finds it by its name.
        """,
      positionals: [Self.shell],
      examples: [
        "completions bash > ~/.local/share/bash-completion/completions/\(name)":
          "bash with the package bash-completion; without it, source the script in ~/.bashrc",
        "completions zsh > ~/.zfunc/_\(name)":
          "zsh, with 'fpath+=~/.zfunc' before 'autoload -Uz compinit && compinit' in ~/.zshrc",
        "completions fish > ~/.config/fish/completions/\(name).fish": "fish",
      ]
    )
  }

  private var manual: Command {
    Command(
      "man",
      summary: "Print the manual page",
      discussion: """
        For man(1), in the macros of mdoc(7). Its date is today's, or that of SOURCE_DATE_EPOCH.
        """,
      examples: [
        "man | man -l -": "read it (man of Linux)",
        "man > ~/.local/share/man/man1/\(name).1": "keep it",
      ]
    )
  }

  /// The date that the manual page has: now, or what reproducible builds set.
  static func manualDate(_ environment: [String: String]) -> Date {
    environment["SOURCE_DATE_EPOCH"].flatMap { Int($0) }
      .map { Date(timeIntervalSince1970: Double($0)) } ?? Date()
  }
}
