// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Lists the uniqueness constraints that come, go, or hold for more values than before.
struct ConstraintComparison {
  private let mapping: ModelMapping

  init(_ mapping: ModelMapping) { self.mapping = mapping }

  /// What the constraints that an entity declares may find in a store for the first time.
  func added(to entity: EntityLayout) -> [MigrationChange] {
    entity.constraints.indices.compactMap { number in
      entity.constraintOwners[number] == entity.index ? added(number, to: entity) : nil
    }
  }

  private func added(_ number: Int, to entity: EntityLayout) -> MigrationChange? {
    let names = entity.constraints[number].map { entity.slots[$0].name }
    // An index holds for objects that the entity's own constraint does not know.
    let lowest = entity.lowestEntity(ofConstraint: number)
    func mayViolate(_ member: EntityMapping) -> Bool {
      !mapping.source.entities[member.source].description.isAbstract
        && names.allSatisfy { mayHaveValues($0, member) }
    }
    let members = entity.family.compactMap { mapping.mapping(ofDestination: $0) }
    let filled = members.filter(mayViolate)
    let meetsOthers = mapping.destination.entities[lowest].family.contains { place in
      !entity.family.contains(place)
        && mapping.mapping(ofDestination: place).map(mayViolate) == true
    }
    let owners = Set(filled.map { pastOwner(of: names, $0) })
    let list = names.joined(separator: ", ")
    let words: String
    if owners.isEmpty || owners == [nil] {
      // It is told with the entity if that is new, and nothing can be in its way.
      guard
        !filled.isEmpty || meetsOthers
          || members.contains(where: { $0.destination == entity.index }),
        members.isEmpty || !members.allSatisfy({ pastOwner(of: names, $0) != nil })
      else { return nil }
      words = "uniqueness constraint added (\(list))"
    } else if owners.count > 1 {
      words = "uniqueness constraint (\(list)) holds for objects of more entities now"
    } else {
      guard filled.contains(where: { member in names.contains { isFilled($0, member) } }) else {
        return nil
      }
      words = "uniqueness constraint (\(list)): several objects may get the same values"
    }
    let isHarmless = filled.isEmpty && !meetsOthers
    return MigrationChange(
      .constraintAdded,
      entity.name,
      property: names.count == 1 ? names[0] : nil,
      isHarmless ? .safe : .needsCode,
      isInferable: true,
      words,
      advice: isHarmless ? "" : "if objects may share these values, declare a Deduplication"
    )
  }

  /// The constraints that an entity declared and that neither it nor a new parent has.
  func removed(from entity: EntityLayout, _ before: EntityLayout) -> [MigrationChange] {
    let names = mapping.mapping(ofDestination: entity.index)?.sourceNames ?? [:]
    let kept = Set(
      entity.constraints.map { Set($0.compactMap { names[entity.slots[$0].name] }) }
    )
    return zip(before.constraints, before.constraintOwners).compactMap { constraint, owner in
      let past = constraint.map { before.slots[$0].name }
      guard owner == before.index, !kept.contains(Set(past)) else { return nil }
      return MigrationChange(
        .constraintRemoved,
        entity.name,
        .safe,
        "uniqueness constraint removed (\(past.joined(separator: ", ")))"
      )
    }
  }

  /// The old entity that declared the same constraint for the objects of an entity.
  private func pastOwner(of names: [String], _ member: EntityMapping) -> Int? {
    let before = mapping.source.entities[member.source]
    let past = names.compactMap { member.sourceNames[$0] }
    guard past.count == names.count else { return nil }
    return zip(before.constraints, before.constraintOwners).first { constraint, _ in
      Set(constraint.map { before.slots[$0].name }) == Set(past)
    }?.1
  }

  /// Whether objects that are in a store can have values of a new property.
  private func mayHaveValues(_ name: String, _ member: EntityMapping) -> Bool {
    let entity = mapping.destination.entities[member.destination]
    guard let slot = entity.slotsByName[name] else { return false }
    return member.slots[slot] != nil || isFilled(name, member)
  }

  /// Whether the migration gives objects values that others may have, too.
  private func isFilled(_ name: String, _ member: EntityMapping) -> Bool {
    let entity = mapping.destination.entities[member.destination]
    guard let slot = entity.slotsByName[name], let attribute = entity.slots[slot].attribute else {
      return false
    }
    let past = member.slots[slot].map { mapping.source.entities[member.source].slots[$0] }
    if let derivation = attribute.normalDerivation {
      return past?.attribute?.normalDerivation != derivation
    }
    guard !attribute.lacksDefault else { return false }
    guard let past else { return true }
    return past.mayBeEmpty && !attribute.isOptional
  }
}
