// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Help pages: plain text, at most 100 columns as long as the declarations keep to it.
extension CommandLineTool {
  /// The page of the whole tool, or of the commands whose names begin with some words.
  func helpText(under words: [String] = []) -> String {
    let shown = commands.filter { $0.words.starts(with: words) }
    let program = ([name] + words).joined(separator: " ")
    var page = ["\(summary)", "", "Usage: \(program) COMMAND [OPTIONS]"]
    page += Self.table("Commands", shown.map { (name(of: $0), $0.summary) })
    page += Self.table("Options of every command", switches + [.help])
    page += ["", "Run '\(name) COMMAND --help' for a command's options and examples."]
    return page.joined(separator: "\n") + "\n"
  }

  /// The page of one command.
  func helpText(for command: Command) -> String {
    let program = command.name.isEmpty ? name : "\(name) \(command.name)"
    let places = command.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    let usage = ([program] + places + ["[OPTIONS]"]).joined(separator: " ")
    var page = ["\(command.summary)", "", "Usage: \(usage)"]
    if !command.discussion.isEmpty { page += ["", command.discussion] }
    page += Self.table("Arguments", command.positionals.map { ($0.name, $0.help) })
    if command.name.isEmpty {
      page += Self.table("Options", command.switches + switches + [.help])
    } else {
      page += Self.table("Options", command.switches)
      page += Self.table("Options of every command", switches + [.help])
    }
    if !command.examples.isEmpty {
      page += ["", "Examples:"] + command.examples.map { "  \(name) \($0)" }
    }
    return page.joined(separator: "\n") + "\n"
  }

  private func name(of command: Command) -> String {
    ([command.name] + command.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name })
      .joined(separator: " ")
  }

  private static func table(_ title: String, _ switches: [Switch]) -> [String] {
    table(title, switches.map { ($0.usage, $0.help) })
  }

  private static func table(_ title: String, _ rows: [(String, String)]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let width = min(rows.map(\.0.count).max() ?? 0, 32)
    let lines = rows.map { term, help in
      let gap = term.count > width ? "\n" + padding(width + 4) : padding(width - term.count + 2)
      return "  \(term)\(gap)\(help)"
    }
    return ["", "\(title):"] + lines
  }

  private static func padding(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension Switch {
  fileprivate static var help: Switch { .flag(Flag("help", help: "show this page")) }
}
