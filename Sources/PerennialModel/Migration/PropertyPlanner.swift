// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Lists the differences between the properties of an entity and those that it had.
///
/// A property is looked at where it is declared; one that comes from another entity of the tree, or
/// goes there, in every entity that gains or loses it.
struct PropertyPlanner {
  private let mapping: ModelMapping
  private let entity: EntityLayout
  private let before: EntityLayout
  private let names: EntityMapping
  private var old: ModelLayout { mapping.source }
  private var new: ModelLayout { mapping.destination }

  init(
    _ mapping: ModelMapping,
    _ entity: EntityLayout,
    _ before: EntityLayout,
    _ names: EntityMapping
  ) {
    self.mapping = mapping
    self.entity = entity
    self.before = before
    self.names = names
  }

  func changes() -> [MigrationChange] {
    let oldProperties = declarations(of: before, in: old)
    let inherited = entity.superentity.flatMap { mapping.mapping(ofDestination: $0) }
    let parentProperties =
      inherited.map { declarations(of: old.entities[$0.source], in: old) } ?? [:]
    func isToldWithParent(_ name: String, _ source: String?) -> Bool {
      guard !isDeclaredHere(name), let inherited, inherited.sourceNames[name] == source else {
        return false
      }
      // A property of the same name that the entity had for itself is another one.
      return source.map { parentProperties[$0]?.entity == oldProperties[$0]?.entity } ?? true
    }
    var changes: [MigrationChange] = []
    for name in names.ambiguousNames where isDeclaredHere(String(name.prefix { $0 != "." })) {
      changes.append(.ambiguous(entity.name, name, name))
    }
    for (name, declaration) in declarations(of: entity, in: new).sorted(by: { $0.key < $1.key }) {
      let source = names.sourceNames[name]
      if isToldWithParent(name, source) { continue }
      guard let source, let past = oldProperties[source] else {
        changes += added(declaration.property)
        continue
      }
      changes += moved(declaration, past)
      changes += compare(declaration.property, past.property)
    }
    let kept = Set(names.sourceNames.values)
    for (name, declaration) in oldProperties.sorted(by: { $0.key < $1.key })
    where !kept.contains(name) && !parentLost(name, declaration) {
      changes += removed(declaration.property)
    }
    return changes
  }

  /// A property and the place of the entity that declares it.
  private typealias Declaration = (property: PropertyDescription, entity: Int)

  private func declarations(of entity: EntityLayout, in model: ModelLayout) -> [String: Declaration]
  {
    var declarations: [String: Declaration] = [:]
    var place: Int? = entity.index
    while let index = place {
      for property in model.entities[index].description.properties {
        declarations[property.name] = (property, index)
      }
      place = model.entities[index].superentity
    }
    return declarations
  }

  private func isDeclaredHere(_ name: String) -> Bool {
    entity.description.properties.contains { $0.name == name }
  }

  /// Whether the loss of an inherited property is told with the entity that declared it.
  private func parentLost(_ name: String, _ declaration: Declaration) -> Bool {
    guard declaration.entity != before.index else { return false }
    guard let parent = mapping.mapping(ofSource: declaration.entity) else { return false }
    return !parent.sourceNames.values.contains(name)
  }

  private func moved(_ declaration: Declaration, _ past: Declaration) -> [MigrationChange] {
    guard mapping.destinations[past.entity] != declaration.entity else { return [] }
    let owner = old.entities[past.entity].name
    return [
      .init(
        .propertyMoved,
        entity.name,
        property: declaration.property.name,
        .safe,
        "declared by '\(owner)' before"
      )
    ]
  }

  // MARK: Additions and removals

  private func added(_ property: PropertyDescription) -> [MigrationChange] {
    switch property {
    case .attribute(let attribute):
      let type = attribute.type.words
      if attribute.derivationExpression != nil {
        return [change(.attributeAdded, property, .safe, "derived attribute added (\(type))")]
      }
      if attribute.isTransient {
        return [change(.attributeAdded, property, .safe, "transient attribute added (\(type))")]
      }
      if attribute.isOptional || !attribute.lacksDefault {
        let kind = attribute.isOptional ? "optional" : "with a default value"
        return [change(.attributeAdded, property, .safe, "attribute added (\(type), \(kind))")]
      }
      return [
        change(
          .attributeAdded,
          property,
          .needsCode,
          "required attribute added (\(type)), without a default value",
          "make it optional, give it a default value, or set it in a MigrationStage"
        )
      ]
    case .relationship(let relationship):
      let destination = relationship.destinationEntity
      let kind = relationship.isToMany ? "to-many" : "to-one"
      if relationship.isOptional || (relationship.isToMany && relationship.minimumCount == 0) {
        return [
          change(.relationshipAdded, property, .safe, "relationship added (\(kind) \(destination))")
        ]
      }
      return [
        change(
          .relationshipAdded,
          property,
          .needsCode,
          "required relationship added (\(kind) \(destination))",
          "make it optional, or set it in a MigrationStage"
        )
      ]
    }
  }

