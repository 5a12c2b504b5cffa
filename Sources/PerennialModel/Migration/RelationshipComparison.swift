// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Lists the differences between a relationship and what it was.
struct RelationshipComparison {
  private let mapping: ModelMapping
  private let entity: String
  private let old: RelationshipLayout
  private let new: RelationshipLayout

  init(
    _ mapping: ModelMapping,
    _ entity: String,
    _ old: RelationshipLayout,
    _ new: RelationshipLayout
  ) {
    self.mapping = mapping
    self.entity = entity
    self.old = old
    self.new = new
  }

  func changes() -> [MigrationChange] {
    var changes = cardinalityChanges() + destinationChanges() + inverseChanges()
    let (past, present) = (old.description, new.description)
    if past.isOptional, !present.isOptional {
      changes.append(
        new.isToMany && present.minimumCount == 0
          ? change(.optionalityChanged, .safe, "becomes required")
          : change(
            .optionalityChanged,
            .needsCode,
            "becomes required",
            "set it in a MigrationStage"
          )
      )
    } else if !past.isOptional, present.isOptional {
      changes.append(change(.optionalityChanged, .safe, "becomes optional"))
    }
    if new.isToMany, old.isToMany,
      (past.minimumCount, past.maximumCount) != (present.minimumCount, present.maximumCount)
    {
      changes.append(
        change(.countChanged, .safe, "the count is bounded otherwise, from the next save on")
      )
    }
    if past.versionHashModifier != present.versionHashModifier {
      changes.append(change(.storageChanged, .safe, "version hash modifier changed"))
    }
    return changes
  }

  private func cardinalityChanges() -> [MigrationChange] {
    if old.isToMany, !new.isToMany {
      return [
        change(
          .cardinalityChanged,
          .needsCode,
          "to-many becomes to-one",
          "choose the one object in a MigrationStage"
        )
      ]
    }
    var changes: [MigrationChange] = []
    if !old.isToMany, new.isToMany {
      changes.append(change(.cardinalityChanged, .safe, "to-one becomes to-many"))
    }
    if old.isToMany, old.isOrdered, !new.isOrdered {
      changes.append(change(.orderChanged, .destructive, "is no longer ordered; its order is lost"))
    } else if !old.isOrdered, new.isOrdered {
      changes.append(change(.orderChanged, .safe, "is ordered now, at first as objects were made"))
    }
    return changes
  }

  private func destinationChanges() -> [MigrationChange] {
    let before = mapping.source.entities[old.destination].name
    let now = mapping.destination.entities[new.destination].name
    guard mapping.carrying.leads(old, to: new) else {
      return [
        change(
          .destinationChanged,
          .needsCode,
          "leads to '\(now)', not to '\(before)' any more",
          "set it in a MigrationStage"
        )
      ]
    }
    var changes: [MigrationChange] = []
    if mapping.destinations[old.destination] != new.destination {
      changes.append(change(.destinationChanged, .safe, "leads to '\(now)' in general now"))
    }
    let lost = mapping.carrying.losses(from: old, to: new)
      .map { "'\(mapping.destination.entities[$0].name)'" }
    if !lost.isEmpty {
      changes.append(
        change(
          .destinationChanged,
          .destructive,
          "no longer leads to objects of \(lost.joined(separator: ", ")); such links are lost",
          "keep them below '\(now)', or set another relationship in a MigrationStage"
        )
      )
    }
    return changes
  }

  private func inverseChanges() -> [MigrationChange] {
    switch (old.inverse, new.inverse) {
    case (nil, nil): return []
    case (_?, nil): return [change(.inverseChanged, .safe, "has no inverse any more")]
    case (nil, let inverse?):
      // An object may have been named by several: a to-one way back can hold one of them.
      guard new.inverseSlot == nil else {
        return [
          change(
            .inverseChanged,
            .needsCode,
            "has the to-one inverse '\(inverse.name)' now",
            "set it in a MigrationStage"
          )
        ]
      }
      return [change(.inverseChanged, .safe, "has the inverse '\(inverse.name)' now")]
    case (_?, let inverse?):
      guard mapping.carrying.keepsInverse(old, to: new) else {
        return [
          change(
            .inverseChanged,
            .needsCode,
            "has another inverse, '\(inverse.name)'",
            "set it in a MigrationStage"
          )
        ]
      }
      guard new.inverseSlot != nil, old.inverseSlot == nil else { return [] }
      return [
        change(
          .inverseChanged,
          .needsCode,
          "its inverse '\(inverse.name)' becomes to-one",
          "set either of them in a MigrationStage"
        )
      ]
    }
  }

  private func change(
    _ kind: MigrationChange.Kind,
    _ risk: MigrationRisk,
    _ explanation: String,
    _ advice: String = ""
  ) -> MigrationChange {
    MigrationChange(kind, entity, property: new.name, risk, explanation, advice: advice)
  }
}
