// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A class with `@Managed`: its declaration, the arguments, and the errors in both.
struct ManagedClass {
  /// The class's text.
  let source: SourceText
  /// The attribute's text.
  let attribute: SourceText
  /// The class.
  let declaration: ClassDeclaration
  /// The attribute's arguments.
  let arguments: ManagedArguments
  /// What is wrong with the class.
  let diagnostics: [Diagnostic]

  /// Whether the class can be given accessors: it is a class, not generic, and has a superclass.
  let inheritsFromManagedObject: Bool

  /// Scans and checks a class.
  init(_ source: SourceText, _ attribute: SourceText) {
    self.source = source
    self.attribute = attribute
    declaration = ClassDeclaration(source.source)
    arguments = ManagedArguments(attribute)
    let check = ClassCheck(declaration, arguments, in: source)
    diagnostics = check.diagnostics
    inheritsFromManagedObject = check.isManagedClass
  }

  /// The attributes and to-one relationships, in order; a property's place here is its slot.
  var slots: [VariableDeclaration] { declaration.persistent.filter { !$0.isToMany } }

  /// The to-many relationships, in order; they are numbered by themselves.
  var toManys: [VariableDeclaration] { declaration.persistent.filter(\.isToMany) }

  /// The expression of a slot, or of how many there are.
  ///
  /// A macro sees no other class, so the inherited slots are added when the program runs.
  ///
  /// - Parameters:
  ///   - number: The number among the class's own.
  ///   - isToMany: Whether to-many relationships are counted.
  /// - Returns: Such as `3` or `Person.slotCount + 3`.
  func slot(_ number: Int, isToMany: Bool) -> String {
    slot("\(number)", isToMany: isToMany)
  }

  /// The expression of a slot whose number among the class's own is an expression.
  func slot(_ number: String, isToMany: Bool) -> String {
    guard let superclass = declaration.superclass, !declaration.isRoot else { return number }
    return "\(superclass.name).\(isToMany ? "toManyCount" : "slotCount") + \(number)"
  }
}
