// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds what is wrong with descriptions; every problem names entity, property and cure.
struct ModelValidator {
  private let entities: [EntityDescription]
  private let byName: [String: EntityDescription]
  /// The relationships that each entity declares, by its name and theirs.
  private let relationships: [String: [String: RelationshipDescription]]
  private let ancestry: Ancestry
  /// How many problems are told: of a file that is no model there may be a million, each with its cure.
  private static let limit = 100

  init(_ entities: [EntityDescription]) {
    self.entities = entities
    byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    relationships = byName.mapValues(\.relationshipsByName)
    ancestry = Ancestry(of: entities)
  }

  /// Problems of names and of inheritance: what must hold before anything can be looked up.
  func problemsOfNames() -> [PerennialError] {
    do throws(PerennialError) {
      try InheritanceCheck.check(entities)
    } catch {
      return [error]
    }
    var problems: [PerennialError] = []
    if entities.isEmpty {
      problems.append(.invalidModel("The model has no entity.", "add one"))
    }
    if entities.count > 65_000 {
      problems.append(.invalidModel("The model has over 65,000 entities.", "split the model"))
    }
    var seen: Set<String> = []
    for entity in entities where problems.count < Self.limit {
      if !Self.isName(entity.name) {
        problems.append(
          .invalidModel(
            "'\(entity.name)' cannot be an entity's name.",
            "start it with a letter and use only letters, digits and _",
            entity: entity.name
          )
        )
      }
      if !seen.insert(entity.name.uppercased()).inserted {
        problems.append(.repeatedEntity(entity.name))
      }
      if let problem = problemOfParent(entity) { problems.append(problem) }
    }
    return problems
  }

  private func problemOfParent(_ entity: EntityDescription) -> PerennialError? {
    guard let parent = entity.parent, byName[parent] == nil else { return nil }
    return .invalidModel(
      "'\(entity.name)' inherits from '\(parent)', which the model does not have.",
      PerennialError.suggestion(for: parent, among: entities.map(\.name)),
      entity: entity.name
    )
  }

  /// Problems of properties, constraints and indexes.
  func problemsOfProperties() -> [PerennialError] {
    var found: [PerennialError] = []
    for entity in entities where found.count < Self.limit { found += problems(of: entity) }
    return found
  }

  private func problems(of entity: EntityDescription) -> [PerennialError] {
    var problems: [PerennialError] = []
    var seen = Set(inherited(by: entity).map { $0.name.uppercased() })
    for property in entity.properties where problems.count < Self.limit {
      func problem(_ message: String, _ recovery: String) {
        problems.append(
          .invalidModel(message, recovery, entity: entity.name, property: property.name)
        )
      }
      if !Self.isName(property.name) {
        problem(
          "'\(entity.name).\(property.name)' cannot be a property's name.",
          "start it with a letter and use only letters, digits and _"
        )
      }
      if !seen.insert(property.name.uppercased()).inserted {
        problem(
          "'\(entity.name)' has two properties called '\(property.name)', inherited ones included (upper and lower case do not count).",
          "rename one of them"
        )
      }
      switch property {
      case .attribute(let attribute):
        PropertyValidator.check(attribute, of: entity, report: problem)
      case .relationship(let relationship):
        check(relationship, of: entity, report: problem)
      }
    }
    checkNamed(entity.uniquenessConstraints, "uniqueness constraint", entity, &problems)
    checkNamed(
      entity.indexes.map { $0.elements.map(\.property) },
      "index",
      entity,
      &problems
    )
    return problems + problemsOfIndexNames(of: entity) + problemsOfFullTextIndexes(of: entity)
  }

  /// No statement can have a name with a zero character, by which a text of C ends.
  private func problemsOfIndexNames(of entity: EntityDescription) -> [PerennialError] {
    entity.indexes.filter { $0.name.contains("\0") }.map { index in
      .invalidModel(
        "The name of the index '\(index.name.replacing("\0", with: "\u{FFFD}"))' of '\(entity.name)' has a zero character.",
        "leave it out",
        entity: entity.name
      )
    }
  }

