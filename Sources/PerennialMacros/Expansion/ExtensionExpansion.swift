// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedClass {
  /// The conformance to `ManagedEntity`; empty when the class has it already.
  ///
  /// - Parameters:
  ///   - type: The type as the compiler names it.
  ///   - missing: The conformances that are missing; `nil` when the compiler does not say.
  /// - Returns: Such as `extension Commit: ManagedEntity {}`.
  func extensionExpansion(of type: String?, missing: String?) -> Expansion {
    guard diagnostics.isEmpty, declaration.isRoot, !declaration.namesManagedEntity else {
      return Expansion()
    }
    if let missing, !missing.contains("ManagedEntity") { return Expansion() }
    let name = (type ?? declaration.spelling).filter { !$0.isWhitespace }
    return Expansion(source: "extension \(name): ManagedEntity {}")
  }
}
