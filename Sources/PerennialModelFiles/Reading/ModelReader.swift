// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Reads the XML of a model: `contents` in an `.xcdatamodel`.
struct ModelReader {
  /// The file's name, for errors.
  let name: String

  /// The model, and what its file says besides.
  func document(_ data: Data) throws(PerennialError) -> ModelDocument {
    if data.starts(with: Data("bplist".utf8)) {
      throw .unreadableModel(
        name,
        "it is compiled, or of a form older than Xcode 4",
        "give the '.xcdatamodeld' that it was made of; open an old one in Xcode and save it again"
      )
    }
    let root = try XMLTreeReader.read(data, named: name)
    guard root.name == "model" else {
      throw .unreadableModel(name, "its outermost element is '\(root.name)', not 'model'")
    }
    return try document(root)
  }

  private func document(_ root: XMLElement) throws(PerennialError) -> ModelDocument {
    var reader = ElementReader(root, as: "the model")
    var notes: [ModelDiagnostic] = []
    var composites: [String: XMLElement] = [:]
    for element in root.children(named: "composite") {
      let name = try element.name(of: "composite", in: "the model")
      if composites.updateValue(element, forKey: name) != nil {
        reader.note("it has the composite '\(name)' twice; the last one counts")
      }
    }
    try CompositeSizes(composites).check(root)
    let places = ModelPlaces(of: root)
    // Before anything goes from parent to parent.
    let outline = outline(root)
    try checkInheritance(of: outline, places)
    let entities = EntityReader(
      attributes: AttributeReader(composites: composites),
      transientNames: transientNames(root, outline)
    )
    var descriptions: [EntityDescription] = []
    var classes: [String: ModelClass] = [:]
    for element in root.children(named: "entity") {
      let (entity, source) = try entities.entity(element, notes: &notes)
      descriptions.append(entity)
      classes[entity.name] = source
    }
    var templates: [FetchRequestTemplate] = []
    for element in root.children(named: "fetchRequest") {
      let name = try element.name(of: "fetch request", in: "the model")
      templates.append(try FetchRequestReader().template(element, named: name, notes: &notes))
    }
    let identifier = reader.name("userDefinedModelVersionIdentifier")
    reader.ignore(
      "type",
      "documentVersion",
      "lastSavedToolsVersion",
      "systemVersion",
      "minimumToolsVersion",
      "sourceLanguage",
      "macOSVersion",
      "iOSVersion",
      "usedWithSwiftData",
      "usedWithCloudKit"
    )
    notes += reader.finish(
      knowing: ["entity", "fetchRequest", "configuration", "composite", "elements"]
    )
    try checkInheritance(of: descriptions, places)
    let parts = UnusableParts(
      entities: descriptions,
      templates: templates,
      configurations: try configurations(root, notes: &notes),
      lines: places.lines
    )
    notes += parts.notes
    let model: ManagedObjectModel
    do throws(PerennialError) {
      model = try ManagedObjectModel(
        entities: parts.entities,
        fetchRequestTemplates: parts.templates,
        configurations: parts.configurations
      )
    } catch {
      throw places.locating(error)
    }
    notes += MissingInverses.notes(in: model, lines: places.lines)
    notes += WrongTexts.notes(in: model, lines: places.lines)
    return ModelDocument(
      name: name,
      model: model,
      versionIdentifiers: identifier.map { [$0] } ?? [],
      classes: classes,
      compositeNames: entities.attributes.compositeNames(),
      places: places.lines,
      diagnostics: notes.sorted { ($0.line, $0.message) < ($1.line, $1.message) }
    )
  }

  /// The entities with nothing but their parents.
  private func outline(_ root: XMLElement) -> [EntityDescription] {
    root.children(named: "entity").compactMap { element in
      guard let name = element.attributes["name"], !name.isEmpty else { return nil }
      let parent = element.attributes["parentEntity"].flatMap { $0.isEmpty ? nil : $0 }
      return EntityDescription(name, parent: parent, properties: [])
    }
  }

  private func checkInheritance(
    of entities: [EntityDescription],
    _ places: ModelPlaces
  ) throws(PerennialError) {
    do throws(PerennialError) {
      try InheritanceCheck.check(entities)
    } catch {
      throw places.locating(error)
    }
  }

  /// The transient relationships whose inverses, if they have any, are transient, too: a store has nothing of
  /// either, and its version hashes do not count them.
  private func transientNames(_ root: XMLElement, _ outline: [EntityDescription]) -> Set<String> {
    let parents = Dictionary(outline.map { ($0.name, $0.parent) }) { first, _ in first }
    var names: [String: Set<String>] = [:]
    var found: [(owner: String, element: XMLElement)] = []
    for entity in root.children(named: "entity") {
      let owner = entity.attributes["name"] ?? ""
      for element in entity.children(named: "relationship")
      where ["YES", "true"].contains(element.attributes["transient"]) {
        names[owner, default: []].insert(element.attributes["name"] ?? "")
        found.append((owner, element))
      }
    }
    // The inverse is declared by the entity that is named, or by one that it inherits from.
    func leadsBackFromTransient(_ element: XMLElement) -> Bool {
      guard let inverse = element.attributes["inverseName"] else { return true }
      var owner = element.attributes["inverseEntity"] ?? element.attributes["destinationEntity"]
      while let entity = owner {
        if names[entity]?.contains(inverse) == true { return true }
        owner = parents[entity] ?? nil
      }
      return false
    }
    return Set(
      found.filter { leadsBackFromTransient($0.element) }
        .map { "\($0.owner).\($0.element.attributes["name"] ?? "")" }
    )
  }

  private func configurations(
    _ root: XMLElement,
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for element in root.children(named: "configuration") {
      let name = try element.name(of: "configuration", in: "the model")
      let members = element.children(named: "memberEntity").compactMap { $0.attributes["name"] }
      if configurations.updateValue(members, forKey: name) != nil {
        let message = "the model has the configuration '\(name)' twice; the last one counts"
        notes.append(ModelDiagnostic(line: element.line, message))
      }
    }
    return configurations
  }
}
