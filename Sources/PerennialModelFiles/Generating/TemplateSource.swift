// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// The static function of a fetch request of the model, with a parameter for each `$VARIABLE`.
struct TemplateSource {
  let template: FetchRequestTemplate
  /// The function's name.
  let name: String
  let entities: [String: EntityDescription]
  let classes: ClassNames
  /// `public `, with the space, or nothing.
  let access: String

  /// The function's text.
  ///
  /// - Throws: A format error (200001) for a condition that cannot be read.
  func text() throws(PerennialError) -> String {
    let type = classes[template.entityName]
    var parameters: [Parameter] = []
    if let text = template.predicate {
      let condition = try FetchPredicate(parsing: text).checked()
      let types = VariableTypes(of: condition, on: template.entityName, in: entities)
      parameters = Self.parameters(types, classes)
    }
    let list = parameters.map { "\(SwiftName.quoted($0.name)): \($0.type)" }
    var lines = ["  /// The fetch request '\(SwiftLiteral.comment(template.name))' of the model."]
    if let text = template.predicate, !text.contains(where: \.isNewline) {
      lines.append("  ///\n  /// `\(SwiftLiteral.comment(text))`")
    }
    lines.append(
      "  \(access)static func \(SwiftName.quoted(name))(\(list.joined(separator: ", ")))"
        + " -> FetchRequest<\(type)> {"
    )
    lines += body(type, parameters).map { "    " + $0 } + ["  }"]
    return lines.joined(separator: "\n")
  }

  private func body(_ type: String, _ parameters: [Parameter]) -> [String] {
    guard template != FetchRequestTemplate(template.name, entity: template.entityName) else {
      return ["FetchRequest<\(type)>()"]
    }
    var lines = ["var request = FetchRequest<\(type)>()"]
    if let text = template.predicate {
      let predicate = "FetchPredicate(format: \(SwiftLiteral.string(text)))"
      if parameters.isEmpty {
        lines.append("request.predicate = \(predicate)")
      } else {
        lines.append("request.predicate = \(predicate)")
        lines.append("  .withSubstitutionVariables([")
        lines += parameters.map { "    \(SwiftLiteral.string($0.variable)): \($0.value)," }
        lines.append("  ])")
      }
    }
    if template.fetchLimit != 0 { lines.append("request.fetchLimit = \(template.fetchLimit)") }
    if !template.includesSubentities { lines.append("request.includesSubentities = false") }
    return lines + ["return request"]
  }

  /// A parameter of the function.
  private struct Parameter {
    /// The variable's name in the condition.
    let variable: String
    let name: String
    let type: String
    /// The expression that takes the variable's place.
    let value: String
  }

  private static func parameters(_ types: VariableTypes, _ classes: ClassNames) -> [Parameter] {
    var taken: Set<String> = ["request"]
    return types.names.map { variable in
      let isSmall = variable.first?.isLowercase == true
      var name = isSmall ? variable : SwiftName.name(of: variable, isCapital: false)
      if !SwiftName.isName(name) { name = "_" + name }
      if name == "self" { name += "_" }
      while !taken.insert(name).inserted { name += "_" }
      let value = SwiftName.quoted(name)
      func parameter(_ type: String, _ value: String) -> Parameter {
        Parameter(variable: variable, name: name, type: type, value: value)
      }
      switch types[variable] {
      case .value(let type, let isOptional):
        let type = AttributeSource.typeName(of: type)
        return parameter(type + (isOptional ? "?" : ""), value)
      case .object(let entity): return parameter("\(classes[entity])?", "\(value)?.objectID")
      case .list(.value(let type, _)):
        return parameter("[\(AttributeSource.typeName(of: type))]", value)
      case .list(.object(let entity)):
        return parameter("[\(classes[entity])]", "\(value).map(\\.objectID)")
      case .list(.list), nil: return parameter("(any Sendable)?", value)
      }
    }
  }

  /// The expression of a template's description.
  static func text(of template: FetchRequestTemplate) -> String {
    var arguments = [
      SwiftLiteral.string(template.name), "entity: \(SwiftLiteral.string(template.entityName))",
    ]
    if let predicate = template.predicate {
      arguments.append("predicate: \(SwiftLiteral.string(predicate))")
    }
    if template.fetchLimit != 0 { arguments.append("fetchLimit: \(template.fetchLimit)") }
    if !template.includesSubentities { arguments.append("includesSubentities: false") }
    return "FetchRequestTemplate(\(arguments.joined(separator: ", ")))"
  }
}
