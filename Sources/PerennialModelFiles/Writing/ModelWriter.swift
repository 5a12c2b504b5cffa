// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Writes a model as Xcode's editor does.
struct ModelWriter {
  /// The type of the elements of full-text indexes, which Xcode does not have.
  static let fullText = "FullText"

  let document: ModelDocument

  /// The text of `contents`.
  ///
  /// - Returns: XML in UTF-8.
  /// - Throws: `invalidModel` (134020) for a text that no XML file can hold.
  func contents() throws(PerennialError) -> Data {
    var xml = XMLText()
    var composites = CompositeNames(document.compositeNames)
    xml.element(
      "model",
      [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
        ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
        ("userDefinedModelVersionIdentifier", document.versionIdentifiers.first ?? ""),
      ]
    ) { xml in
      for entity in document.model.entities.sorted(by: { $0.name < $1.name }) {
        write(entity, to: &xml, &composites)
      }
      for template in document.model.fetchRequestTemplates {
        write(template, named: template.name, to: &xml)
      }
      for configuration in document.model.configurations {
        xml.element("configuration", [("name", configuration)]) { xml in
          for name in document.model.entities(forConfiguration: configuration)?.map(\.name) ?? [] {
            xml.element("memberEntity", [("name", name)])
          }
        }
      }
      composites.visit { name, elements, composites in
        xml.element("composite", [("name", name)]) { xml in
          for element in elements { write(element, to: &xml, &composites) }
        }
      }
    }
    if let (character, place) = xml.unwritable {
      throw .unwritableModel(document.name, character, place)
    }
    return Data(xml.text.utf8)
  }

  private func write(
    _ entity: EntityDescription,
    to xml: inout XMLText,
    _ composites: inout CompositeNames
  ) {
    let source = document.classes[entity.name]
    let generation = source?.codeGeneration ?? .classDefinition
    xml.element(
      "entity",
      [
        ("name", entity.name), ("representedClassName", source == nil ? entity.name : source?.name),
        ("parentEntity", entity.parent), ("isAbstract", flag(entity.isAbstract)),
        ("elementID", entity.renamingIdentifier),
        ("versionHashModifier", entity.versionHashModifier), ("syncable", "YES"),
        ("codeGenerationType", generation == .manual ? nil : generation.rawValue),
      ]
    ) { xml in
      for property in entity.properties {
        switch property {
        case .attribute(let attribute): write(attribute, to: &xml, &composites)
        case .relationship(let relationship): write(relationship, to: &xml)
        }
      }
      for property in entity.fetchedProperties {
        xml.element("fetchedProperty", [("name", property.name), ("optional", "YES")]) { xml in
          write(property.fetchRequest, named: "fetchedPropertyFetchRequest", to: &xml)
        }
      }
      for index in entity.indexes { write(index, to: &xml) }
      if !entity.uniquenessConstraints.isEmpty {
        xml.element("uniquenessConstraints", []) { xml in
          for names in entity.uniquenessConstraints {
            xml.element("uniquenessConstraint", []) { xml in
              for name in names { xml.element("constraint", [("value", name)]) }
            }
          }
        }
      }
      write(entity.userInfo, to: &xml)
    }
  }

  private func write(
    _ attribute: AttributeDescription,
    to xml: inout XMLText,
    _ composites: inout CompositeNames
  ) {
    let rules = attribute.validation
    let isDate = attribute.type == .date
    let isComposite = attribute.type == .composite
    xml.element(
      "attribute",
      [
        ("name", attribute.name), ("optional", flag(attribute.isOptional)),
        ("transient", flag(attribute.isTransient)),
        ("attributeType", attribute.type == .undefined ? nil : attribute.type.words),
        ("composite", isComposite ? composites.name(of: attribute) : nil),
        (
          isDate ? "minDateTimeInterval" : "minValueString",
          text(of: rules.minimum, as: attribute.type)
        ),
        (
          isDate ? "maxDateTimeInterval" : "maxValueString",
          text(of: rules.maximum, as: attribute.type)
        ),
        ("minValueString", rules.minimumLength.map(String.init)),
        ("maxValueString", rules.maximumLength.map(String.init)),
        ("regularExpressionString", rules.pattern),
        (
          isDate ? "defaultDateTimeInterval" : "defaultValueString",
          text(of: attribute.defaultValue, as: attribute.type)
        ),
        ("derived", flag(attribute.derivationExpression != nil)),
        ("derivationExpression", attribute.derivationExpression),
        ("valueTransformerName", attribute.valueTransformerName),
        (
          "allowsExternalBinaryDataStorage",
          flag(attribute.allowsExternalBinaryDataStorage)
        ),
        ("preserveAfterDeletion", flag(attribute.preservesValueInHistoryOnDeletion)),
        ("elementID", attribute.renamingIdentifier),
        ("versionHashModifier", attribute.versionHashModifier),
      ]
    ) { write(attribute.userInfo, to: &$0) }
  }

