// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The role of `@_ManagedProperty(3)`: a getter and a setter that read and write the slot; a derived
/// attribute has no setter.
enum AccessorExpansion {
  /// Expands the attribute.
  static func expand(_ attribute: SourceText) -> Expansion {
    var scanner = Scanner(attribute.source)
    guard let arguments = scanner.takeAttributes().first?.arguments, let argument = arguments.first,
      argument.label == nil
    else { return Expansion(diagnostics: [Diagnostic(.noSlot, in: attribute, at: 0..<0)]) }
    let slot = argument.value
    if arguments.contains(where: { $0.label == "isDerived" }) {
      return Expansion(source: "{ get { _get(\(slot)) } }")
    }
    return Expansion(source: "{ get { _get(\(slot)) } set { _set(\(slot), newValue) } }")
  }
}
