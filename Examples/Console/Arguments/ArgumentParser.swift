// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Reads one command line from left to right.
///
/// Invariants:
/// 1. Until a command is known, `words` holds only words that begin some command's name.
/// 2. Once it is known, `words` holds only positional arguments.
/// 3. Every value in `result` was accepted by its option.
struct ArgumentParser {
  let tool: CommandLineTool
  private var command: Command?
  private var words: [String] = []
  private var result = ParsedArguments(command: "")
  private var asksForHelp = false

  init(tool: CommandLineTool) {
    self.tool = tool
    self.command = tool.commands.first { $0.name.isEmpty }
  }

  mutating func parse(
    _ arguments: [String]
  ) throws(CommandFailure) -> CommandLineTool.Request {
    var remaining = arguments[...]
    if remaining.first == "help", command == nil {
      asksForHelp = true
      remaining.removeFirst()
    }
    while let argument = remaining.popFirst() {
      switch argument {
      case "--":
        for word in remaining { try take(word: word) }
        remaining = []
      case "--help", "-h":
        asksForHelp = true
      case _ where argument.hasPrefix("--"):
        try take(option: argument, from: &remaining)
      case _ where argument.hasPrefix("-") && argument.count > 1 && !argument.isNumber:
        throw .unknownOption(argument, known: knownSwitches, program: program)
      default:
        try take(word: argument)
      }
    }
    if asksForHelp { return .print(helpText) }
    return try finish(isEmpty: arguments.isEmpty)
  }

  private mutating func take(
    option argument: String,
    from remaining: inout ArraySlice<String>
  ) throws(CommandFailure) {
    let parts = argument.dropFirst(2).split(
      separator: "=",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let name = String(parts[0])
    guard let found = knownSwitches.first(where: { $0.name == name }) else {
      for owner in tool.commands {
        guard let option = owner.switches.first(where: { $0.name == name }) else { continue }
        throw .misplacedOption(option, command: owner.name, program: tool.name)
      }
      throw .unknownOption("--\(name)", known: knownSwitches, program: program)
    }
    guard found.placeholder != nil else {
      if parts.count == 2 { throw .unexpectedValue(found) }
      result.flags.insert(name)
      return
    }
    let value = try value(of: found, inline: parts.count == 2 ? parts[1] : nil, from: &remaining)
    guard found.isValid(value) else { throw .invalidValue(found, value: value) }
    result.values[name] = value
    result.allValues[name, default: []].append(value)
  }

  /// The text after `=`, or the next argument unless that looks like an option itself.
  private func value(
    of option: Switch,
    inline: Substring?,
    from remaining: inout ArraySlice<String>
  ) throws(CommandFailure) -> String {
    if let inline { return String(inline) }
    guard let next = remaining.first, !next.hasPrefix("--") else {
      throw .missingValue(option, next: remaining.first)
    }
    remaining.removeFirst()
    return next
  }

  private mutating func take(word: String) throws(CommandFailure) {
    words.append(word)
    guard command == nil else { return }
    if let found = tool.allCommands.first(where: { $0.words == words }) {
      command = found
      words = []
    } else if !tool.allCommands.contains(where: { $0.words.starts(with: words) }) {
      throw .unknownCommand(words, tool: tool)
    }
  }

  private mutating func finish(
    isEmpty: Bool
  ) throws(CommandFailure) -> CommandLineTool.Request {
    guard let command else {
      if isEmpty { return .print(helpText) }
      throw .missingCommand(after: words, tool: tool)
    }
    if words.count > command.positionals.count {
      throw .unexpectedArgument(words[command.positionals.count], program: program)
    }
    for (index, positional) in command.positionals.enumerated() {
      if index < words.count {
        guard positional.isValid(words[index]) else {
          throw .invalidArgument(positional, word: words[index], program: program)
        }
        result.words[positional.name] = words[index]
      } else if !positional.isOptional {
        throw .missingArgument(positional, program: program)
      }
    }
    result.command = command.name
    return tool.answer(to: result).map { .print($0) } ?? .run(result)
  }

  private var knownSwitches: [Switch] { (command?.switches ?? []) + tool.switches }

  private var program: String {
    guard let command, !command.name.isEmpty else { return tool.name }
    return "\(tool.name) \(command.name)"
  }

  private var helpText: String {
    guard let command else { return tool.helpText(under: words) }
    return tool.helpText(for: command)
  }
}

extension String {
  /// Whether the text is a number, which is no option although it may begin with a dash.
  fileprivate var isNumber: Bool { Double(self) != nil }
}