  private func problemsOfFullTextIndexes(of entity: EntityDescription) -> [PerennialError] {
    guard !entity.indexes.isEmpty else { return [] }
    let properties = entity.properties + inherited(by: entity)
    let texts = Set(properties.filter(\.isStoredText).map(\.name))
    return entity.indexes.compactMap { index in
      guard let element = index.elements.first(where: { $0.type == .fullText }),
        index.elements.count > 1 || !texts.contains(element.property)
      else { return nil }
      return .invalidModel(
        "The full-text index '\(index.name)' of '\(entity.name)' is not over one stored string.",
        "give each string attribute a full-text index of its own",
        entity: entity.name,
        property: element.property
      )
    }
  }

  private func check(
    _ relationship: RelationshipDescription,
    of entity: EntityDescription,
    report: (String, String) -> Void
  ) {
    var name: String { "'\(entity.name).\(relationship.name)'" }
    guard byName[relationship.destinationEntity] != nil else {
      let known = entities.map(\.name)
      report(
        "\(name) leads to '\(relationship.destinationEntity)', which the model does not have.",
        PerennialError.suggestion(for: relationship.destinationEntity, among: known)
      )
      return
    }
    PropertyValidator.checkCounts(relationship, of: entity, report: report)
    guard let inverse = relationship.inverse else { return }
    let owners = ancestry.names(from: relationship.destinationEntity)
    guard let back = owners.lazy.compactMap({ relationships[$0]?[inverse] }).first else {
      let known = owners.compactMap { byName[$0] }.flatMap(\.properties).map(\.name)
      report(
        "\(name) names '\(relationship.destinationEntity).\(inverse)' as its inverse, which is no relationship.",
        PerennialError.suggestion(for: inverse, among: known)
      )
      return
    }
    if back.inverse != relationship.name
      || !ancestry.areRelated(back.destinationEntity, entity.name)
    {
      report(
        "\(name) names '\(inverse)' as its inverse, but that one does not lead back to it.",
        "make '\(relationship.destinationEntity).\(inverse)' lead to '\(entity.name)' with the inverse '\(relationship.name)'"
      )
    }
  }

  private func checkNamed(
    _ lists: [[String]],
    _ what: String,
    _ entity: EntityDescription,
    _ problems: inout [PerennialError]
  ) {
    guard !lists.isEmpty else { return }
    let properties = entity.properties + inherited(by: entity)
    let names = properties.flatMap(\.keyNames)
    let keys = Set(names)
    for list in lists where problems.count < Self.limit {
      if list.isEmpty {
        problems.append(
          .invalidModel(
            "A \(what) of '\(entity.name)' is empty.",
            "name a property in it",
            entity: entity.name
          )
        )
      }
      for name in list where problems.count < Self.limit && !keys.contains(name) {
        problems.append(
          .invalidModel(
            "A \(what) of '\(entity.name)' names '\(name)', which is no stored attribute or to-one relationship.",
            PerennialError.suggestion(for: name, among: names),
            entity: entity.name,
            property: name
          )
        )
      }
    }
  }

  private func inherited(by entity: EntityDescription) -> [PropertyDescription] {
    ancestry.names(from: entity.name).dropFirst()
      .flatMap { byName[$0]?.properties ?? [] }
  }

  /// A letter, then letters, digits and underscores.
  static func isName(_ name: String) -> Bool {
    // Most names are plain, and Unicode's tables are slow to ask.
    if isPlainName(name) { return true }
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_"
    else { return false }
    return name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_"
    }
  }
}

extension ModelValidator {
  /// Whether a name is one by its ASCII letters, digits and underscores alone.
  private static func isPlainName(_ name: String) -> Bool {
    var isFirst = true
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        break
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
      default: return false
      }
      isFirst = false
    }
    return !isFirst
  }
}

extension PropertyDescription {
  /// What a constraint or an index may name of this property.
  package var keyNames: [String] {
    switch self {
    case .attribute(let attribute): attribute.keyNames(prefix: "")
    case .relationship(let relationship): relationship.isToMany ? [] : [relationship.name]
    }
  }

  /// Whether it is a stored string.
  fileprivate var isStoredText: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return attribute.type == .string && !attribute.isTransient
  }
}

extension AttributeDescription {
  /// The names of the attribute, or of its elements, as far as they are stored.
  fileprivate func keyNames(prefix: String) -> [String] {
    guard !isTransient else { return [] }
    guard type == .composite else { return [prefix + name] }
    return elements.flatMap { $0.keyNames(prefix: prefix + name + ".") }
  }
}
