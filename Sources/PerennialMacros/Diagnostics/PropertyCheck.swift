// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds what `@Managed` does not support in a persistent property.
struct PropertyCheck {
  private let variable: VariableDeclaration
  private let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []

  /// Checks a property.
  ///
  /// - Parameters:
  ///   - variable: The property.
  ///   - source: The text that it was scanned from.
  init(_ variable: VariableDeclaration, in source: SourceText) {
    self.variable = variable
    self.source = source
    if variable.isTuple {
      report(.tuplePattern, at: variable.nameRange)
    } else if variable.hasSeveral {
      report(.severalNames, at: variable.nameRange)
    } else {
      checkAll()
    }
  }

  private var name: String { variable.name }

  private mutating func checkAll() {
    checkDeclaration()
    checkMarks()
    checkModifiers()
    checkType()
    checkRelationship()
    checkInverse()
    checkRules()
  }

  private mutating func report(
    _ message: Diagnostic.Message,
    at range: Range<Int>,
    fixIts: [Diagnostic.FixIt] = []
  ) {
    diagnostics.append(Diagnostic(message, in: source, at: range, fixIts: fixIts))
  }

  private mutating func checkDeclaration() {
    if variable.isConditional { report(.conditional(name), at: variable.nameRange) }
    if variable.hasReservedName { report(.reservedName(name), at: variable.nameRange) }
    if let argument = variable.nameArgument, argument.plainText == nil {
      report(.nameNotLiteral(name), at: argument.range)
    }
    if variable.body == .observed { report(.observers(name), at: variable.bodyRange) }
  }

  /// Reports marks of which not all arguments would count, and those that count in some builds only.
  private mutating func checkMarks() {
    for mark in ["Attribute", "Relationship"] {
      let marks = variable.attributes.filter { $0.name == mark }
      if marks.count > 1 { report(.appliedTwice(mark), at: marks[1].range) }
    }
    let names = ["Attribute", "Indexed", "Relationship", "Transient", "Unique"]
    for attribute in variable.attributes
    where attribute.isConditional && names.contains(attribute.name) {
      report(.conditional("@" + attribute.name), at: attribute.range)
    }
  }

  private mutating func checkModifiers() {
    for modifier in variable.modifiers {
      let fixIt = Diagnostic.FixIt(
        message: "remove '\(modifier.name)'",
        range: modifier.range,
        newText: ""
      )
      switch modifier.name {
      case "lazy": report(.lazyProperty(name), at: modifier.range, fixIts: [fixIt])
      case "weak", "unowned":
        report(.weakProperty(name, modifier: modifier.name), at: modifier.range, fixIts: [fixIt])
      case "override": report(.overridden(name), at: modifier.range)
      default: break
      }
    }
  }

  private mutating func checkType() {
    guard let type = variable.type, !type.isEmpty else {
      let start = variable.nameRange.upperBound
      let end = variable.hasPassingDefault ? variable.initialRange.upperBound : start
      let fixIts = LiteralType.guess(variable.initialValue).map {
        [Diagnostic.FixIt(message: "write ': \($0)'", range: start..<end, newText: ": \($0)")]
      }
      return report(.needsType(name), at: variable.nameRange, fixIts: fixIts ?? [])
    }
    let hasNoZero = ClassDeclaration.isNamed(type, "URL")
    if hasNoZero, variable.initialValue == nil {
      report(.needsValue(name, type: type), at: variable.typeRange, fixIts: [makeOptional(type)])
    }
  }

  private func makeOptional(_ type: String) -> Diagnostic.FixIt {
    let end = variable.typeRange.upperBound
    return .init(message: "write '\(type)?'", range: end..<end, newText: "?")
  }

