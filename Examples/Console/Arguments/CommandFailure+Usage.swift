// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Every text that a wrong command line can cause.
extension CommandFailure {
  static func unknownOption(_ name: String, known: [Switch], program: String) -> Self {
    let bare = String(name.drop { $0 == "-" })
    let suggestion = Suggestion.closest(to: bare, in: known.map(\.name))
    return usage(
      "unknown option '\(name.escapedForTerminal)'",
      suggestion.map { "Did you mean '--\($0)'?" } ?? seeHelp(program)
    )
  }

  static func misplacedOption(_ option: Switch, command: String, program: String) -> Self {
    usage(
      "'--\(option.name)' is an option of '\(program) \(command)'",
      "Write: \(program) \(command) \(option.usage)"
    )
  }

  static func unexpectedValue(_ flag: Switch) -> Self {
    usage("'--\(flag.name)' takes no value", "Write: --\(flag.name)")
  }

  static func missingValue(_ option: Switch, next: String?) -> Self {
    let advice =
      next.map { "To give a value that begins with dashes, write: --\(option.name)=\($0)" }
      ?? "Write: \(option.usage)"
    return usage("'--\(option.name)' needs a value", advice.escapedForTerminal)
  }

  static func invalidValue(_ option: Switch, value: String) -> Self {
    usage(
      "'--\(option.name)' needs \(option.expects), not '\(value.escapedForTerminal)'",
      "Write: \(option.usage)"
    )
  }

  static func unknownCommand(_ words: [String], tool: CommandLineTool) -> Self {
    let typed = words.joined(separator: " ")
    let suggestion = Suggestion.closest(to: typed, in: tool.allCommands.map(\.name))
    return usage(
      "unknown command '\(typed.escapedForTerminal)'",
      suggestion.map { "Did you mean '\(tool.name) \($0)'?" } ?? seeHelp(tool.name)
    )
  }

  static func missingCommand(after words: [String], tool: CommandLineTool) -> Self {
    guard !words.isEmpty else { return usage("no command is given", seeHelp(tool.name)) }
    let next = tool.allCommands.filter { $0.words.starts(with: words) }
      .compactMap { $0.words.dropFirst(words.count).first }
    let typed = words.joined(separator: " ")
    return usage(
      "'\(tool.name) \(typed)' needs another word",
      "Write \(next.map { "'\(tool.name) \(typed) \($0)'" }.alternatives)."
    )
  }

  static func unexpectedArgument(_ word: String, program: String) -> Self {
    usage("unexpected argument '\(word.escapedForTerminal)'", seeHelp(program))
  }

  static func missingArgument(_ positional: Positional, program: String) -> Self {
    usage("\(positional.name) is missing: \(positional.help)", seeHelp(program))
  }

  static func invalidArgument(_ positional: Positional, word: String, program: String) -> Self {
    usage(
      "\(positional.name) is \(positional.help), not '\(word.escapedForTerminal)'",
      seeHelp(program)
    )
  }

  /// A failure with the status ``ExitCode/usage``.
  public static func usage(_ message: String, _ advice: String) -> Self {
    CommandFailure(message, advice: advice, status: .usage)
  }

  private static func seeHelp(_ program: String) -> String { "Run '\(program) --help'." }
}

extension [String] {
  /// The elements as a list that ends with "or": `a, b or c`.
  var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
