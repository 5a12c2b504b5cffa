// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Reads `<entity>` elements.
struct EntityReader {
  let attributes: AttributeReader
  /// The transient relationships that are left out, each as `Entity.name`.
  let transientNames: Set<String>

  /// What an element says of an entity, and of its class.
  func entity(
    _ element: XMLElement,
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> (EntityDescription, ModelClass) {
    let name = try element.name(of: "entity", in: "the model")
    var reader = ElementReader(element, as: "'\(name)'")
    var properties: [PropertyDescription] = []
    var indexed: [String] = []
    for child in element.children {
      switch child.name {
      case "attribute":
        let attribute = try attributes.attribute(child, of: name, notes: &notes)
        properties.append(.attribute(attribute))
        if child.attributes["indexed"] == "YES" { indexed.append(attribute.name) }
      case "relationship":
        if let relationship = try relationship(child, of: name, notes: &notes) {
          properties.append(.relationship(relationship))
        }
      default: break
      }
    }
    var entity = EntityDescription(
      name,
      parent: reader.name("parentEntity"),
      isAbstract: reader.flag("isAbstract"),
      uniqueness: lists(element, "uniquenessConstraints", "uniquenessConstraint", "constraint"),
      indexes: indexed.map { [$0] }
        + lists(element, "compoundIndexes", "compoundIndex", "index"),
      properties: properties
    )
    for child in element.children(named: "fetchIndex") {
      entity.indexes.append(try index(child, of: name, notes: &notes))
    }
    for child in element.children(named: "fetchedProperty") {
      entity.fetchedProperties.append(try fetchedProperty(child, of: name, notes: &notes))
    }
    entity.renamingIdentifier = reader.renamingIdentifier()
    entity.versionHashModifier = reader.name("versionHashModifier")
    entity.userInfo = reader.userInfo()
    let source = ModelClass(
      name: reader.name("representedClassName"),
      codeGeneration: codeGeneration(&reader)
    )
    reader.ignore("syncable", "coreSpotlightDisplayNameExpression")
    notes += reader.finish(
      knowing: [
        "attribute", "relationship", "fetchIndex", "fetchedProperty", "uniquenessConstraints",
        "compoundIndexes", "userInfo",
      ]
    )
    return (entity, source)
  }

  private func codeGeneration(_ reader: inout ElementReader) -> CodeGeneration {
    guard let text = reader.name("codeGenerationType") else { return .manual }
    if let generation = CodeGeneration(rawValue: text) { return generation }
    reader.note("'codeGenerationType' is unknown; no code is written")
    return .manual
  }

  private func relationship(
    _ element: XMLElement,
    of owner: String,
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> RelationshipDescription? {
    let name = try element.name(of: "relationship", in: owner)
    var reader = ElementReader(element, as: "'\(owner).\(name)'")
    if transientNames.contains("\(owner).\(name)") {
      reader.note("it is transient, which relationships cannot be, and is left out")
      notes += reader.notes
      return nil
    }
    guard let destination = reader.name("destinationEntity") else {
      throw .invalidModel(
        "Line \(element.line): '\(owner).\(name)' does not say where it leads to.",
        "give it a 'destinationEntity'",
        entity: owner,
        property: name
      )
    }
    let maximum = reader.count("maxCount")
    let isToMany = reader.flag("toMany") || (maximum ?? 1) > 1
    var relationship = RelationshipDescription(
      name,
      to: destination,
      inverse: reader.name("inverseName"),
      isToMany: isToMany,
      isOrdered: reader.flag("ordered"),
      deleteRule: deleteRule(&reader),
      isOptional: reader.flag("optional"),
      minimumCount: max(0, reader.count("minCount") ?? 0),
      maximumCount: isToMany ? max(-1, maximum ?? 0) : 1
    )
    relationship.infersInverse = false
    relationship.renamingIdentifier = reader.renamingIdentifier()
    relationship.versionHashModifier = reader.name("versionHashModifier")
    relationship.userInfo = reader.userInfo()
    if reader.flag("transient") {
      relationship.isHalfTransient = true
      reader.note("its inverse is stored, and so is it; 'transient' is left out")
    }
    reader.ignore(
      "inverseEntity",
      "indexed",
      "syncable",
      "spotlightIndexingEnabled",
      "storedInTruthFile",
      "preserveAfterDeletion"
    )
    notes += reader.finish(knowing: ["userInfo"])
    return relationship
  }

  private func deleteRule(_ reader: inout ElementReader) -> DeleteRule {
    switch reader.name("deletionRule") {
    case "Nullify", nil: return .nullify
    case "Cascade": return .cascade
    case "Deny": return .deny
    case "No Action": return .noAction
    case .some(let rule):
      reader.note("the deletion rule '\(rule)' is unknown; it counts as Nullify")
      return .nullify
    }
  }

  /// Lists of property names: `<outer><inner><item value=/>…</inner>…</outer>`.
  private func lists(
    _ element: XMLElement,
    _ outer: String,
    _ inner: String,
    _ item: String
  ) -> [[String]] {
    element.children(named: outer).flatMap { $0.children(named: inner) }
      .map { $0.children(named: item).compactMap { $0.attributes["value"] } }
      .filter { !$0.isEmpty }
  }

  private func index(
    _ element: XMLElement,
    of owner: String,
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> FetchIndexDescription {
    let name = try element.name(of: "index", in: owner)
    var reader = ElementReader(element, as: "the index '\(name)' of '\(owner)'")
    var index = FetchIndexDescription(name, elements: [])
    index.partialIndexPredicate = reader.name("partialIndexPredicate")
    for child in element.children(named: "fetchIndexElement") {
      var part = ElementReader(child, as: "the index '\(name)' of '\(owner)'")
      let isAscending = part.name("order") != "descending"
      let type = part.name("type") ?? "Binary"
      if type != "Binary", type != ModelWriter.fullText {
        part.note("an index of type '\(type)' is made an ordinary one")
      }
      if let property = part.name("property") {
        index.elements.append(
          .init(
            property,
            isAscending: isAscending,
            type: type == ModelWriter.fullText ? .fullText : .binary
          )
        )
      } else {
        part.note("an element that is an expression is left out")
      }
      part.ignore("expression", "expressionType")
      notes += part.finish()
    }
    notes += reader.finish(knowing: ["fetchIndexElement"])
    return index
  }

  private func fetchedProperty(
    _ element: XMLElement,
    of owner: String,
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> FetchedPropertyDescription {
    let name = try element.name(of: "fetched property", in: owner)
    var reader = ElementReader(element, as: "'\(owner).\(name)'")
    reader.ignore("optional", "syncable", "transient", "spotlightIndexingEnabled")
    if !reader.userInfo().isEmpty { reader.note("the notes of its author are left out") }
    notes += reader.finish(knowing: ["fetchRequest", "userInfo"])
    guard let request = element.children(named: "fetchRequest").first else {
      throw .invalidModel(
        "Line \(element.line): the fetched property '\(owner).\(name)' has no fetch request.",
        "give it one, or remove it",
        entity: owner,
        property: name
      )
    }
    // Its own name is the same in every file of Xcode's.
    let template = try FetchRequestReader().template(request, named: name, notes: &notes)
    return FetchedPropertyDescription(name, fetchRequest: template)
  }
}
