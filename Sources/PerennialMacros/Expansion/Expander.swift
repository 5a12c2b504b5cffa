// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Expands macros by name and role.
///
/// It keeps the class that it scanned last: the compiler asks for the members of a class one by
/// one, and sends the whole class each time.
struct Expander {
  private var latest: ManagedClass?

  /// Answers a request.
  mutating func expand(_ request: ExpansionRequest) -> Expansion {
    switch (request.macro, request.role) {
    case ("Managed", "member"):
      return managedClass(request.declaration, request.attribute).memberExpansion()
    case ("Managed", "memberAttribute"):
      let parent = managedClass(request.parent, request.attribute)
      return parent.memberAttributeExpansion(of: request.declaration)
    case ("Managed", "extension"):
      let declaration = managedClass(request.declaration, request.attribute)
      return declaration.extensionExpansion(
        of: request.extendedType,
        missing: request.missingConformances
      )
    case ("Composite", "extension"):
      let composite = CompositeExpansion(request.declaration, type: request.extendedType)
      return composite.expansion(missing: request.missingConformances)
    case ("ManagedProperty", "accessor"):
      return AccessorExpansion.expand(request.attribute)
    case ("Marker", "peer"):
      return MarkerExpansion.expand(request.attribute, on: request.declaration)
    case ("FetchPredicate", "expression"):
      return FormatExpansion.expand(request.attribute)
    default:
      let message = Diagnostic.Message.unknownMacro(request.macro, role: request.role)
      return Expansion(diagnostics: [Diagnostic(message, in: request.attribute, at: 0..<0)])
    }
  }

  private mutating func managedClass(
    _ source: SourceText,
    _ attribute: SourceText
  ) -> ManagedClass {
    if let latest, latest.source == source, latest.attribute == attribute { return latest }
    let scanned = ManagedClass(source, attribute)
    latest = scanned
    return scanned
  }
}