  private mutating func checkRelationship() {
    guard let type = variable.type, !type.isEmpty else { return }
    let relationship = variable.attribute("Relationship")
    guard variable.isToMany || relationship != nil else { return }
    if let attribute = variable.attribute("Transient") {
      report(.transientRelationship(name), at: attribute.range)
    }
    let refused = ["Unique", "Attribute"] + (variable.isToMany ? ["Indexed"] : [])
    let marks = refused.compactMap { variable.attribute($0) }
    if let mark = marks.first { report(.attributeAndRelationship(name), at: mark.range) }
    if let value = variable.initialValue, variable.isToMany || value != "nil" {
      let range = variable.typeRange.upperBound..<variable.initialRange.upperBound
      let fixIt = Diagnostic.FixIt(message: "remove the default value", range: range, newText: "")
      report(.defaultOfRelationship(name), at: variable.initialRange, fixIts: [fixIt])
    }
    if variable.isToMany {
      if type.hasSuffix("?") || type.hasSuffix("!") {
        report(.optionalToMany(name), at: variable.typeRange)
      }
      return
    }
    if let element = elementOfCollection {
      let fixIt = Diagnostic.FixIt(
        message: "write 'ToMany<\(element)>'",
        range: variable.typeRange,
        newText: "ToMany<\(element)>"
      )
      report(
        .collectionOfObjects(name, element: element),
        at: variable.typeRange,
        fixIts: [fixIt]
      )
      return
    }
    if let counts = relationship?.arguments.first(where: { $0.label?.hasSuffix("Count") == true }) {
      report(.countOfToOne(name), at: counts.range)
    }
    if !variable.isOptional {
      report(.requiredToOne(name, type: type), at: variable.typeRange, fixIts: [makeOptional(type)])
    }
  }

  /// What an array or a set that is optional or not holds, as its type is written.
  private var elementOfCollection: String? {
    guard let type = plainType else { return nil }
    let brackets = [("[", "]"), ("Array<", ">"), ("Set<", ">")]
    let pair = brackets.first { type.hasPrefix($0.0) && type.hasSuffix($0.1) }
    guard let pair, !type.contains(":") else { return nil }
    return String(type.dropFirst(pair.0.count).dropLast())
  }

  private mutating func checkInverse() {
    let relationship = variable.attribute("Relationship")
    guard let argument = relationship?.arguments.first(where: { $0.label == "inverse" }) else {
      return
    }
    switch Inverse(argument.value) {
    case .rootless: report(.inverseWithoutRoot(argument.value), at: argument.range)
    case .tooLong: report(.inverseTooLong(argument.value), at: argument.range)
    case .keyPath, .expression: break
    }
  }
}

// MARK: - Validation rules

extension PropertyCheck {
  /// The labels of `@Attribute` that are rules for values, in the order in which `of` takes them.
  static var ruleLabels: [String] {
    ["minimum", "maximum", "minimumLength", "maximumLength", "pattern", "validation"]
  }

  /// Refuses rules that values of a well-known type cannot meet; the model's check finds the rest.
  private mutating func checkRules() {
    guard let attribute = variable.attribute("Attribute"), let type = plainType else { return }
    for argument in attribute.arguments {
      guard let label = argument.label, let kinds = Self.kinds(label), !kinds.contains(type) else {
        continue
      }
      if TypeKind.all.contains(where: { $0.contains(type) }) {
        report(.ruleOfOtherType(name, rule: label, type: type), at: argument.range)
      }
    }
    if let derived = attribute.arguments.first(where: { $0.label == "derived" }),
      variable.attribute("Transient") != nil
    {
      report(.derivedTransient(name), at: derived.range)
    }
  }

  /// The type without optionality.
  private var plainType: String? { variable.wrappedType ?? variable.type }

  /// The well-known types that a rule is for; `nil` for any type.
  private static func kinds(_ label: String) -> Set<String>? {
    switch label {
    case "minimum", "maximum": TypeKind.numbers.union(TypeKind.dates)
    case "minimumLength", "maximumLength": TypeKind.texts.union(TypeKind.data)
    case "pattern": TypeKind.texts
    default: nil
    }
  }
}

/// The attribute types that can be told by their names.
private enum TypeKind {
  static var numbers: Set<String> {
    ["Int", "Int16", "Int32", "Int64", "Double", "Float", "Decimal"]
  }
  static var dates: Set<String> { ["Date"] }
  static var texts: Set<String> { ["String"] }
  static var data: Set<String> { ["Data"] }
  static var others: Set<String> { ["Bool", "UUID", "URL"] }
  static var all: [Set<String>] { [numbers, dates, texts, data, others] }
}
