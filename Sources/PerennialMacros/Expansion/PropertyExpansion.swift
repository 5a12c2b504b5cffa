// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The description of a property, such as `.of("message", String.self, renamedFrom: "msg")`.
///
/// The macro does not interpret the type: overloads of `of` tell attributes from relationships.
/// Only arguments that the user wrote are passed on, in the order of those overloads.
struct PropertyExpansion {
  private let variable: VariableDeclaration

  init(_ variable: VariableDeclaration) {
    self.variable = variable
  }

  /// The expression of the type.
  var metatype: String {
    let type = variable.typeForMetatype ?? ""
    let isName = type.utf8.allSatisfy {
      Scanner.isWordByte($0) || "<>.:".utf8.contains($0) || $0 == UInt8(ascii: "`")
    }
    return isName ? "\(type).self" : "(\(type)).self"
  }

  /// The expression.
  var text: String {
    let isRelationship = variable.isToMany || variable.attribute("Relationship") != nil
    let arguments = isRelationship ? relationshipArguments : attributeArguments
    return ".of(" + (["\"\(variable.modelName)\"", metatype] + arguments).joined(separator: ", ")
      + ")"
  }

  private var attributeArguments: [String] {
    let attribute = variable.attribute("Attribute")
    // No value is the default of every optional property, and to-one relationships take no other.
    let initialValue = variable.initialValue.flatMap { $0 == "nil" ? nil : $0 }
    let isTransient = variable.attribute("Transient") == nil ? nil : "true"
    return [
      argument("default", initialValue),
      argument("renamedFrom", attribute?.value("renamedFrom")),
      argument("isTransient", isTransient),
      argument("isExternal", attribute?.value("external")),
      argument("preservesValueOnDeletion", attribute?.value("preservesValueOnDeletion")),
      argument("derived", attribute?.value("derived")),
    ].compactMap(\.self)
      + PropertyCheck.ruleLabels.compactMap {
        argument($0, attribute?.value($0))
      }
  }

  private var relationshipArguments: [String] {
    let relationship = variable.attribute("Relationship")
    return [
      argument("inverse", relationship?.value("inverse").map(inverseName)),
      argument("deleteRule", relationship?.value("deleteRule")),
      argument("isOptional", relationship?.value("optional")),
      argument("minimumCount", relationship?.value("minimumCount")),
      argument("maximumCount", relationship?.value("maximumCount")),
      argument("renamedFrom", relationship?.value("renamedFrom")),
    ].compactMap(\.self)
  }

  private func argument(_ label: String, _ value: String?) -> String? {
    value.map { "\(label): \($0)" }
  }

  private func inverseName(_ argument: String) -> String {
    guard case .keyPath(_, let property) = Inverse(argument) else { return argument }
    return "\"\(property)\""
  }
}
