// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The declaration that `@Managed` stands on, and its members.
struct ClassDeclaration: Equatable {
  /// One entry of the inheritance clause.
  struct Inherited: Equatable {
    var name: String
    var range: Range<Int>
  }

  /// The attributes in front of it.
  var attributes: [Attribute]
  /// The modifiers in front of it.
  var modifiers: [VariableDeclaration.Modifier]
  /// `class`, or the keyword of what it is instead.
  var keyword: String
  /// The place of the keyword.
  var keywordRange: Range<Int>
  /// Its name as written.
  var spelling: String
  /// The place of its name.
  var nameRange: Range<Int>
  /// The place of `<…>`, when it is generic.
  var genericRange: Range<Int>?
  /// The superclass and the protocols.
  var inherited: [Inherited] = []
  /// Its properties, in order.
  var variables: [VariableDeclaration] = []
  /// The names of its functions and types.
  var otherNames: Set<String> = []

  /// Its name without back quotes.
  var name: String { spelling.filter { $0 != "`" } }

  /// The properties of the entity, in order.
  var persistent: [VariableDeclaration] { variables.filter(\.isPersistent) }

  /// The first entry of the inheritance clause.
  var superclass: Inherited? { inherited.first }

  /// Whether the superclass is the library's, so that no entity is inherited from.
  var isRoot: Bool {
    guard let superclass else { return true }
    return Self.isNamed(superclass.name, "ManagedObject")
      || Self.isNamed(superclass.name, "NSManagedObject")
  }

  /// Whether the clause itself names the protocol that `@Managed` would add.
  var namesManagedEntity: Bool {
    inherited.contains { Self.isNamed($0.name, "ManagedEntity") }
  }

  /// The access level of generated members, with a space behind it; empty for internal.
  var access: String {
    if modifiers.contains(where: { $0.name == "public" || $0.name == "open" }) { return "public " }
    return modifiers.contains { $0.name == "package" } ? "package " : ""
  }

  /// The access level of generated members that subclasses override, with a space behind it.
  var overrideAccess: String { modifiers.contains { $0.name == "open" } ? "open " : access }

  /// Whether a type's text is a name, with or without a module in front.
  static func isNamed(_ type: String, _ name: String) -> Bool {
    type == name || type.hasSuffix("." + name) || type.hasSuffix("::" + name)
  }
}

extension ClassDeclaration {
  /// Scans a declaration.
  init(_ source: String) {
    var scanner = Scanner(source)
    let attributes = scanner.takeAttributes()
    let modifiers = scanner.takeModifiers()
    let keyword = scanner.takeWord()
    scanner.skipTrivia()
    let name = scanner.takeWord()
    self.init(
      attributes: attributes,
      modifiers: modifiers,
      keyword: scanner.text(keyword),
      keywordRange: keyword,
      spelling: scanner.text(name),
      nameRange: name
    )
    scanHeader(&scanner)
    scanMembers(&scanner)
  }

  private mutating func scanHeader(_ scanner: inout Scanner) {
    scanner.skipTrivia()
    if scanner.isAt("<") {
      let start = scanner.index
      if scanner.skipGenericArguments() { genericRange = start..<scanner.index }
      scanner.skipTrivia()
    }
    if scanner.take(":") {
      repeat {
        let range = scanner.takeType()
        inherited.append(Inherited(name: scanner.text(range), range: range))
        scanner.skipTrivia()
      } while scanner.take(",")
    }
    while !scanner.isAtEnd, !scanner.isAt("{") {
      if !scanner.skipComment() { scanner.index += 1 }
    }
    _ = scanner.take("{")
  }

  private mutating func scanMembers(_ scanner: inout Scanner) {
    var conditionDepth = 0
    while true {
      scanner.skipTrivia()
      while scanner.take(";") { scanner.skipTrivia() }
      if scanner.isAtEnd || scanner.isAt("}") { return }
      let start = scanner.index
      if !scanner.isAtConditionalAttributes, takeCondition(&scanner, &conditionDepth) { continue }
      add(scanner.takeMember(), isConditional: conditionDepth > 0)
      if scanner.index == start { scanner.index += 1 }
    }
  }

  /// Moves past `#if`, `#elseif`, `#else` or `#endif` and its condition.
  private func takeCondition(_ scanner: inout Scanner, _ depth: inout Int) -> Bool {
    if scanner.isAtWord("#if") {
      depth += 1
    } else if scanner.isAtWord("#endif") {
      depth = max(depth - 1, 0)
    } else if !scanner.isAtWord("#else"), !scanner.isAtWord("#elseif") {
      return false
    }
    scanner.skipLine()
    return true
  }

  private mutating func add(_ member: Member, isConditional: Bool) {
    switch member {
    case .variable(var variable):
      variable.isConditional = isConditional
      variables.append(variable)
    case .other(_, let name):
      if !name.isEmpty { otherNames.insert(name) }
    }
  }
}
