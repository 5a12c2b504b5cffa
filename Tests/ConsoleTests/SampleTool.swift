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
  static let author = Option("author", placeholder: "NAME", help: "only this author's [own]: all")
  static let fixes = Flag("fixes", help: "only fixes")
  static let from = Option("from", placeholder: "FILE", help: "a file", completion: .files)
  static let name = Positional("NAME", help: "the name")
  static let note = Positional("NOTE", help: "a note", isOptional: true)
  static let folder = Positional("FOLDER", help: "a folder", completion: .folders)
  static let kind = Positional(
    "KIND",
    help: "photo or text",
    isOptional: true,
    completion: .words(["photo", "text"])
  )

  static let tool = CommandLineTool(
    "sample",
    summary: "Samples things.",
    discussion: """
      The first paragraph
      has two lines.

      .The second begins with a dot; \\fB is no macro, nor is 'this'.
      """,
    switches: [.flag(json), .option(color)],
    commands: [
      Command(
        "list",
        summary: "List things",
        discussion: "Things are listed.",
        switches: [.flag(fixes), .option(limit), .option(author), .option(from)],
        examples: ["list --limit 3": "three things", "list --author \"O'Neil\"": ""]
      ),
      Command("family add", summary: "Add somebody", positionals: [name, note]),
      Command("family list", summary: "List everybody"),
      Command("scan", summary: "Scan a folder", positionals: [folder, kind]),
    ],
    examples: ["scan .": "the current folder"],
    sections: [
      .exitCodes([.success: "done", .usage: "the command line is wrong"]),
      HelpSection(
        .environment,
        [
          "SAMPLE_PATH":
            "where things are looked for when nothing else is said, which takes more than one line"
        ]
      ),
      HelpSection(.files, ["~/.sample": "settings"]),
      HelpSection(.other("Things"), ["T1": "the first"]),
    ],
    related: ["other", "another"]
  )

  /// The arguments of a command line that asks to run something.
  static func run(_ arguments: String...) throws -> ParsedArguments? {
    guard case .run(let parsed) = try tool.parse(arguments) else { return nil }
    return parsed
  }

  /// The text of a command line that asks for one.
  static func text(_ arguments: String...) throws -> String? {
    guard case .print(let text) = try tool.parse(arguments) else { return nil }
    return text
  }
}
