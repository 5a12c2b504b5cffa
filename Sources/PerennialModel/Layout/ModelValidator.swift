// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds what is wrong with descriptions; every problem names entity, property and cure.
struct ModelValidator {
  private let entities: [EntityDescription]
  private let byName: [String: EntityDescription]
  private let ancestry: Ancestry
  /// How many problems are told: of a file that is no model there may be a million, each with its cure.
  private static let limit = 100

  init(_ entities: [EntityDescription]) {
    self.entities = entities
    byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
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
    return problems + problemsOfFullTextIndexes(of: entity)
  }

  private func problemsOfFullTextIndexes(of entity: EntityDescription) -> [PerennialError] {
    guard !entity.indexes.isEmpty else { return [] }
    let properties = entity.properties + inherited(by: entity)
    return entity.indexes.compactMap { index in
      guard let element = index.elements.first(where: { $0.type == .fullText }) else { return nil }
      var attribute: AttributeDescription?
      if case .attribute(let found)? = properties.first(where: { $0.name == element.property }) {
        attribute = found
      }
      guard index.elements.count > 1 || attribute?.type != .string || attribute?.isTransient == true
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
    guard case .relationship(let back) = property(named: inverse, of: owners) else {
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

  /// The first property of a name that some entities have.
  private func property(named name: String, of owners: [String]) -> PropertyDescription? {
    for owner in owners {
      if let found = byName[owner]?.properties.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  private func checkNamed(
    _ lists: [[String]],
    _ what: String,
    _ entity: EntityDescription,
    _ problems: inout [PerennialError]
  ) {
    guard !lists.isEmpty else { return }
    let properties = entity.properties + inherited(by: entity)
    for list in lists {
      if list.isEmpty {
        problems.append(
          .invalidModel(
            "A \(what) of '\(entity.name)' is empty.",
            "name a property in it",
            entity: entity.name
          )
        )
      }
      for name in list where !properties.contains(where: { $0.canBeKey(named: name) }) {
        problems.append(
          .invalidModel(
            "A \(what) of '\(entity.name)' names '\(name)', which is no stored attribute or to-one relationship.",
            PerennialError.suggestion(for: name, among: properties.map(\.name)),
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
  /// Whether a constraint or an index may name this property.
  package func canBeKey(named name: String) -> Bool {
    switch self {
    case .attribute(let attribute): attribute.canBeKey(named: name, prefix: "")
    case .relationship(let relationship):
      relationship.name == name && !relationship.isToMany
    }
  }
}

extension AttributeDescription {
  /// Whether the attribute, or an element of it, has a name and is stored.
  fileprivate func canBeKey(named wanted: String, prefix: String) -> Bool {
    guard !isTransient else { return false }
    guard type == .composite else { return prefix + name == wanted }
    return elements.contains { $0.canBeKey(named: wanted, prefix: prefix + name + ".") }
  }
}
