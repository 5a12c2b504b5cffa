// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The declaration of a command-line program: its commands and the options that all of them take.
///
/// ```swift
/// let tool = CommandLineTool(
///   "commits", summary: "Browse the history of a repository",
///   switches: [.flag(json)], commands: [list, show])
/// switch try tool.parse(["list", "--json"]) {
/// case .print(let text): print(text)
/// case .run(let arguments): run(arguments)
/// }
/// ```
///
/// The rules: a command's words come first among the plain words; options may stand anywhere; an
/// option of the tool may stand before the command; `--` ends the options; the last of several
/// equal options counts, unless the command takes them all.
///
/// The help pages, the manual page and the completion scripts of the shells are made of the same
/// declaration. A tool with several commands has two more to print them: `completions` and `man`.
public struct CommandLineTool: Sendable {
  /// The program's name.
  public let name: String
  /// What it does, in one sentence.
  public let summary: String
  /// What it is for, in paragraphs with an empty line between them.
  public let discussion: String
  /// The options and flags of every command.
  public let switches: [Switch]
  /// The commands, in the order of the help text.
  ///
  /// A tool with one command whose name is empty runs
  /// it without a word.
  public let commands: [Command]

  /// Command lines to begin with.
  public let examples: [Example]
  /// What else its help page tells: exit codes, environment variables, files.
  public let sections: [HelpSection]
  /// Other programs whose manual pages belong to its own.
  public let related: [String]

  /// Declares a tool.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - summary: What it does, in one sentence.
  ///   - discussion: What it is for, in paragraphs with an empty line between them.
  ///   - switches: The options and flags of every command.
  ///   - commands: The commands, in the order of the help text.
  ///   - examples: Command lines without the tool's name, and what each is for (or nothing).
  ///   - sections: What else its help page tells.
  ///   - related: Other programs whose manual pages belong to its own.
  public init(
    _ name: String,
    summary: String,
    discussion: String = "",
    switches: [Switch] = [],
    commands: [Command],
    examples: KeyValuePairs<String, String> = [:],
    sections: [HelpSection] = [],
    related: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.switches = switches
    self.commands = commands
    self.examples = Example.list(examples)
    self.sections = sections
    self.related = related
  }

  /// What a command line asks for.
  public enum Request: Sendable {
    /// Print this text, such as a help page, and end with success.
    case print(String)
    /// Run a command.
    case run(ParsedArguments)
  }

  /// Reads a command line.
  ///
  /// - Parameter arguments: The arguments, without the program's name.
  /// - Returns: What to do. No arguments at all, `--help`, `-h` and `help` ask for help.
  /// - Throws: ``CommandFailure`` with the status ``ExitCode/usage``.
  public func parse(_ arguments: [String]) throws(CommandFailure) -> Request {
    var parser = ArgumentParser(tool: self)
    return try parser.parse(arguments)
  }
}
