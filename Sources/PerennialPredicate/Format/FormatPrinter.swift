// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Writes a tree as a format string that is read back as an equal tree.
struct FormatPrinter {
  private(set) var text = ""
  /// Whether `%@` stands in place of values, which may be private.
  private var hidesValues = false

  static func text(of node: PredicateNode) -> String {
    var printer = FormatPrinter()
    printer.write(node)
    return printer.text
  }

  static func text(of node: ExpressionNode) -> String {
    var printer = FormatPrinter()
    printer.write(node)
    return printer.text
  }

  fileprivate static func outline(_ write: (inout FormatPrinter) -> Void) -> String {
    var printer = FormatPrinter()
    printer.hidesValues = true
    write(&printer)
    return printer.text
  }

  // MARK: Conditions

  fileprivate mutating func write(_ node: PredicateNode) {
    switch node {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let nodes) where nodes.isEmpty: text += "TRUEPREDICATE"
    case .or(let nodes) where nodes.isEmpty: text += "FALSEPREDICATE"
    case .and(let nodes): write(nodes, joinedBy: " AND ")
    case .or(let nodes): write(nodes, joinedBy: " OR ")
    case .not(let node):
      text += "NOT "
      writeMember(node)
    case .comparison(let comparison): write(comparison)
    }
  }

  private mutating func write(_ nodes: [PredicateNode], joinedBy word: String) {
    for (index, node) in nodes.enumerated() {
      if index > 0 { text += word }
      writeMember(node)
    }
  }

  /// A condition inside another: a compound one in parentheses.
  private mutating func writeMember(_ node: PredicateNode) {
    switch node {
    case .and(let nodes) where !nodes.isEmpty, .or(let nodes) where !nodes.isEmpty:
      text += "("
      write(node)
      text += ")"
    default: write(node)
    }
  }

  private mutating func write(_ comparison: Comparison) {
    if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
    write(comparison.left)
    text += " " + comparison.comparator.rawValue
    if !comparison.options.isEmpty {
      text += "["
      for (letter, option) in StringComparisonOptions.letters
      where comparison.options.contains(option) {
        text.unicodeScalars.append(Unicode.Scalar(letter))
      }
      text += "]"
    }
    text += " "
    write(comparison.right)
  }

  // MARK: Values

  fileprivate mutating func write(_ node: ExpressionNode) {
    switch node {
    case .constant(let value): write(value)
    case .list(let nodes): writeList(nodes, "{", "}")
    case .object: text += "SELF"
    case .variable(let name): text += "$" + name
    case .keyPath(let root, let steps): write(steps, of: root)
    case .aggregate(let collection, let operation, let key):
      if collection != .object {
        writeRoot(collection)
        text += "."
      }
      text += operation.rawValue
      writeKey(key)
    case .index(let collection, let index):
      writeRoot(collection)
      write(index)
    case .function(let function, let nodes): write(function, nodes)
    case .subquery(let collection, let name, let condition):
      text += "SUBQUERY("
      write(collection)
      text += ", $\(name), "
      write(condition)
      text += ")"
    case .ternary(let condition, let first, let second):
      text += "TERNARY("
      write(condition)
      text += ", "
      write(first)
      text += ", "
      write(second)
      text += ")"
    case .cast(let value, let type):
      text += "CAST("
      write(value)
      text += ", \"\(type.rawValue)\")"
    }
  }

  private mutating func writeList(_ nodes: [ExpressionNode], _ opening: String, _ closing: String) {
    text += opening
    for (index, node) in nodes.enumerated() {
      if index > 0 { text += ", " }
      if hidesValues, index > 3 {
        text += "…"
        break
      }
      write(node)
    }
    text += closing
  }

  private mutating func write(_ index: CollectionIndex) {
    switch index {
    case .first: text += "[FIRST]"
    case .last: text += "[LAST]"
    case .size: text += "[SIZE]"
    case .element(let position):
      text += "["
      write(position)
      text += "]"
    }
  }

  private mutating func write(_ function: PredicateFunction, _ nodes: [ExpressionNode]) {
    if let (sign, _) = function.infix, nodes.count == 2 {
      writeOperand(nodes[0])
      text += " \(sign) "
      writeOperand(nodes[1])
    } else if function == .negate, nodes.count == 1 {
      text += "-"
      writeRoot(nodes[0])
    } else {
      text += function.rawValue
      writeList(nodes, "(", ")")
    }
  }

  /// A value beside a sign: another operation in parentheses.
  private mutating func writeOperand(_ node: ExpressionNode) {
    if case .function(let function, _) = node, function.infix != nil {
      writeParenthesis(node)
    } else {
      write(node)
    }
  }

  /// A value that something follows directly: a dot, a bracket.
  private mutating func writeRoot(_ node: ExpressionNode) {
    switch node {
    case .function(let function, _) where function.infix != nil || function == .negate:
      writeParenthesis(node)
    case .constant(.integer), .constant(.double): writeParenthesis(node)
    // The rest of a path would become this operator's key.
    case .aggregate: writeParenthesis(node)
    default: write(node)
    }
  }

  private mutating func writeParenthesis(_ node: ExpressionNode) {
    text += "("
    write(node)
    text += ")"
  }
}

