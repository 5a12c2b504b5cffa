// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One command of a ``CommandLineTool``.
public struct Command: Sendable {
  /// The words that call it, such as `list` or `family add`.
  public let name: String
  /// What it does, in one phrase that begins with a verb.
  public let summary: String
  /// More about it, in paragraphs with an empty line between them.
  public let discussion: String
  /// The arguments known by their place, required ones first.
  public let positionals: [Positional]
  /// Its own options and flags, beside those of the tool.
  public let switches: [Switch]
  /// Command lines to learn from.
  public let examples: [Example]
  /// What else its help page tells.
  public let sections: [HelpSection]

  /// Declares a command.
  ///
  /// - Parameters:
  ///   - name: The words that call it; empty for the only command of a tool.
  ///   - summary: What it does, in one phrase that begins with a verb.
  ///   - discussion: More about it, in paragraphs with an empty line between them.
  ///   - positionals: The arguments known by their place, required ones first.
  ///   - switches: Its own options and flags.
  ///   - examples: Command lines without the tool's name, and what each is for (or nothing).
  ///   - sections: What else its help page tells.
  public init(
    _ name: String,
    summary: String,
    discussion: String = "",
    positionals: [Positional] = [],
    switches: [Switch] = [],
    examples: KeyValuePairs<String, String> = [:],
    sections: [HelpSection] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.switches = switches
    self.examples = Example.list(examples)
    self.sections = sections
  }

  var words: [String] { name.split(separator: " ").map(String.init) }
}
