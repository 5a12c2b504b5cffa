// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Which properties of a duplicate are which of the object that stays.
///
/// The two may be of different entities: what they have in common in the new model, or else in the old one, is the
/// same property.
struct Inheritance {
  /// A relationship of the duplicate, and that of the other object; `nil` when it has none.
  struct Link {
    let from: RelationshipLayout
    let to: RelationshipLayout?

    /// The number of the ordered relationship back, in which the heir takes the duplicate's place.
    var orderedInverse: Int? {
      guard let to, to.entity == from.entity, to.name == from.name,
        case .toMany(let number) = from.inverse?.place, from.isInverseOrdered
      else { return nil }
      return number
    }

    /// Whether an object that it leads to belongs to the duplicate alone and goes with it.
    var ownsAlone: Bool {
      !from.isToMany && from.inverseSlot != nil && from.description.deleteRule == .cascade
    }
  }

  /// The stored attributes that both have, composite ones by their own names.
  let attributes: [(from: String, to: String)]
  let links: [Link]

  init(from: EntityLayout, to: EntityLayout, _ mapping: ModelMapping) {
    func counterpart(_ name: String) -> String? {
      if from.index == to.index { return name }
      guard let before = mapping.mapping(ofSource: from.index),
        let after = mapping.mapping(ofSource: to.index),
        let new = before.destinationName(of: name)
      else { return from.declarer(of: name) == to.declarer(of: name) ? name : nil }
      let declarers = [before, after].map {
        mapping.destination.entities[$0.destination].declarer(of: new)
      }
      return declarers[0] == declarers[1] ? after.sourceName(of: new) : nil
    }
    var attributes: [(from: String, to: String)] = []
    for slot in from.slots where slot.relationship == nil && !slot.isTransient {
      guard slot.attribute?.derivationExpression == nil else { continue }
      let name = String(slot.name.prefix { $0 != "." })
      guard let other = counterpart(name), !attributes.contains(where: { $0.from == name }) else {
        continue
      }
      let isComposite = name != slot.name
      let type = to.slotsByName[other].flatMap { to.slots[$0].attributeType }
      let fits =
        isComposite
        ? from.declarer(of: name) == to.declarer(of: other) : type == slot.attributeType
      if fits { attributes.append((name, other)) }
    }
    self.attributes = attributes
    links = (from.slots.compactMap(\.relationship) + from.toManys).map { relationship in
      let other = counterpart(relationship.name).flatMap { to.relationship(named: $0) }
      return Link(
        from: relationship,
        to: other?.isToMany == relationship.isToMany ? other : nil
      )
    }
  }
}

extension EntityLayout {
  /// The place of the entity that declares a property.
  fileprivate func declarer(of name: String) -> Int? {
    if let slot = slotsByName[name] { return slots[slot].entity }
    if let number = toManysByName[name] { return toManys[number].entity }
    return slots.first { $0.name.hasPrefix("\(name).") }?.entity
  }
}