  private func write(_ relationship: RelationshipDescription, to xml: inout XMLText) {
    let maximum = relationship.maximumCount
    let rule =
      switch relationship.deleteRule {
      case .nullify: "Nullify"
      case .cascade: "Cascade"
      case .deny: "Deny"
      case .noAction: "No Action"
      }
    xml.element(
      "relationship",
      [
        ("name", relationship.name), ("optional", flag(relationship.isOptional)),
        ("transient", flag(relationship.isHalfTransient)),
        ("toMany", flag(relationship.isToMany)),
        ("minCount", relationship.minimumCount == 0 ? nil : String(relationship.minimumCount)),
        ("maxCount", maximum == 0 ? nil : String(maximum)),
        ("ordered", flag(relationship.isOrdered)), ("deletionRule", rule),
        ("destinationEntity", relationship.destinationEntity),
        ("inverseName", relationship.inverse),
        ("inverseEntity", relationship.inverse.map { _ in relationship.destinationEntity }),
        ("elementID", relationship.renamingIdentifier),
        ("versionHashModifier", relationship.versionHashModifier),
      ]
    ) { write(relationship.userInfo, to: &$0) }
  }

  private func write(_ index: FetchIndexDescription, to xml: inout XMLText) {
    xml.element(
      "fetchIndex",
      [("name", index.name), ("partialIndexPredicate", index.partialIndexPredicate)]
    ) { xml in
      for element in index.elements {
        xml.element(
          "fetchIndexElement",
          [
            ("property", element.property),
            ("type", element.type == .fullText ? Self.fullText : "Binary"),
            ("order", element.isAscending ? "ascending" : "descending"),
          ]
        )
      }
    }
  }

  private func write(
    _ template: FetchRequestTemplate,
    named name: String,
    to xml: inout XMLText
  ) {
    xml.element(
      "fetchRequest",
      [
        ("name", name), ("entity", template.entityName), ("predicateString", template.predicate),
        ("fetchLimit", template.fetchLimit == 0 ? nil : String(template.fetchLimit)),
        ("includeSubentities", template.includesSubentities ? "YES" : "NO"),
      ]
    )
  }

  private func write(_ userInfo: [String: String], to xml: inout XMLText) {
    guard !userInfo.isEmpty else { return }
    xml.element("userInfo", []) { xml in
      for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
        xml.element("entry", [("key", key), ("value", value)])
      }
    }
  }

  private func flag(_ value: Bool) -> String? { value ? "YES" : nil }

  /// A value as a model file has it; `nil` for none.
  private func text(of value: PropertyValue, as type: AttributeType) -> String? {
    switch value {
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    case .double(let value): type == .float ? "\(Float(value))" : "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): value
    case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .null, .data, .objectID: nil
    }
  }
}

/// Names for composite attributes: equal elements have one.
struct CompositeNames {
  private var names: [[AttributeDescription]: String] = [:]
  private var pending: [(name: String, elements: [AttributeDescription])] = []
  private var taken: Set<String> = []

  /// Starts with the names that composites have: those of a file keep them, also where nobody uses them.
  init(_ known: [[AttributeDescription]: String]) {
    names = known
    taken = Set(known.values)
    pending = known.map { (name: $0.value, elements: $0.key) }.sorted { $0.name < $1.name }
  }

  mutating func name(of attribute: AttributeDescription) -> String {
    if let name = names[attribute.elements] { return name }
    let stem = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
    var name = stem
    var number = 1
    while !taken.insert(name).inserted {
      number += 1
      name = "\(stem)\(number)"
    }
    names[attribute.elements] = name
    pending.append((name, attribute.elements))
    return name
  }

  /// Calls a closure with each, those included that it meets on the way.
  mutating func visit(_ body: (String, [AttributeDescription], inout CompositeNames) -> Void) {
    while !pending.isEmpty {
      let (name, elements) = pending.removeFirst()
      body(name, elements, &self)
    }
  }
}
