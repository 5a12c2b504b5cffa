// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A member of a class.
enum Member: Equatable {
  /// A `var` or `let`.
  case variable(VariableDeclaration)
  /// A function or type: its keyword and its name.
  case other(keyword: String, name: String)
}

extension Scanner {
  private static var modifiers: Set<String> {
    [
      "public", "open", "internal", "private", "fileprivate", "package", "final", "static",
      "class", "lazy", "weak", "unowned", "override", "nonisolated", "dynamic", "optional",
      "required", "convenience", "indirect", "isolated", "consuming", "borrowing", "mutating",
      "nonmutating", "prefix", "postfix", "infix", "async", "distributed",
    ]
  }

  /// Moves past modifiers and the trivia around them.
  mutating func takeModifiers() -> [VariableDeclaration.Modifier] {
    var modifiers: [VariableDeclaration.Modifier] = []
    while true {
      skipTrivia()
      let start = index
      let word = takeWord()
      let name = text(word)
      guard Self.modifiers.contains(name), name != "class" || isAtModifiedDeclaration() else {
        index = start
        return modifiers
      }
      let isOfSetter = isAt("(set)")
      if isAt("(") { skipGroup() }
      modifiers.append(.init(name: name, range: word, isOfSetter: isOfSetter))
    }
  }

  /// Whether the `class` before the cursor was a modifier and not the beginning of a class.
  private func isAtModifiedDeclaration() -> Bool {
    var ahead = self
    ahead.skipTrivia()
    let next = ahead.text(ahead.takeWord())
    return ["var", "let", "func", "subscript"].contains(next) || Self.modifiers.contains(next)
  }

  /// Moves past one member.
  mutating func takeMember() -> Member {
    let attributes = takeAttributes()
    if !attributes.isEmpty, isAtWord("#endif") || isAtWord("#else") || isAtWord("#elseif") {
      return .other(keyword: "", name: "")
    }
    let modifiers = takeModifiers()
    if isAtWord("var") || isAtWord("let") {
      return .variable(takeVariable(attributes, modifiers))
    }
    let keyword = text(takeWord())
    skipTrivia()
    let name = text(takeWord())
    switch keyword {
    case "func", "init", "deinit", "subscript", "class", "struct", "enum", "actor", "protocol",
      "extension":
      skipDeclaration()
    default:
      skipStatement()
    }
    return .other(keyword: keyword, name: name)
  }

  /// Moves past the braces of a function or a type.
  private mutating func skipDeclaration() {
    // The name of an operator is not part of an expression.
    while Self.isOperatorByte(current) { index += 1 }
    while !isAtEnd, !isAt("}") {
      if isAt("{") { return skipGroup() }
      if skipOpaque() { continue }
      if isAt("(") || isAt("[") { skipGroup() } else { index += 1 }
    }
  }

  /// Moves past a type alias, a macro or anything unknown.
  private mutating func skipStatement() {
    let start = index
    _ = takeExpression()
    if index == start, !isAtEnd, !isAt("}") { index += 1 }
  }

  private mutating func takeVariable(
    _ attributes: [Attribute],
    _ modifiers: [VariableDeclaration.Modifier]
  ) -> VariableDeclaration {
    let isLet = text(takeWord()) == "let"
    skipTrivia()
    let nameStart = index
    let isTuple = isAt("(")
    if isTuple { skipGroup() } else { _ = takeWord() }
    let name = nameStart..<index
    var variable = VariableDeclaration(
      attributes: attributes,
      modifiers: modifiers,
      isLet: isLet,
      spelling: text(name),
      nameRange: name,
      isTuple: isTuple,
      typeRange: index..<index,
      initialRange: index..<index,
      bodyRange: index..<index
    )
    takeTypeAndValue(of: &variable)
    return variable
  }

  private mutating func takeTypeAndValue(of variable: inout VariableDeclaration) {
    var end = index
    skipTrivia()
    if isAt(":") {
      index += 1
      variable.typeRange = takeType()
      variable.type = text(variable.typeRange)
      end = index
      skipTrivia()
    }
    if isAt("=") {
      index += 1
      variable.initialRange = takeExpression()
      variable.initialValue = text(variable.initialRange)
      end = index
      skipTrivia()
    }
    if isAt("{") {
      variable.body = isAtObservers() ? .observed : .computed
      let start = index
      skipGroup()
      variable.bodyRange = start..<index
      end = index
      skipTrivia()
    }
    if isAt(",") {
      variable.hasSeveral = true
      skipFurtherNames()
      return
    }
    index = end
  }

  /// Moves past `, b = 1, c: Int`.
  private mutating func skipFurtherNames() {
    while take(",") {
      _ = takeType()
      if take(":") { _ = takeType() }
      skipTrivia()
      if take("=") { _ = takeExpression() }
      let end = index
      skipTrivia()
      if isAt("{") {
        skipGroup()
      } else if !isAt(",") {
        index = end
      }
      skipTrivia()
    }
  }
}
