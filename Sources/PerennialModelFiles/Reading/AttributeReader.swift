// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Reads `<attribute>` elements, of entities and of composite attributes.
struct AttributeReader {
  /// The `<composite>` elements of the model by name.
  let composites: [String: XMLElement]

  /// The types as model files call them.
  private static let types = Dictionary(
    uniqueKeysWithValues: AttributeType.allCases.map { ($0.words, $0) }
  )

  /// What an element says of an attribute.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - owner: The name of the entity, or of the composite.
  ///   - path: The composites that are being read, from the outermost on.
  ///   - notes: Collects what is left out.
  /// - Returns: The attribute.
  /// - Throws: `invalidModel` for what has no name or an unknown type.
  func attribute(
    _ element: XMLElement,
    of owner: String,
    within path: [String] = [],
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> AttributeDescription {
    let name = try element.name(of: "attribute", in: owner)
    var reader = ElementReader(element, as: "'\(owner).\(name)'")
    let type = try type(&reader, of: owner, name)
    var attribute = AttributeDescription(name, type, isOptional: reader.flag("optional"))
    attribute.isTransient = reader.flag("transient")
    attribute.allowsExternalBinaryDataStorage = reader.flag("allowsExternalBinaryDataStorage")
    attribute.preservesValueInHistoryOnDeletion = reader.flag("preserveAfterDeletion")
    attribute.valueTransformerName = reader.name("valueTransformerName")
    attribute.versionHashModifier = reader.name("versionHashModifier")
    attribute.renamingIdentifier = reader.renamingIdentifier()
    let expression = reader.name("derivationExpression")
    if reader.flag("derived") {
      attribute.derivationExpression = expression
      if expression == nil {
        reader.note("it is derived, but no expression says of what; it is an ordinary attribute")
      }
    }
    attribute.userInfo = reader.userInfo()
    if type == .composite {
      attribute.elements = try elements(&reader, of: owner, name, within: path, notes: &notes)
    }
    readDefault(of: &attribute, &reader)
    readRules(of: &attribute, &reader)
    reader.ignore(
      "indexed",
      "syncable",
      "usesScalarValueType",
      "customClassName",
      "spotlightIndexingEnabled",
      "storedInTruthFile",
      "allowsCloudEncryption"
    )
    notes += reader.finish(knowing: ["userInfo"])
    return attribute
  }

  /// The names of the composites by their elements.
  ///
  /// One that cannot be read has an error where an attribute is made of it, and none where nobody uses it.
  func compositeNames() -> [[AttributeDescription]: String] {
    var names: [[AttributeDescription]: String] = [:]
    for (name, composite) in composites.sorted(by: { $0.key > $1.key }) {
      var notes: [ModelDiagnostic] = []
      let elements = composite.children(named: "attribute").compactMap {
        try? attribute($0, of: name, within: [name], notes: &notes)
      }
      names[elements] = name
    }
    return names
  }

  private func type(
    _ reader: inout ElementReader,
    of owner: String,
    _ name: String
  ) throws(PerennialError) -> AttributeType {
    guard let text = reader.name("attributeType") else { return .undefined }
    if let type = Self.types[text] { return type }
    throw .invalidModel(
      "Line \(reader.element.line): '\(owner).\(name)' has the unknown type '\(text)'.",
      PerennialError.suggestion(for: text, among: Array(Self.types.keys)),
      entity: owner,
      property: name
    )
  }

  private func elements(
    _ reader: inout ElementReader,
    of owner: String,
    _ name: String,
    within path: [String],
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> [AttributeDescription] {
    let composite = reader.text("composite") ?? ""
    func invalid(_ message: String, _ recovery: String) -> PerennialError {
      .invalidModel(
        "Line \(reader.element.line): \(message)",
        recovery,
        entity: path.first ?? owner,
        property: name
      )
    }
    guard let element = composites[composite] else {
      throw invalid(
        "'\(owner).\(name)' is made of '\(composite)', which the model does not have.",
        PerennialError.suggestion(for: composite, among: Array(composites.keys))
      )
    }
    guard !path.contains(composite) else {
      throw invalid(
        "The composite '\(composite)' is made of itself.",
        "remove '\(name)' from '\(owner)'"
      )
    }
    guard path.count < CompositeSizes.deepest else {
      throw invalid(
        "Over \(CompositeSizes.deepest) composites lie in one another.",
        "make '\(owner).\(name)' of attributes that are not composite"
      )
    }
    var elements: [AttributeDescription] = []
    for child in element.children(named: "attribute") {
      elements.append(
        try attribute(child, of: composite, within: path + [composite], notes: &notes)
      )
    }
    return elements
  }

  // MARK: Values

  private func readDefault(of attribute: inout AttributeDescription, _ reader: inout ElementReader)
  {
    let text = reader.text("defaultValueString")
    let seconds = reader.name("defaultDateTimeInterval")
    if attribute.type == .date, let seconds {
      guard let number = Double(seconds), number.isFinite else {
        return reader.note("'defaultDateTimeInterval' is no number, and is left out")
      }
      attribute.defaultValue = .date(Date(timeIntervalSinceReferenceDate: number))
    } else if let text {
      if let value = PropertyValue(modelText: text, as: attribute.type) {
        attribute.defaultValue = value
      } else if !text.isEmpty {
        reader.note("the default is not of type \(attribute.type), and is left out")
      }
    }
  }

  private func readRules(of attribute: inout AttributeDescription, _ reader: inout ElementReader) {
    var rules = ValidationRules()
    rules.pattern = reader.name("regularExpressionString")
    let (minimum, maximum) = (reader.name("minValueString"), reader.name("maxValueString"))
    let earliest = reader.seconds("minDateTimeInterval")
    let latest = reader.seconds("maxDateTimeInterval")
    func bound(_ text: String?, _ key: String) -> PropertyValue {
      guard let text else { return .null }
      if attribute.type != .bool, attribute.type != .string,
        let value = PropertyValue(modelText: text, as: attribute.type)
      {
        return value
      }
      reader.note("'\(key)' is not of type \(attribute.type), and is left out")
      return .null
    }
    switch attribute.type {
    case .string, .binaryData:
      rules.minimumLength = minimum.flatMap(Int.init)
      rules.maximumLength = maximum.flatMap(Int.init)
      if minimum != nil, rules.minimumLength == nil {
        reader.note("'minValueString' is no length, and is left out")
      }
      if maximum != nil, rules.maximumLength == nil {
        reader.note("'maxValueString' is no length, and is left out")
      }
    case .date:
      rules.minimum = earliest.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
      rules.maximum = latest.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
      if minimum != nil || maximum != nil, rules.minimum.isNull, rules.maximum.isNull {
        reader.note("its earliest or latest date is in words, and is left out")
      }
    default:
      rules.minimum = bound(minimum, "minValueString")
      rules.maximum = bound(maximum, "maxValueString")
    }
    attribute.validation = rules
  }
}

extension PropertyValue {
  /// The value that a model file gives as text, or `nil` when it is none of a type.
  init?(modelText text: String, as type: AttributeType) {
    switch type {
    case .int16, .int32, .int64:
      // Some tools write "0.0".
      guard let number = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }) else {
        return nil
      }
      self = .integer(number)
    case .bool:
      switch text {
      case "YES", "true", "1": self = .boolean(true)
      case "NO", "false", "0": self = .boolean(false)
      default: return nil
      }
    case .double, .float:
      guard let number = Double(text), number.isFinite,
        let value = PropertyValue.double(number).rounded(to: type)
      else { return nil }
      self = value
    case .decimal:
      // Foundation reads as far as it can, and takes "12abc" for 12 and "-" for 0.
      guard text.wholeMatch(of: /[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil,
        let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
      else { return nil }
      self = .decimal(number)
    case .string: self = .string(text)
    case .uuid:
      guard let identifier = UUID(uuidString: text) else { return nil }
      self = .uuid(identifier)
    case .url:
      guard let url = URL(string: text) else { return nil }
      self = .url(url)
    case .date, .binaryData, .transformable, .undefined, .objectID, .composite: return nil
    }
  }
}

extension XMLElement {
  /// The name that an element must have.
  func name(of kind: String, in owner: String) throws(PerennialError) -> String {
    if let name = attributes["name"], !name.isEmpty { return name }
    throw .invalidModel("Line \(line): there is a \(kind) without a name in '\(owner)'.", "name it")
  }
}
