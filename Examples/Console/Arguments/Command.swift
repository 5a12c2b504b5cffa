// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One command of a ``CommandLineTool``.
public struct Command: Sendable {
  /// The words that call it, such as `list` or `family add`.
  public let name: String
  /// What it does, in one phrase that begins with a verb.
  public let summary: String
  /// More lines for its help page.
  public let discussion: String
  /// The arguments known by their place, required ones first.
  public let positionals: [Positional]
  /// Its own options and flags, beside those of the tool.
  public let switches: [Switch]
  /// Complete command lines, without the tool's name, for its help page.
  public let examples: [String]

  /// Declares a command.
  public init(
    _ name: String,
    summary: String,
    discussion: String = "",
    positionals: [Positional] = [],
    switches: [Switch] = [],
    examples: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.switches = switches
    self.examples = examples
  }

  var words: [String] { name.split(separator: " ").map(String.init) }
}
