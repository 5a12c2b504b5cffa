// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An attribute, such as `@Relationship(inverse: "commits")`.
struct Attribute: Equatable {
  /// One argument.
  struct Argument: Equatable {
    /// Its label; a further value of a variadic parameter has that of the first one.
    var label: String?
    /// Its text.
    var value: String
    /// The place of the value, in the source that was scanned.
    var range: Range<Int>

    /// The text of a string literal without escapes and interpolations; `nil` for anything else.
    var plainText: String? {
      guard value.count > 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return nil }
      let text = value.dropFirst().dropLast()
      return text.contains { $0 == "\\" || $0 == "\"" || $0.isNewline } ? nil : String(text)
    }
  }

  /// The name without its module.
  var name: String
  /// The arguments, in order.
  var arguments: [Argument]
  /// Its place, from the `@` on.
  var range: Range<Int>
  /// Whether it is inside `#if`.
  var isConditional = false

  /// The text of the first argument with a label.
  func value(_ label: String?) -> String? {
    arguments.first { $0.label == label }?.value
  }
}

extension Scanner {
  /// Moves past attributes and the trivia around them.
  mutating func takeAttributes() -> [Attribute] {
    var attributes: [Attribute] = []
    skipTrivia()
    while true {
      if isAt("@") {
        attributes.append(takeAttribute())
      } else if let conditional = takeConditionalAttributes() {
        attributes += conditional
      } else {
        return attributes
      }
      skipTrivia()
    }
  }

  /// Whether the cursor is at an `#if` around attributes of the declaration behind it.
  var isAtConditionalAttributes: Bool {
    var ahead = self
    return ahead.takeConditionalAttributes() != nil
  }

  /// Moves past `#if` to `#endif` if there are attributes between them, and nothing else; else stays.
  private mutating func takeConditionalAttributes() -> [Attribute]? {
    guard isAtWord("#if") else { return nil }
    var ahead = self
    var attributes: [Attribute] = []
    repeat {
      ahead.skipLine()
      ahead.skipTrivia()
      while ahead.isAt("@") {
        var attribute = ahead.takeAttribute()
        attribute.isConditional = true
        attributes.append(attribute)
        ahead.skipTrivia()
      }
    } while ahead.isAtWord("#elseif") || ahead.isAtWord("#else")
    guard ahead.take("#endif"), !attributes.isEmpty else { return nil }
    index = ahead.index
    return attributes
  }

  /// Moves past `#name(…)`, which has the form of an attribute.
  mutating func takeMacroUse() -> Attribute? {
    skipTrivia()
    return isAt("#") ? takeAttribute() : nil
  }

  private mutating func takeAttribute() -> Attribute {
    let start = index
    index += 1
    var name = text(takeWord())
    while isAt(".") || isAt("::") {
      index += isAt(".") ? 1 : 2
      name = text(takeWord())
    }
    if isAt("<") { _ = skipGenericArguments() }
    let arguments = isAt("(") ? takeArguments() : []
    return Attribute(name: name, arguments: arguments, range: start..<index)
  }

  /// Moves past `(…)` and reads the arguments.
  private mutating func takeArguments() -> [Attribute.Argument] {
    index += 1
    var arguments: [Attribute.Argument] = []
    var label: String?
    while true {
      skipTrivia()
      if isAtEnd || take(")") { return arguments }
      label = takeLabel() ?? label
      let range = takeExpression()
      if !range.isEmpty {
        arguments.append(Attribute.Argument(label: label, value: text(range), range: range))
      }
      skipTrivia()
      guard !take(",") else { continue }
      guard !take(")") else { return arguments }
      // What is left is no argument: find the end.
      index += isAtEnd ? 0 : 1
    }
  }

  /// Moves past `label:`; stays when there is none.
  private mutating func takeLabel() -> String? {
    let start = index
    let word = takeWord()
    skipTrivia()
    guard !word.isEmpty, isAt(":"), !isAt("::") else {
      index = start
      return nil
    }
    index += 1
    return text(word)
  }
}
