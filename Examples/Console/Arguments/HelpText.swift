// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Help pages: plain text in at most 80 columns, whatever the terminal is, so that they can be quoted.
extension CommandLineTool {
  /// The page of the whole tool, or of the commands whose names begin with some words.
  func helpText(under words: [String] = []) -> String {
    let shown = allCommands.filter { $0.words.starts(with: words) }
    var page = HelpPage(title: summary)
    page.addUsage(([name] + words).joined(separator: " ") + " COMMAND [OPTIONS]")
    if words.isEmpty { page.addText(discussion) }
    page.addTable("Commands", shown.map { ($0.nameAndPlaces, $0.summary) })
    page.addSwitches("Options of every command", switches + [.help])
    if words.isEmpty {
      page.addExamples(examples, program: name)
      page.addSections(sections)
    }
    page.addText("Run '\(name) COMMAND --help' for a command's options and examples.")
    return page.text
  }

  /// The page of one command.
  func helpText(for command: Command) -> String {
    let isAlone = command.name.isEmpty
    var page = HelpPage(title: command.summary)
    page.addUsage("\(isAlone ? name : "\(name) ")\(command.nameAndPlaces) [OPTIONS]")
    if isAlone { page.addText(discussion) }
    page.addText(command.discussion)
    page.addTable("Arguments", command.positionals.map { ($0.name, $0.help) })
    if isAlone {
      page.addSwitches("Options", command.switches + switches + [.help])
    } else {
      page.addSwitches("Options", command.switches)
      page.addSwitches("Options of every command", switches + [.help])
    }
    page.addExamples(command.examples + (isAlone ? examples : []), program: name)
    page.addSections(command.sections + (isAlone ? sections : []))
    return page.text
  }
}

extension Command {
  /// The name and the arguments known by their place: `family add NAME`.
  fileprivate var nameAndPlaces: String {
    ([name] + positionals.map(\.usage)).joined(separator: " ")
  }
}

extension Switch {
  static var help: Switch { .flag(Flag("help", help: "show this page")) }
}

/// A help page that grows from top to bottom: parts with an empty line between them.
private struct HelpPage {
  private static let width = 80
  /// Terms that are wider have a line for themselves.
  private static let widestTerm = 26
  private var parts: [[String]]

  init(title: String) { parts = [title.lines(ofWidth: Self.width)] }

  var text: String {
    parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  mutating func addUsage(_ usage: String) { parts.append(["Usage: \(usage)"]) }

  mutating func addText(_ text: String) {
    parts += text.paragraphs.map { $0.lines(ofWidth: Self.width) }
  }

  mutating func addSwitches(_ title: String, _ switches: [Switch]) {
    addTable(title, switches.map { ($0.usage, $0.help) })
  }

  mutating func addSections(_ sections: [HelpSection]) {
    for section in sections { addTable(section.title, section.rows.map { ($0.term, $0.help) }) }
  }

  mutating func addExamples(_ examples: [Example], program: String) {
    guard !examples.isEmpty else { return }
    parts.append(
      ["Examples:"]
        + examples.flatMap { example in
          ["  \(example.line(of: program))"]
            + example.note.lines(ofWidth: Self.width - 6).map { "      \($0)" }
        }
    )
  }

  mutating func addTable(_ title: String, _ rows: [(term: String, help: String)]) {
    guard !rows.isEmpty else { return }
    let width = rows.map(\.term.displayWidth).filter { $0 <= Self.widestTerm }.max() ?? 0
    let margin = String(repeating: " ", count: width + 4)
    var lines = ["\(title):"]
    for (term, help) in rows {
      var texts = help.lines(ofWidth: Self.width - margin.count)[...]
      if term.displayWidth > width {
        lines.append("  \(term)")
      } else {
        lines.append("  \(term.padded(toWidth: width))  \(texts.popFirst() ?? "")")
      }
      lines += texts.map { margin + $0 }
    }
    parts.append(lines)
  }
}
