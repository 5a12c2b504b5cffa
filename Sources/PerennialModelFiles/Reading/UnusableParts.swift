// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Takes out of a model that was read what no model can have, though Xcode saves and compiles it, and tells
/// it: nothing of it is in stores or counts in version hashes.
struct UnusableParts {
  private(set) var entities: [EntityDescription]
  private(set) var templates: [FetchRequestTemplate]
  private(set) var configurations: [String: [String]]
  private(set) var notes: [ModelDiagnostic] = []
  /// The lines of entities, properties and fetch requests, where they are known.
  private let lines: [String: Int]

  /// Looks through a model.
  init(
    entities: [EntityDescription],
    templates: [FetchRequestTemplate],
    configurations: [String: [String]],
    lines: [String: Int] = [:]
  ) {
    self.entities = entities
    self.templates = templates
    self.configurations = configurations
    self.lines = lines
    removeRepeatedAttributes()
    for index in entities.indices { self.entities[index] = cleaned(self.entities[index]) }
    removeIndexes()
    removeWhatNamesNoEntity()
  }

  private mutating func note(_ place: String, _ message: String) {
    notes.append(ModelDiagnostic(line: lines[place] ?? 0, message))
  }

  // MARK: Properties

  private mutating func cleaned(_ entity: EntityDescription) -> EntityDescription {
    var entity = entity
    for index in entity.properties.indices {
      switch entity.properties[index] {
      case .attribute(var attribute):
        clean(&attribute, "\(entity.name).\(attribute.name)")
        entity.properties[index] = .attribute(attribute)
      case .relationship(var relationship):
        if relationship.isOrdered, !relationship.isToMany {
          relationship.isOrdered = false
          let name = "\(entity.name).\(relationship.name)"
          note(name, "'\(name)' leads to one object; 'ordered' is left out")
        }
        entity.properties[index] = .relationship(relationship)
      }
    }
    return entity
  }

  private mutating func clean(
    _ attribute: inout AttributeDescription,
    _ place: String,
    isInTransient: Bool = false
  ) {
    let type = attribute.type
    let isTransient = isInTransient || attribute.isTransient
    if attribute.defaultValue.rounded(to: type) == nil {
      attribute.defaultValue = .null
      note(place, "the default of '\(place)' is not of type \(type), and is left out")
    }
    let rules = attribute.validation
    if !rules.minimum.isNull, !type.hasOrder || rules.minimum.rounded(to: type) == nil {
      attribute.validation.minimum = .null
      note(place, "the minimum of '\(place)' is not of type \(type), and is left out")
    }
    if !rules.maximum.isNull, !type.hasOrder || rules.maximum.rounded(to: type) == nil {
      attribute.validation.maximum = .null
      note(place, "the maximum of '\(place)' is not of type \(type), and is left out")
    }
    if rules.pattern != nil, type != .string {
      attribute.validation.pattern = nil
      note(place, "'\(place)' has a pattern, but is no text; the pattern is left out")
    }
    if isTransient, attribute.derivationExpression != nil {
      attribute.derivationExpression = nil
      note(place, "'\(place)' is transient; its derivation is left out")
    }
    for index in attribute.elements.indices {
      clean(&attribute.elements[index], place, isInTransient: isTransient)
    }
  }

  /// A subentity that has an attribute of its superentity once more, the very same, has that one.
  private mutating func removeRepeatedAttributes() {
    let byName = namedEntities
    for index in entities.indices {
      let entity = entities[index]
      let own = Dictionary(entity.properties.map { ($0.name, $0) }) { first, _ in first }
      let repeated = superentities(of: entity, byName).flatMap(\.properties)
        .filter { own[$0.name] == $0 }
      guard !repeated.isEmpty else { continue }
      for property in repeated {
        let name = "\(entity.name).\(property.name)"
        note(name, "'\(name)' is inherited, and its repetition is left out")
      }
      entities[index].properties.removeAll(where: Set(repeated).contains)
    }
  }

  private var namedEntities: [String: EntityDescription] {
    Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  /// What an entity inherits from, which may not be there, or go in a circle.
  private func superentities(
    of entity: EntityDescription,
    _ byName: [String: EntityDescription]
  ) -> [EntityDescription] {
    var found: [EntityDescription] = []
    var visited: Set<String> = [entity.name]
    var current = entity
    while let parent = current.parent, visited.insert(parent).inserted, let next = byName[parent] {
      found.append(next)
      current = next
    }
    return found
  }

  // MARK: Indexes

  private mutating func removeIndexes() {
    let byName = namedEntities
    for index in entities.indices where !entities[index].indexes.isEmpty {
      let entity = entities[index]
      let properties =
        entity.properties + superentities(of: entity, byName).flatMap(\.properties)
      let keys = Set(properties.flatMap(\.keyNames))
      entities[index].indexes = entity.indexes.filter { index in
        let subject = "the index '\(index.name)' of '\(entity.name)'"
        if index.elements.isEmpty {
          note(entity.name, "\(subject) names no property, and is left out")
          return false
        }
        guard let element = index.elements.first(where: { !keys.contains($0.property) }) else {
          return true
        }
        note(
          entity.name,
          "\(subject) names '\(element.property)', which is no stored attribute or to-one "
            + "relationship, and is left out"
        )
        return false
      }
    }
  }

  // MARK: Names of entities

  private mutating func removeWhatNamesNoEntity() {
    let names = Set(entities.map(\.name))
    for template in templates where !names.contains(template.entityName) {
      note(
        "$" + template.name,
        "the fetch request '\(template.name)' names '\(template.entityName)', which the model does "
          + "not have, and is left out"
      )
    }
    templates.removeAll { !names.contains($0.entityName) }
    for (configuration, members) in configurations.sorted(by: { $0.key < $1.key }) {
      for member in members where !names.contains(member) {
        note(
          "",
          "the configuration '\(configuration)' names '\(member)', which the model does not have; "
            + "that is left out"
        )
      }
      configurations[configuration] = members.filter(names.contains)
    }
  }
}
