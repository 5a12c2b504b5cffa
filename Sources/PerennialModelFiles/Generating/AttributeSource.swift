// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The variable of an attribute, in a managed class or a composite type.
struct AttributeSource {
  let attribute: AttributeDescription
  /// The variable's name.
  let name: String
  /// The names of the composite types by their elements.
  let composites: [[AttributeDescription]: String]
  /// Whether it is an element of a composite type.
  var isElement = false
  /// Whether it lies in a composite that may be `nil`: the macros drop its default.
  var isInOptional = false

  /// The type, without what makes it optional.
  ///
  /// What Core Data keeps transformed is bytes here.
  static func typeName(of type: AttributeType) -> String {
    switch type {
    case .int16: "Int16"
    case .int32: "Int32"
    case .int64: "Int64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .bool: "Bool"
    case .date: "Date"
    case .uuid: "UUID"
    case .url: "URL"
    case .binaryData, .transformable, .undefined, .objectID, .composite: "Data"
    }
  }

  private var isComposite: Bool { attribute.type == .composite }

  /// Whether the variable may be `nil`: a required URL may too, since there is no empty URL; a save
  /// refuses it.
  private var isOptional: Bool {
    attribute.isOptional || attribute.type == .url && attribute.defaultValue.isNull
  }

  /// The type as it is declared.
  private var type: String {
    let type =
      isComposite
      ? composites[attribute.elements] ?? "Data" : Self.typeName(of: attribute.type)
    return isOptional ? type + "?" : type
  }

  /// `sha: String = ""`, what follows `var`.
  var declaration: String {
    let value = SwiftLiteral.value(attribute.defaultValue, as: attribute.type)
    return "\(SwiftName.quoted(name)): \(type)" + (value.map { " = \($0)" } ?? "")
  }

  /// `@Attribute(…)`, when there is something to say.
  var mark: String? {
    func text(_ label: String, _ value: String?) -> String? { value.map { "\(label): \($0)" } }
    func yes(_ label: String, _ value: Bool) -> String? { value ? "\(label): true" : nil }
    var arguments = [
      text("name", name == attribute.name ? nil : SwiftLiteral.string(attribute.name)),
      text("renamedFrom", attribute.renamingIdentifier.map(SwiftLiteral.string)),
    ]
    if !isComposite {
      let rules = attribute.validation
      arguments += [
        yes("external", attribute.allowsExternalBinaryDataStorage),
        yes("preservesValueOnDeletion", attribute.preservesValueInHistoryOnDeletion),
        text(
          "derived",
          isElement ? nil : attribute.derivationExpression.map(SwiftLiteral.string)
        ),
        text("minimum", SwiftLiteral.value(rules.minimum, as: attribute.type)),
        text("maximum", SwiftLiteral.value(rules.maximum, as: attribute.type)),
        text("minimumLength", rules.minimumLength.map(String.init)),
        text("maximumLength", rules.maximumLength.map(String.init)),
        text("pattern", rules.pattern.map(SwiftLiteral.string)),
        text("validation", rules.predicates.isEmpty ? nil : Self.list(rules.predicates)),
      ]
    }
    let written = arguments.compactMap(\.self)
    return written.isEmpty ? nil : "@Attribute(\(written.joined(separator: ", ")))"
  }

  static func list(_ predicates: [ValidationPredicate]) -> String {
    SwiftLiteral.list(
      predicates.map {
        "ValidationPredicate(\(SwiftLiteral.string($0.format)), "
          + "message: \(SwiftLiteral.string($0.message)))"
      }
    )
  }

  // MARK: What no mark can say

  /// Assignments that give the description what marks cannot.
  ///
  /// - Parameter target: The expression of the description.
  /// - Returns: Such as `$0.type = .transformable`.
  func completion(of target: String) -> [String] {
    var lines: [String] = []
    func set(_ property: String, _ value: String, if isNeeded: Bool) {
      if isNeeded { lines.append("\(target).\(property) = \(value)") }
    }
    let isBytes = [.transformable, .undefined, .objectID].contains(attribute.type)
    set("type", ".\(attribute.type)", if: isBytes)
    set("isOptional", "false", if: isOptional && !attribute.isOptional)
    set("isTransient", "true", if: isElement && attribute.isTransient)
    if isComposite {
      set(
        "allowsExternalBinaryDataStorage",
        "true",
        if: attribute.allowsExternalBinaryDataStorage
      )
      set(
        "preservesValueInHistoryOnDeletion",
        "true",
        if: attribute.preservesValueInHistoryOnDeletion
      )
    }
    if isComposite || isElement, let expression = attribute.derivationExpression {
      set("derivationExpression", SwiftLiteral.string(expression), if: true)
    }
    if isInOptional,
      let value = SwiftLiteral.propertyValue(attribute.defaultValue, as: attribute.type)
    {
      set("defaultValue", value, if: true)
    }
    if let name = attribute.valueTransformerName {
      set("valueTransformerName", SwiftLiteral.string(name), if: true)
    }
    if let modifier = attribute.versionHashModifier {
      set("versionHashModifier", SwiftLiteral.string(modifier), if: true)
    }
    set(
      "userInfo",
      SwiftLiteral.dictionary(attribute.userInfo),
      if: !attribute.userInfo.isEmpty
    )
    for (index, element) in attribute.elements.enumerated() {
      let source = AttributeSource(
        attribute: element,
        name: element.name,
        composites: composites,
        isElement: true,
        isInOptional: isInOptional || attribute.isOptional
      )
      lines += source.completion(of: "\(target).elements[\(index)]")
    }
    return lines
  }
}
