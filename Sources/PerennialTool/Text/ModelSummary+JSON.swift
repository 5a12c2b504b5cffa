// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialModelFiles

extension ModelSummary {
  /// Everything that the model says, for programs.
  var json: JSONValue {
    let hashes = loaded.model.entityVersionHashesByName
    return [
      "name": .string(loaded.name),
      "versions": .array(loaded.versionNames.map(JSONValue.string)),
      "versionIdentifiers": .array(loaded.document.versionIdentifiers.map(JSONValue.string)),
      "entities": .array(entities.map { json(of: $0, hashes[$0.name]) }),
      "configurations": .object(
        loaded.model.configurations.map { name in
          let names = loaded.model.entities(forConfiguration: name)?.map(\.name) ?? []
          return .init(name, .array(names.map(JSONValue.string)))
        }
      ),
      "fetchRequests": .array(loaded.model.fetchRequestTemplates.map { json(of: $0) }),
    ]
  }

  private func json(of entity: EntityDescription, _ hash: Data?) -> JSONValue {
    [
      "name": .string(entity.name),
      "class": .optional(loaded.document.classes[entity.name]?.name),
      "parent": .optional(entity.parent),
      "isAbstract": .bool(entity.isAbstract),
      "versionHash": .optional(hash?.hexadecimal),
      "attributes": .array(
        entity.properties.compactMap { property in
          guard case .attribute(let attribute) = property else { return nil }
          return json(of: attribute)
        }
      ),
      "relationships": .array(
        entity.properties.compactMap { property in
          guard case .relationship(let relationship) = property else { return nil }
          return json(of: relationship)
        }
      ),
      "fetchedProperties": .array(
        entity.fetchedProperties.map { property in
          ["name": .string(property.name), "fetchRequest": json(of: property.fetchRequest)]
        }
      ),
      "uniqueness": .array(
        entity.uniquenessConstraints.map { .array($0.map(JSONValue.string)) }
      ),
      "indexes": .array(entity.indexes.map { json(of: $0) }),
      "renamingIdentifier": .optional(entity.renamingIdentifier),
      "versionHashModifier": .optional(entity.versionHashModifier),
      "userInfo": json(of: entity.userInfo),
    ]
  }

  private func json(of attribute: AttributeDescription) -> JSONValue {
    [
      "name": .string(attribute.name), "type": .string(attribute.type.words),
      "isOptional": .bool(attribute.isOptional), "default": attribute.defaultValue.json,
      "isTransient": .bool(attribute.isTransient),
      "derivation": .optional(attribute.derivationExpression),
      "allowsExternalBinaryDataStorage": .bool(attribute.allowsExternalBinaryDataStorage),
      "preservesValueInHistoryOnDeletion": .bool(attribute.preservesValueInHistoryOnDeletion),
      "valueTransformer": .optional(attribute.valueTransformerName),
      "rules": json(of: attribute.validation),
      "renamingIdentifier": .optional(attribute.renamingIdentifier),
      "versionHashModifier": .optional(attribute.versionHashModifier),
      "userInfo": json(of: attribute.userInfo),
      "elements": .array(attribute.elements.map { json(of: $0) }),
    ]
  }

  private func json(of rules: ValidationRules) -> JSONValue {
    [
      "minimum": rules.minimum.json, "maximum": rules.maximum.json,
      "minimumLength": rules.minimumLength.map(JSONValue.integer) ?? .null,
      "maximumLength": rules.maximumLength.map(JSONValue.integer) ?? .null,
      "pattern": .optional(rules.pattern), "conditions": json(of: rules.predicates),
    ]
  }

  private func json(of conditions: [ValidationPredicate]) -> JSONValue {
    .array(
      conditions.map { ["format": .string($0.format), "message": .string($0.message)] }
    )
  }

  private func json(of relationship: RelationshipDescription) -> JSONValue {
    [
      "name": .string(relationship.name),
      "destination": .string(relationship.destinationEntity),
      "inverse": .optional(relationship.inverse), "isToMany": .bool(relationship.isToMany),
      "isOrdered": .bool(relationship.isOrdered), "isOptional": .bool(relationship.isOptional),
      "minimum": .integer(relationship.minimumCount),
      "maximum": .integer(relationship.maximumCount),
      "deleteRule": .string(relationship.deleteRule.title),
      "conditions": json(of: relationship.validation),
      "renamingIdentifier": .optional(relationship.renamingIdentifier),
      "versionHashModifier": .optional(relationship.versionHashModifier),
      "userInfo": json(of: relationship.userInfo),
    ]
  }

  private func json(of index: FetchIndexDescription) -> JSONValue {
    [
      "name": .string(index.name),
      "properties": .array(index.elements.map { .string($0.property) }),
      "elements": .array(
        index.elements.map { element in
          [
            "property": .string(element.property), "isAscending": .bool(element.isAscending),
            "isFullText": .bool(element.type == .fullText),
          ]
        }
      ),
      "condition": .optional(index.partialIndexPredicate),
    ]
  }

  private func json(of template: FetchRequestTemplate) -> JSONValue {
    [
      "name": .string(template.name), "entity": .string(template.entityName),
      "predicate": .optional(template.predicate),
      "fetchLimit": .integer(template.fetchLimit),
      "includesSubentities": .bool(template.includesSubentities),
    ]
  }

  private func json(of notes: [String: String]) -> JSONValue {
    .object(notes.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
  }
}