extension FormatPrinter {
  // MARK: Key paths

  private mutating func write(_ steps: [String], of root: ExpressionNode) {
    if root != .object {
      writeRoot(root)
      text += "."
    }
    text += steps.map(Self.name).joined(separator: ".")
  }

  /// The value of an element, behind a collection operator.
  private mutating func writeKey(_ key: ExpressionNode) {
    switch key {
    case .object: return
    case .keyPath(let root, let steps):
      writeKey(root)
      text += "." + steps.map(Self.name).joined(separator: ".")
    case .aggregate(let collection, let operation, let inner):
      writeKey(collection)
      text += "." + operation.rawValue
      writeKey(inner)
    default: text += ".<\(FormatPrinter.text(of: key))>"
    }
  }

  /// A key as it is written: reserved words and other unusual names are escaped.
  static func name(_ key: String) -> String {
    if ReservedWord.all.contains(key.uppercased()) { return "#" + key }
    let bytes = Array(key.utf8)
    var lexer = FormatLexer(bytes, interpolations: nil)
    if lexer.scanName() != nil, lexer.position == bytes.count {
      return key
    }
    return "#" + quoted(key)
  }

  // MARK: Constants

  private mutating func write(_ value: PropertyValue) {
    switch value {
    case .null: text += "nil"
    case _ where hidesValues: text += "%@"
    case .boolean(let flag): text += flag ? "TRUE" : "FALSE"
    case .integer(let number): text += "\(number)"
    case .double(let number) where number.isFinite: text += "\(number)"
    case .double(let number): writeCast("\(number)", .number)
    case .string(let string): text += Self.quoted(string)
    case .decimal(let number): writeCast("\(number)", .decimal)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      if seconds.isFinite {
        text += "CAST(\(seconds), \"\(CastType.date.rawValue)\")"
      } else {
        writeCast("\(seconds)", .date)
      }
    case .data(let data): writeCast(data.base64EncodedString(), .data)
    case .uuid(let uuid): writeCast(uuid.uuidString, .uuid)
    case .url(let url): writeCast(url.absoluteString, .url)
    case .objectID(let id): writeCast(id.uriRepresentation.absoluteString, .objectID)
    }
  }

  private mutating func writeCast(_ string: String, _ type: CastType) {
    text += "CAST(\(Self.quoted(string)), \"\(type.rawValue)\")"
  }

  /// Text in double quotes, with escapes for quotes, backslashes and control characters.
  static func quoted(_ string: String) -> String {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\x" + (digits.count == 1 ? "0" : "") + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension PredicateNode {
  /// The condition as text, with `%@` in place of its values.
  package var outline: String { FormatPrinter.outline { $0.write(self) } }
}

extension ExpressionNode {
  /// The expression as text, with `%@` in place of its values.
  package var outline: String { FormatPrinter.outline { $0.write(self) } }
}
