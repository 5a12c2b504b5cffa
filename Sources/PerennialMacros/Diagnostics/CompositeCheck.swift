// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds what `@Composite` does not support in a struct.
struct CompositeCheck {
  private let declaration: ClassDeclaration
  private let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []

  /// Checks a struct and its properties.
  init(_ declaration: ClassDeclaration, in source: SourceText) {
    self.declaration = declaration
    self.source = source
    let name = declaration.name
    guard declaration.keyword == "struct" else {
      report(.notStruct(name), at: declaration.keywordRange)
      return
    }
    if let generic = declaration.genericRange { report(.genericStruct(name), at: generic) }
    for variable in declaration.variables { check(variable) }
    if diagnostics.isEmpty, declaration.persistent.isEmpty {
      report(.emptyStruct(name), at: declaration.nameRange)
    }
  }

  private mutating func report(
    _ message: Diagnostic.Message,
    at range: Range<Int>,
    fixIts: [Diagnostic.FixIt] = []
  ) {
    diagnostics.append(Diagnostic(message, in: source, at: range, fixIts: fixIts))
  }

  private mutating func check(_ variable: VariableDeclaration) {
    let name = variable.name
    if variable.isLet, !variable.isStatic {
      return report(.constantElement(name), at: variable.nameRange)
    }
    guard variable.isPersistent else { return }
    diagnostics += PropertyCheck(variable, in: source).diagnostics
    if variable.isToMany { report(.toManyElement(name), at: variable.typeRange) }
    for mark in ["Unique", "Indexed", "Relationship", "Transient"] {
      guard let attribute = variable.attribute(mark) else { continue }
      let fixIt = Diagnostic.FixIt(
        message: "remove '@\(mark)'",
        range: attribute.range,
        newText: ""
      )
      report(.markOfElement(name, mark: mark), at: attribute.range, fixIts: [fixIt])
    }
    let arguments = variable.attribute("Attribute")?.arguments ?? []
    if let derived = arguments.first(where: { $0.label == "derived" }) {
      report(.derivedElement(name), at: derived.range)
    }
  }
}
