// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The manual page of a tool, in the macros of mdoc(7), which groff and mandoc read.
///
/// Every line is a macro with its arguments or text, each escaped for what it is.
struct ManualPage {
  private let tool: CommandLineTool
  private var lines: [String] = []

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - tool: The tool that it is about.
  ///   - date: The date of the page.
  init(_ tool: CommandLineTool, date: Date) {
    self.tool = tool
    add(".Dd \(date.manualDate)")
    add(macro("Dt", tool.name.uppercased(), "1"))
    add(".Os")
    addOpening()
    addCommands()
    addSwitches("OPTIONS", tool.switches + [.help])
    addSections()
    addExamples("EXAMPLES", tool.examples)
    addRelated()
  }

  /// The page as a file has it.
  var text: String { lines.joined(separator: "\n") + "\n" }

  // MARK: Parts

  private mutating func addOpening() {
    add(".Sh NAME")
    add(macro("Nm", tool.name))
    add(macro("Nd", tool.summary.asPhrase, isOneArgument: false))
    add(".Sh SYNOPSIS")
    for command in tool.allCommands {
      add(".Nm")
      if !command.name.isEmpty { add(macro("Cm", command.name)) }
      for positional in command.positionals {
        add(macro(positional.isOptional ? "Op Ar" : "Ar", positional.name))
      }
      for option in command.switches { add(".Op \(usage(of: option))") }
      add(".Op Ar options")
    }
    add(".Sh DESCRIPTION")
    addText(tool.summary)
    addParagraphs(tool.discussion)
  }

  private mutating func addCommands() {
    if let only = tool.commands.first(where: { $0.name.isEmpty }) {
      addParagraphs(only.discussion)
      addPlaces(only)
      addSwitches("OPTIONS OF ITS OWN", only.switches)
      return
    }
    add(".Sh COMMANDS")
    for command in tool.allCommands {
      add(macro("Ss", tool.name, command.name))
      addText(command.summary + ".")
      addParagraphs(command.discussion)
      addPlaces(command)
      addList(command.switches.map { (".It \(usage(of: $0))", $0.help) })
      for section in command.sections { addList(items(of: section)) }
      addExamples(nil, command.examples)
    }
  }

  private mutating func addPlaces(_ command: Command) {
    addList(command.positionals.map { (macro("It Ar", $0.name), $0.help) })
  }

  private mutating func addSwitches(_ title: String, _ switches: [Switch]) {
    guard !switches.isEmpty else { return }
    add(macro("Sh", title))
    addList(switches.map { (".It \(usage(of: $0))", $0.help) })
  }

  /// The tables in the order in which manual pages have them.
  private mutating func addSections() {
    for section in tool.sections {
      guard case .other(let title) = section.topic else { continue }
      add(macro("Sh", title.uppercased()))
      addList(items(of: section))
    }
    for (topic, title): (HelpSection.Topic, String) in [
      (.environment, "ENVIRONMENT"), (.files, "FILES"), (.exitCodes, "EXIT STATUS"),
    ] {
      for section in tool.sections where section.topic == topic {
        add(".Sh \(title)")
        addList(items(of: section))
      }
    }
  }

  private mutating func addExamples(_ title: String?, _ examples: [Example]) {
    guard !examples.isEmpty else { return }
    if let title { add(".Sh \(title)") }
    for (number, example) in examples.enumerated() {
      if title == nil || number > 0 { add(".Pp") }
      if !example.note.isEmpty { addText(example.note.asSentence + ":") }
      add(macro("Dl", example.line(of: tool.name), isOneArgument: false))
    }
  }

  private mutating func addRelated() {
    guard !tool.related.isEmpty else { return }
    add(".Sh SEE ALSO")
    let names = tool.related.sorted()
    for name in names { add(".Xr \(name) 1\(name == names.last ? "" : " ,")") }
  }

  // MARK: Lines

  private mutating func add(_ line: String) { lines.append(line) }

  /// Adds text, each sentence on a line of its own, as troff wants it to know where sentences end.
  private mutating func addText(_ text: String) {
    var sentence = ""
    for word in text.split(separator: " ") {
      sentence += sentence.isEmpty ? String(word) : " \(word)"
      if word.hasSuffix(".") { addSentence(&sentence) }
    }
    addSentence(&sentence)
  }

  private mutating func addSentence(_ sentence: inout String) {
    for line in sentence.lines(ofWidth: 72).map(\.escapedForManual) {
      add(line.hasPrefix(".") ? "\\&\(line)" : line)
    }
    sentence = ""
  }

  private mutating func addParagraphs(_ text: String) {
    for paragraph in text.paragraphs {
      add(".Pp")
      addText(paragraph)
    }
  }

  private mutating func addList(_ items: [(head: String, body: String)]) {
    guard !items.isEmpty else { return }
    add(".Bl -tag -width Ds")
    for (head, body) in items {
      add(head)
      addText(body.asSentence + ".")
    }
    add(".El")
  }

  private func items(of section: HelpSection) -> [(head: String, body: String)] {
    let name =
      switch section.topic {
      case .environment: "It Ev"
      case .files: "It Pa"
      case .exitCodes, .other: "It"
      }
    return section.rows.map { (macro(name, $0.term), $0.help) }
  }

  /// `Fl -limit Ar N`: the second dash of a long option is a part of its name.
  private func usage(of option: Switch) -> String {
    "Fl \\-\(option.name.escapedForManual)"
      + (option.placeholder.map { " Ar \($0.escapedForManual)" } ?? "")
  }

  /// A line with a macro; each argument stays one.
  private func macro(_ name: String, _ arguments: String..., isOneArgument: Bool = true) -> String {
    let escaped = arguments.map(\.escapedForManual).map { argument in
      if isOneArgument && argument.contains(" ") { return "\"\(argument)\"" }
      return argument.split(separator: " ").map { $0.isSpecial ? "\\&\($0)" : String($0) }
        .joined(separator: " ")
    }
    return ".\(name) \(escaped.joined(separator: " "))"
  }
}

extension String {
  /// The text with what troff would read as its own language taken away.
  fileprivate var escapedForManual: String {
    unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "\"": "\\(dq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case _ where scalar.isASCII: String(scalar)
      default: "\\[u\(Self.hexadecimal(scalar))]"
      }
    }.joined()
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
  }

  /// The sentence as the manual page's title has it: with a small letter and without a full stop.
  fileprivate var asPhrase: String {
    let text = hasSuffix(".") ? String(dropLast()) : self
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// The phrase with a capital letter, but for names that are spelt otherwise, and without a full stop.
  fileprivate var asSentence: String {
    let text = hasSuffix(".") ? String(dropLast()) : self
    guard let word = text.split(whereSeparator: { !$0.isLetter }).first,
      text.hasPrefix(word), word.allSatisfy(\.isLowercase)
    else { return text }
    return text.prefix(1).uppercased() + text.dropFirst()
  }
}

extension Substring {
  /// Whether mdoc may take the word for a macro or for the punctuation behind one.
  fileprivate var isSpecial: Bool {
    if count == 1 { return ".,:;()[]?!|".contains(self) }
    return (2...3).contains(count) && allSatisfy(\.isLetter) && first?.isUppercase == true
      && dropFirst().allSatisfy(\.isLowercase)
  }
}

extension Date {
  /// The date in UTC as mdoc(7) wants it: `November 22, 2026`.
  fileprivate var manualDate: String {
    let time = CivilTime(self)
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    return "\(months[time.month - 1]) \(time.day), \(time.year)"
  }
}
