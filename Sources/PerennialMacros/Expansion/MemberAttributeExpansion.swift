// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedClass {
  /// The attribute that gives a member its accessors; empty for members that are not persistent.
  ///
  /// - Parameter member: The member's text.
  /// - Returns: Such as `@_ManagedProperty(3)`.
  func memberAttributeExpansion(of member: SourceText) -> Expansion {
    guard diagnostics.isEmpty else { return Expansion() }
    var scanner = Scanner(member.source)
    guard case .variable(let variable) = scanner.takeMember(), variable.isPersistent,
      variable.attribute("_ManagedProperty") == nil
    else { return Expansion() }
    let numbered = variable.isToMany ? toManys : slots
    guard let number = numbered.firstIndex(where: { $0.name == variable.name }) else {
      return Expansion()
    }
    let slot = slot(number, isToMany: variable.isToMany)
    return Expansion(source: "@_ManagedProperty(\(slot))")
  }
}
