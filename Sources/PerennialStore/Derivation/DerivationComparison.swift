// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// Says which derived attributes have the values after a migration that they had before.
///
/// In doubt one has not: to compute it again is never wrong.
package struct DerivationComparison {
  private let mapping: ModelMapping
  private var old: ModelLayout { mapping.source }
  private var new: ModelLayout { mapping.destination }

  package init(_ mapping: ModelMapping) { self.mapping = mapping }

  /// Whether a derived attribute of an entity keeps its values.
  package func keeps(_ derivation: Derivation, _ entity: EntityMapping) -> Bool {
    guard let origin = entity.slots[derivation.slot] else { return false }
    let before = old.entities[entity.source].slots[origin].attribute
    let after = new.entities[entity.destination].slots[derivation.slot].attribute
    guard before?.normalDerivation == after?.normalDerivation, before?.type == after?.type
    else { return false }
    switch derivation.formula {
    case .copy(let slot, _): return keeps(slot, entity)
    case .path(let formula): return keeps(formula, entity)
    case .collection(let formula): return keeps(formula, entity)
    // A time that was taken before is kept.
    case .now: return true
    }
  }

  private func keeps(_ formula: PathFormula, _ entity: EntityMapping) -> Bool {
    var owners = [entity]
    for step in formula.steps {
      guard case .slot(let slot) = step.place,
        owners.allSatisfy({ keeps(slot, $0) }), let targets = keptFamily(step.destination)
      else { return false }
      owners = targets
    }
    return owners.allSatisfy { keeps(formula.member, $0) }
  }

  private func keeps(_ formula: CollectionFormula, _ entity: EntityMapping) -> Bool {
    let relationship = formula.relationship
    guard case .toMany(let place) = relationship.place, let past = entity.toManys[place],
      past.name == relationship.name, past.isToMany, isSame(past.inverse, relationship.inverse),
      let members = keptFamily(relationship.destination)
    else { return false }
    return members.allSatisfy { member in formula.member.map { keeps($0, member) } ?? true }
  }

  /// Whether a slot has the values of the old one of that name.
  private func keeps(_ slot: Int, _ entity: EntityMapping) -> Bool {
    guard let origin = entity.slots[slot] else { return false }
    let before = old.entities[entity.source].slots[origin]
    let after = new.entities[entity.destination].slots[slot]
    return before.name == after.name && before.attributeType == after.attributeType
      && before.isOptional == after.isOptional
  }

  /// Whether a relationship back is what it was, under whatever name.
  private func isSame(
    _ past: RelationshipLayout.Inverse?,
    _ present: RelationshipLayout.Inverse?
  ) -> Bool {
    guard let past, let present, let entity = mapping.mapping(ofDestination: present.entity) else {
      return past == nil && present == nil
    }
    switch present.place {
    case .slot(let slot):
      guard let origin = entity.slots[slot] else { return false }
      return old.entities[entity.source].slots[origin].name == past.name
    case .toMany(let place):
      return entity.toManys[place].map { $0.isToMany && $0.name == past.name } ?? false
    }
  }

  /// What becomes of the objects of an entity and its subentities; `nil` when it had others, too, or not all.
  private func keptFamily(_ entity: Int) -> [EntityMapping]? {
    guard let source = mapping.sources[entity] else { return nil }
    let family = old.entities[source].family.map { mapping.destinations[$0] }
    let present = new.entities[entity].family.filter { mapping.sources[$0] != nil }
    guard Set(family) == Set(present) else { return nil }
    return present.compactMap { mapping.mapping(ofDestination: $0) }
  }
}
