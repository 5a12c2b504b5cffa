// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The role of `@Composite`: the conformance of a struct to `CompositeAttribute`, with its members.
struct CompositeExpansion {
  private let declaration: ClassDeclaration
  /// The struct as the compiler names it.
  private let type: String
  /// The `@available` attributes of the struct.
  private let availability: String
  private let diagnostics: [Diagnostic]

  /// Scans and checks a struct.
  ///
  /// - Parameters:
  ///   - source: The struct's text.
  ///   - type: The struct as the compiler names it.
  init(_ source: SourceText, type: String?) {
    declaration = ClassDeclaration(source.source)
    self.type = declaration.extendedName(type)
    availability = declaration.availability(in: source)
    diagnostics = CompositeCheck(declaration, in: source).diagnostics
  }

  /// The extension, or what is wrong with the struct.
  ///
  /// - Parameter missing: The conformances that are missing; `nil` when the compiler does not say.
  /// - Returns: Nothing when the struct conforms already.
  func expansion(missing: String?) -> Expansion {
    guard diagnostics.isEmpty else { return Expansion(diagnostics: diagnostics) }
    if let missing, !missing.contains("CompositeAttribute") { return Expansion() }
    let members = [elements, slotCount, elementName, initializer, writer].joined(separator: "\n")
    // Empty lines may be those of a literal.
    let lines = members.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  \($0)" }
    let body = lines.joined(separator: "\n")
    let head = "\(availability)extension \(type): nonisolated CompositeAttribute"
    return Expansion(source: "\(head) {\n\(body)\n}")
  }

  private var variables: [VariableDeclaration] { declaration.persistent }

  private var access: String { "\(declaration.access)nonisolated " }

  private var elements: String {
    let list = variables.map { "    \(PropertyExpansion($0).text),\n" }.joined()
    return "\(access)static var _elements: [PropertyDescription] {\n  [\n\(list)  ]\n}"
  }

  private var slotCount: String {
    "\(access)static var _slotCount: Int { \(SlotCount(of: variables).text) }"
  }

  private var elementName: String {
    let lines = variables.map {
      "  if keyPath == \\\(type).\($0.spelling) { return \"\($0.modelName)\" }\n"
    }
    return """
      \(access)static func _elementName(for keyPath: AnyKeyPath) -> String? {
      \(lines.joined())  return nil
      }
      """
  }

  private var initializer: String {
    let lines = variables.map { variable -> String in
      let value = variable.isOptional ? nil : variable.initialValue
      let argument = value.map { "default: \($0)" } ?? ""
      return "  self.\(variable.spelling) = elements.read(\(argument))\n"
    }
    return "\(access)init(_reading elements: inout _ElementReader) {\n\(lines.joined())}"
  }

  private var writer: String {
    let lines = variables.map { "  elements.write(self.\($0.spelling))\n" }
    return "\(access)func _write(to elements: inout _ElementWriter) {\n\(lines.joined())}"
  }
}

/// The expression of how many slots some properties take.
///
/// A macro cannot tell a composite attribute from an enum: overloads of `slots(of:)` do.
struct SlotCount {
  /// Such as `3 + _ElementReader.slots(of: Kind.self)`.
  let text: String

  init(of variables: [VariableDeclaration]) {
    let others = variables.filter { !$0.isSingleSlot }
    let terms = others.map { " + _ElementReader.slots(of: \(PropertyExpansion($0).metatype))" }
    text = "\(variables.count - others.count)\(terms.joined())"
  }
}

extension VariableDeclaration {
  /// Whether its type says that it may have no value.
  var isOptional: Bool { wrappedType != nil }

  /// Whether it is known to take one slot: a relationship, or an attribute of a standard type.
  fileprivate var isSingleSlot: Bool {
    let type = typeForMetatype ?? ""
    let plain = type.hasSuffix("?") ? String(type.dropLast()) : type
    return attribute("Relationship") != nil || ManagedClass.valueTypes.contains(plain)
  }
}
