// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The declaration of a command-line program: its commands and the options that all of them take.
///
/// ```swift
/// let tool = CommandLineTool(
///   "commits", summary: "Browse the history of a repository",
///   switches: [.flag(json)], commands: [list, show])
/// switch try tool.parse(["list", "--json"]) {
/// case .help(let text): print(text)
/// case .run(let arguments): run(arguments)
/// }
/// ```
///
/// The rules: a command's words come first among the plain words; options may stand anywhere; an
/// option of the tool may stand before the command; `--` ends the options; the last of several
/// equal options counts, unless the command takes them all.
public struct CommandLineTool: Sendable {
  /// The program's name.
  public let name: String
  /// What it does, in one sentence.
  public let summary: String
  /// The options and flags of every command.
  public let switches: [Switch]
  /// The commands, in the order of the help text.
  ///
  /// A tool with one command whose name is empty runs
  /// it without a word.
  public let commands: [Command]

  /// Declares a tool.
  public init(_ name: String, summary: String, switches: [Switch] = [], commands: [Command]) {
    self.name = name
    self.summary = summary
    self.switches = switches
    self.commands = commands
  }

  /// What a command line asks for.
  public enum Request: Sendable {
    /// Print this text and end with success.
    case help(String)
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
