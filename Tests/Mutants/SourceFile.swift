// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The lines of a source, and where they could mean something else.
///
/// It reads text, not Swift: what does not compile is left out afterwards, and the sources are formatted alike.
struct SourceFile {
  /// The path in a checkout.
  let name: String
  private let lines: [String]

  init(_ checkout: URL, _ name: String) throws {
    self.name = name
    let text = String(decoding: try Data(contentsOf: checkout.appending(path: name)), as: UTF8.self)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Writes the source into a copy of the checkout, with some of its lines changed.
  func write(_ mutants: [(number: Int, mutant: Mutant)], to copy: URL) throws {
    var lines = lines
    for (number, mutant) in mutants { lines[mutant.line - 1] = mutant.line(number: number) }
    try lines.joined(separator: "\n").update(copy.appending(path: name))
  }

  /// One mutant at most for each line.
  func mutants() -> [Mutant] {
    var inText = false
    return lines.indices.compactMap { index -> Mutant? in
      let line = lines[index]
      if line.contains("\"\"\"") {
        inText.toggle()
        return nil
      }
      let text = line.trimmed
      guard !inText, !text.hasPrefix("//"), !text.isEmpty, let change = change(index, text) else {
        return nil
      }
      return Mutant(file: name, line: index + 1, original: line, change: change)
    }
  }

  private func change(_ index: Int, _ text: String) -> Mutant.Change? {
    if let condition = Self.condition(text) { return Self.change(ofCondition: condition) }
    for value in ["true", "false"] where text.hasSuffix("= \(value)") || text == "return \(value)" {
      if !Self.isDeclaration(text) { return .constant(value) }
    }
    for step in ["+ 1", "- 1"] {
      guard let place = text.range(of: " \(step)") else { continue }
      let next = text[place.upperBound...].first ?? " "
      if ") ],:".contains(next) { return .step(step) }
    }
    return isStatement(index, text) ? .deletion : nil
  }

  /// The whole condition of `if`, `guard` and `while`, if it is one expression on one line.
  private static func condition(_ text: String) -> String? {
    for (start, end) in [
      ("if ", " {"), ("guard ", " else {"), ("while ", " {"), ("} else if ", " {"),
      ("else if ", " {"),
    ] where text.hasPrefix(start) {
      // The block may follow on the same line.
      guard let place = text.range(of: end) else { return nil }
      let condition = String(
        text[text.index(text.startIndex, offsetBy: start.count)..<place.lowerBound]
      )
      let excluded = ["let ", "var ", "case ", "try", "await", "#", "{", ", ", "\""]
      guard !excluded.contains(where: condition.contains), isBalanced(condition) else { return nil }
      return condition
    }
    return nil
  }

  private static func change(ofCondition condition: String) -> Mutant.Change {
    let words = condition.split(separator: " ")
    let bounds = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"]
    if words.count == 3, let other = bounds[String(words[1])] {
      return .bound(condition, "\(words[0]) \(other) \(words[2])")
    }
    return .negation(condition)
  }

  private static func isDeclaration(_ text: String) -> Bool {
    text.contains("let ") || text.contains("var ")
  }

  /// Whether a line is a call or an assignment, and nothing else.
  private func isStatement(_ index: Int, _ text: String) -> Bool {
    guard let first = text.first, first.isLowercase || first == "_" else { return false }
    let keywords = [
      "let", "var", "return", "throw", "case", "default", "guard", "if", "else", "for", "while",
      "switch", "func",
      "init", "static", "private", "package", "public", "fileprivate", "import", "extension",
      "struct", "enum",
      "final", "class", "break", "continue", "fallthrough", "defer", "do", "repeat", "mutating",
      "override", "typealias",
      "indirect", "internal", "open", "lazy", "weak", "unowned", "required", "convenience",
      "associatedtype", "in",
    ]
    let word = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    // Room that is made too late costs time only.
    guard !text.contains(".reserveCapacity("), !keywords.contains(String(word)),
      !text.contains("{"), Self.isBalanced(text)
    else {
      return false
    }
    let isCall = text.hasSuffix(")") && !text.contains(" = ")
    let isAssignment = [" = ", " += ", " -= ", " |= "].contains(where: text.contains)
    guard isCall || isAssignment else { return false }
    return isEnd(lines[..<index].last { !$0.trimmed.isEmpty })
      && isBeginning(lines[(index + 1)...].first { !$0.trimmed.isEmpty })
  }

  /// Whether a statement may begin behind a line.
  private func isEnd(_ line: String?) -> Bool {
    guard let text = line?.trimmed, let last = text.last else { return false }
    return "{})]".contains(last) || last.isLetter || last.isNumber || text.hasPrefix("//")
  }

  /// Whether a line does not go on with what the one before has begun.
  private func isBeginning(_ line: String?) -> Bool {
    guard let first = line?.trimmed.first else { return true }
    return first.isLetter || "}_/@".contains(first)
  }

  private static func isBalanced(_ text: String) -> Bool {
    var depth = 0
    for character in text {
      if "([".contains(character) { depth += 1 }
      if ")]".contains(character) { depth -= 1 }
      if depth < 0 { return false }
    }
    return depth == 0
  }
}
