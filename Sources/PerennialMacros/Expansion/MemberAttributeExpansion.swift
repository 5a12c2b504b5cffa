// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedClass {
  /// Whether accessors for a property compile, also in a class that has errors elsewhere.
  ///
  /// Stored properties that are left over would cause errors about missing initialisers.
  private func canHaveAccessors(_ variable: VariableDeclaration) -> Bool {
    if diagnostics.isEmpty { return true }
    let refused = ["lazy", "weak", "unowned", "override"]
    return inheritsFromManagedObject && variable.body == .stored && variable.type?.isEmpty == false
      && !variable.hasSeveral && !variable.isTuple && !variable.isConditional
      && !refused.contains(where: variable.has)
      && !(variable.isToMany && variable.type?.hasSuffix(">") != true)
  }

  /// The attribute that gives a member its accessors; empty for members that are not persistent.
  ///
  /// - Parameter member: The member's text.
  /// - Returns: Such as `@_ManagedProperty(3)`.
  func memberAttributeExpansion(of member: SourceText) -> Expansion {
    var scanner = Scanner(member.source)
    guard case .variable(let variable) = scanner.takeMember(), variable.isPersistent,
      variable.attribute("_ManagedProperty") == nil, canHaveAccessors(variable)
    else { return Expansion() }
    let numbered = variable.isToMany ? toManys : slots
    guard let number = numbered.firstIndex(where: { $0.name == variable.name }) else {
      // A property that the scanner missed would silently not be persistent.
      let unseen = Diagnostic(.unseen(variable.name), in: member, at: variable.nameRange)
      return Expansion(diagnostics: diagnostics.isEmpty ? [unseen] : [])
    }
    let slot = slot(number, isToMany: variable.isToMany)
    let isDerived = variable.attribute("Attribute")?.value("derived") != nil
    return Expansion(source: "@_ManagedProperty(\(slot)\(isDerived ? ", isDerived: true" : ""))")
  }
}
