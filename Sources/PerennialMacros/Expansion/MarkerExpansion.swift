// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The role of `@Attribute`, `@Unique`, `@Indexed`, `@Relationship` and `@Transient`.
///
/// They add nothing; `@Managed` reads them in the class's text.
enum MarkerExpansion {
  /// Checks that a marker stands on a property that can be persistent.
  static func expand(_ attribute: SourceText, on declaration: SourceText) -> Expansion {
    var scanner = Scanner(declaration.source)
    if case .variable(let variable) = scanner.takeMember(), variable.isPersistent {
      return Expansion()
    }
    var nameScanner = Scanner(attribute.source)
    let attributes = nameScanner.takeAttributes()
    let name = attributes.first?.name ?? ""
    let range = attributes.first?.range ?? 0..<0
    let fixIt = Diagnostic.FixIt(message: "remove '@\(name)'", range: range, newText: "")
    let message = Diagnostic.Message.notProperty(attribute: name)
    return Expansion(
      diagnostics: [Diagnostic(message, in: attribute, at: range, fixIts: [fixIt])]
    )
  }
}
