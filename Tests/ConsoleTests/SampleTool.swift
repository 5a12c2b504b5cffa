// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// A small program with every kind of argument.
enum SampleTool {
  static let json = Flag("json", help: "print JSON")
  static let color = Option<ColorPolicy>(choice: "color", help: "when to use colours")
  static let limit = Option(
    "limit",
    placeholder: "N",
    help: "at most N",
    expects: "a whole number",
    convert: { Int($0) }
  )
  static let author = Option("author", placeholder: "NAME", help: "only this author")
  static let fixes = Flag("fixes", help: "only fixes")
  static let name = Positional("NAME", help: "the name")
  static let note = Positional("NOTE", help: "a note", isOptional: true)

  static let tool = CommandLineTool(
    "sample",
    summary: "Samples things.",
    switches: [.flag(json), .option(color)],
    commands: [
      Command(
        "list",
        summary: "List things",
        switches: [.flag(fixes), .option(limit), .option(author)],
        examples: ["list --limit 3"]
      ),
      Command("family add", summary: "Add somebody", positionals: [name, note]),
      Command("family list", summary: "List everybody"),
    ]
  )

  /// The arguments of a command line that asks to run something.
  static func run(_ arguments: String...) throws -> ParsedArguments? {
    guard case .run(let parsed) = try tool.parse(arguments) else { return nil }
    return parsed
  }
}
