// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What becomes of the objects of one entity, property by property, inherited ones included.
///
/// Core Data: `NSEntityMapping`.
package struct EntityMapping: Sendable {
  /// The places of the entity in the old and in the new model.
  package let source: Int
  package let destination: Int
  /// The old property of each new one by name, whether or not its values can be carried over; of the elements of
  /// composite attributes, too, by their whole names.
  let sourceNames: [String: String]
  /// The new properties that share a renaming identifier with another.
  let ambiguousNames: [String]
  /// The old slot that each new slot is carried over from; `nil` for one that gets its default.
  package let slots: [Int?]
  /// The old relationship that each new to-many relationship is carried over from.
  package let toManys: [RelationshipLayout?]

  /// The old name of a new property, or the old whole name of an element; `nil` when it is added.
  package func sourceName(of name: String) -> String? { sourceNames[name] }

  /// The new name of an old property; `nil` when it is removed.
  package func destinationName(of name: String) -> String? {
    sourceNames.first { $0.value == name }?.key
  }

  init(_ names: PropertyNames, _ carrying: PropertyCarrying) {
    source = names.old.index
    destination = names.new.index
    sourceNames = names.sources
    ambiguousNames = names.ambiguous
    slots = names.new.slots.map { carrying.slot(for: $0, in: names.old, names.sources) }
    toManys = names.new.toManys.map { relationship in
      names.sources[relationship.name].flatMap { names.old.relationship(named: $0) }
        .flatMap { carrying.carries($0, to: relationship) ? $0 : nil }
    }
  }
}

/// Which property of an entity was which before.
struct PropertyNames {
  let old: EntityLayout
  let new: EntityLayout
  /// The old names of the new properties, and of the elements of composite ones by their whole names.
  private(set) var sources: [String: String] = [:]
  /// The new properties and elements that share a renaming identifier with another.
  private(set) var ambiguous: [String] = []

  init(
    _ old: EntityLayout,
    in source: ModelLayout,
    _ new: EntityLayout,
    in destination: ModelLayout
  ) {
    self.old = old
    self.new = new
    match(source.properties(of: old), destination.properties(of: new))
  }

  /// Notes which property was which, then which element of a composite attribute, level by level.
  private mutating func match(
    _ old: [PropertyDescription],
    _ new: [PropertyDescription],
    in oldPlace: String = "",
    _ newPlace: String = ""
  ) {
    let matching = NameMatching(old: old.map(\.matchingName), new: new.map(\.matchingName))
    ambiguous += matching.ambiguous.map { newPlace + new[$0].name }
    for (property, place) in zip(new, matching.sources) {
      guard let past = place.map({ old[$0] }) else { continue }
      let (oldName, newName) = (oldPlace + past.name, newPlace + property.name)
      sources[newName] = oldName
      match(past.elements, property.elements, in: "\(oldName).", "\(newName).")
    }
  }

  /// A relationship whose inverse is known was the inverse of what that one was.
  mutating func inferInverses(_ known: [PropertyNames?]) {
    let relationships = new.slots.compactMap(\.relationship) + new.toManys
    for relationship in relationships where sources[relationship.name] == nil {
      guard let inverse = relationship.inverse,
        let other = known[relationship.destination] ?? known[inverse.entity],
        let name = other.sources[inverse.name],
        let back = other.old.relationship(named: name)?.inverse?.name,
        old.relationship(named: back) != nil, !sources.values.contains(back)
      else { continue }
      sources[relationship.name] = back
    }
  }
}

extension AttributeType {
  /// Whether every value of the type is one of another type.
  package func widens(to other: AttributeType) -> Bool {
    if self == other { return true }
    return switch (self, other) {
    case (.int16, .int32), (.int16, .int64), (.int32, .int64): true
    case (.int16, .float), (.int16, .double), (.int32, .double), (.float, .double): true
    case (.int16, .decimal), (.int32, .decimal), (.int64, .decimal): true
    case (.bool, .int16), (.bool, .int32), (.bool, .int64): true
    case (.url, .string): true
    default: false
    }
  }
}

extension PropertyDescription {
  var matchingName: NameMatching.Name {
    switch self {
    case .attribute(let attribute): .init(attribute.name, attribute.renamingIdentifier)
    case .relationship(let relationship): .init(relationship.name, relationship.renamingIdentifier)
    }
  }

  /// The elements of a composite attribute, as properties.
  fileprivate var elements: [PropertyDescription] {
    guard case .attribute(let attribute) = self else { return [] }
    return attribute.elements.map { .attribute($0) }
  }
}

extension ModelLayout {
  /// All properties of an entity, the root's first.
  func properties(of entity: EntityLayout) -> [PropertyDescription] {
    let inherited = entity.superentity.map { properties(of: entities[$0]) } ?? []
    return inherited + entity.description.properties
  }
}