  private func removed(_ property: PropertyDescription) -> [MigrationChange] {
    let advice = property.renamingAdvice
    switch property {
    case .attribute(let attribute):
      if attribute.isTransient || attribute.derivationExpression != nil {
        let kind = attribute.isTransient ? "transient" : "derived"
        return [change(.attributeRemoved, property, .safe, "\(kind) attribute removed")]
      }
      return [
        change(
          .attributeRemoved,
          property,
          .destructive,
          "attribute removed; its values are lost",
          advice
        )
      ]
    case .relationship(let relationship):
      return isHeldByInverse(relationship) && !relationship.isOrdered
        ? [
          change(
            .relationshipRemoved,
            property,
            .safe,
            "relationship removed; the one back remains"
          )
        ]
        : [
          change(
            .relationshipRemoved,
            property,
            .destructive,
            "relationship removed; what it holds is lost",
            advice
          )
        ]
    }
  }

  /// Whether nothing is lost with a relationship, as the one back goes on to hold it.
  private func isHeldByInverse(_ relationship: RelationshipDescription) -> Bool {
    guard let inverse = before.relationship(named: relationship.name)?.inverse,
      let holder = mapping.mapping(ofSource: inverse.entity),
      let past = old.entities[inverse.entity].relationship(named: inverse.name),
      let name = holder.destinationName(of: inverse.name),
      let present = new.entities[holder.destination].relationship(named: name)
    else { return false }
    return mapping.carrying.carries(past, to: present)
      && new.entities[present.destination].family.contains(entity.index)
  }

  // MARK: Comparison

  private func compare(_ new: PropertyDescription, _ old: PropertyDescription) -> [MigrationChange]
  {
    var changes: [MigrationChange] = []
    switch (old, new) {
    case (.attribute(let old), .attribute(let attribute)):
      if old.name != attribute.name {
        changes.append(
          change(.attributeRenamed, new, .safe, "attribute renamed from '\(old.name)'")
        )
      }
      return changes
        + AttributeComparison(entity.name, old, attribute, names.sourceNames).changes()
    case (.relationship(let old), .relationship(let relationship)):
      if old.name != relationship.name {
        changes.append(
          change(.relationshipRenamed, new, .safe, "relationship renamed from '\(old.name)'")
        )
      }
      guard let past = before.relationship(named: old.name),
        let present = entity.relationship(named: relationship.name)
      else { return changes }
      return changes + RelationshipComparison(mapping, entity.name, past, present).changes()
    default:
      return [
        change(
          .typeChanged,
          new,
          .needsCode,
          "an attribute becomes a relationship, or the other way round",
          "set it in a MigrationStage"
        )
      ]
    }
  }

  private func change(
    _ kind: MigrationChange.Kind,
    _ property: PropertyDescription,
    _ risk: MigrationRisk,
    _ explanation: String,
    _ advice: String = ""
  ) -> MigrationChange {
    MigrationChange(kind, entity.name, property: property.name, risk, explanation, advice: advice)
  }
}

extension PropertyDescription {
  var canonicalName: String {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier ?? attribute.name
    case .relationship(let relationship): relationship.renamingIdentifier ?? relationship.name
    }
  }

  /// What to do if it has not gone, but has another name.
  var renamingAdvice: String {
    "if it was renamed, give the new one the renaming identifier '\(canonicalName)'"
  }
}

extension AttributeDescription {
  /// Whether it is derived, and there may be nothing to derive it from: the least of no members, or what lies behind a
  /// reference to nothing.
  var derivesNothingAtTimes: Bool {
    guard let derivationExpression else { return false }
    return derivationExpression.contains(".")
      && !["@count", "@sum"].contains { derivationExpression.contains($0) }
  }

  /// Whether a new object lacks a value of it.
  package var lacksDefault: Bool {
    type == .composite
      ? elements.contains { !$0.isOptional && $0.lacksDefault } : defaultValue == .null
  }
}
