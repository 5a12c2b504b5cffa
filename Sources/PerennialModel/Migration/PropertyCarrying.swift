// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Whether values of one property can become those of another without code.
struct PropertyCarrying: Sendable {
  private let source: ModelLayout
  private let destination: ModelLayout
  private let destinations: [Int?]
  /// What the properties of each new entity were.
  private let names: [PropertyNames?]

  init(
    _ source: ModelLayout,
    _ destination: ModelLayout,
    _ destinations: [Int?],
    _ names: [PropertyNames?]
  ) {
    self.source = source
    self.destination = destination
    self.destinations = destinations
    self.names = names
  }

  /// The old slot whose values a new slot takes.
  func slot(for slot: SlotLayout, in old: EntityLayout, _ names: [String: String]) -> Int? {
    guard !slot.isTransient, let place = names[slot.name].flatMap({ old.slotsByName[$0] }) else {
      return nil
    }
    let found = old.slots[place]
    if let relationship = slot.relationship {
      guard let before = found.relationship, carries(before, to: relationship) else { return nil }
      return place
    }
    guard let before = found.attributeType, let type = slot.attributeType, !found.isTransient,
      slot.attribute?.derivationExpression == nil || found.attribute?.derivationExpression != nil
    else { return nil }
    return before.widens(to: type) ? place : nil
  }

  /// Whether the objects of a relationship can become those of another.
  ///
  /// A to-one relationship back names one of the objects that led to it. Where there may have been several,
  /// code has to choose, and nothing is carried over that only one end would know.
  func carries(_ old: RelationshipLayout, to new: RelationshipLayout) -> Bool {
    guard new.isToMany || !old.isToMany else { return false }
    if new.inverseSlot != nil {
      guard old.inverseSlot != nil, keepsInverse(old, to: new) else { return false }
    }
    return leads(old, to: new)
  }

  /// Whether the relationship back is what it was, in some entity that has it: it may have moved up or down.
  func keepsInverse(_ old: RelationshipLayout, to new: RelationshipLayout) -> Bool {
    guard let past = old.inverse, let inverse = new.inverse else { return false }
    let owners = source.entities[past.entity].family
    return destination.entities[inverse.entity].family.contains { place in
      guard let names = names[place], owners.contains(names.old.index) else { return false }
      return names.sources[inverse.name] == past.name
    }
  }

  /// Whether a relationship may lead to the entity that another led to.
  ///
  /// Not to every subentity of it, perhaps: see `losses(from:to:)`.
  func leads(_ old: RelationshipLayout, to new: RelationshipLayout) -> Bool {
    guard let place = destinations[old.destination] else { return false }
    return destination.entities[new.destination].family.contains(place)
  }
  /// The new entities whose objects a relationship led to and another cannot lead to.
  func losses(from old: RelationshipLayout, to new: RelationshipLayout) -> [Int] {
    let reach = destination.entities[new.destination].family
    return source.entities[old.destination].family.compactMap { place in
      guard !source.entities[place].description.isAbstract, let now = destinations[place] else {
        return nil
      }
      return reach.contains(now) ? nil : now
    }
  }
}
