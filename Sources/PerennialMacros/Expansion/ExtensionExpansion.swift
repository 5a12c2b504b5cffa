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
    let availability = declaration.availability(in: source)
    let name = declaration.extendedName(type)
    return Expansion(source: "\(availability)extension \(name): ManagedEntity {}")
  }
}

extension ClassDeclaration {
  /// Its name in an extension: raw identifiers may have spaces, so only those around it are left out.
  ///
  /// - Parameter type: The type as the compiler names it; `nil` when it does not say.
  /// - Returns: The name.
  func extendedName(_ type: String?) -> String {
    var scanner = Scanner(type ?? spelling)
    return scanner.text(scanner.takeType())
  }

  /// Its `@available` attributes, each with a space behind it: an extension may not claim to be available more widely.
  ///
  /// - Parameter source: The text that it was scanned from.
  /// - Returns: Their text; empty when there are none.
  func availability(in source: SourceText) -> String {
    let scanner = Scanner(source.source)
    return attributes.filter { $0.name == "available" && !$0.isConditional }
      .map { scanner.text($0.range) + " " }.joined()
  }
}
