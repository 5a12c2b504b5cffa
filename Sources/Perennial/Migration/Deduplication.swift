// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// What happens to objects that share values, before a new uniqueness constraint forbids that.
///
/// ```swift
/// store.migration.deduplications = [
///   Deduplication("Author", by: "email", keeping: .last, sortedBy: "seen")
/// ]
/// ```
///
/// One object of every group stays. It takes over the relationships of the others: to-many relationships are
/// united, a to-one relationship in which it has no object takes theirs, and in ordered relationships it takes
/// their places. Objects that led to the others lead to it. What it cannot take is let go, but an object that a
/// one-to-one relationship with the delete rule cascade leads to is deleted with its owner. For members of to-many
/// relationships that only the entity of the others has, the delete rule says what happens.
///
/// A deduplication is done in every step of a migration whose new model has the constraint, or a new one on the
/// entity; also where only a subentity has it, as an index of a SQLite or PostgreSQL store holds for the whole table.
/// An empty value that gets a default counts as that value, also of a new attribute; one that stays empty is no
/// duplicate of others.
///
/// Core Data: none; a lightweight migration fails with `NSMigrationConstraintViolationError`.
public struct Deduplication: Sendable {
  /// Which object of a group stays.
  public enum Keeping: Sendable, Hashable {
    /// The first one.
    case first
    /// The last one.
    case last
    /// The first one; it takes the values that it lacks from the ones after it, in their order.
    case merged
  }

  /// The entity, by its name in the new model.
  public let entity: String
  /// The attributes whose values are shared, by their names in the new model.
  public let properties: [String]
  /// Which object stays.
  public let keeping: Keeping
  /// The attribute that decides which object is first; `nil` for the order in which they were made.
  public let sortKey: String?

  /// Declares what happens to duplicates.
  ///
  /// - Parameters:
  ///   - entity: The entity, by its name in the new model.
  ///   - properties: The attributes of the constraint, by their names in the new model.
  ///   - keeping: Which object stays.
  ///   - sortKey: The attribute that decides which object is first, by its name in the new model; `nil` for the
  ///     order in which they were made.
  public init(
    _ entity: String,
    by properties: String...,
    keeping: Keeping = .first,
    sortedBy sortKey: String? = nil
  ) {
    self.entity = entity
    self.properties = properties
    self.keeping = keeping
    self.sortKey = sortKey
  }

  /// What the deduplication is to look for in a step, or why there is nothing to look for.
  func search(_ plan: MigrationPlan) -> Result<SharedValues, Obstacle> {
    let model = plan.mapping.destination
    guard let index = model.entitiesByName[entity] else {
      return .failure(Obstacle("'\(entity)' is no entity of the new model"))
    }
    let layout = model.entities[index]
    let names = properties + (sortKey.map { [$0] } ?? [])
    for name in names where layout.slotsByName[name].flatMap({ layout.slots[$0].attribute }) == nil
    {
      return .failure(Obstacle("'\(entity)' has no attribute '\(name)' in the new model"))
    }
    let slots = properties.compactMap { layout.slotsByName[$0] }
    let isNew = plan.changes.contains { $0.kind == .constraintAdded && $0.entity == entity }
    // A constraint also of a superentity; or of a subentity, as an index holds for the whole table. Old ones too, under
    // which gaps are filled, or objects move.
    let constraints = layout.family.flatMap { model.entities[$0].constraints }
    let isUnique = constraints.contains { Set($0) == Set(slots) }
    guard isNew || isUnique else {
      let list = properties.joined(separator: ", ")
      return .failure(Obstacle("no constraint of '\(entity)' has (\(list)) in the new model"))
    }
    let sort = sortKey.flatMap { layout.slotsByName[$0] }
    let search = SharedValues(of: slots, sortedBy: sort, layout, plan.mapping)
    guard !search.isImpossible else {
      let list = names.joined(separator: ", ")
      return .failure(Obstacle("'\(entity)' has no values of (\(list)) in the old model"))
    }
    return .success(search)
  }

  /// Why a deduplication is not done in a step.
  struct Obstacle: Error {
    let words: String
    init(_ words: String) { self.words = words }
  }
}

extension PerennialError {
  /// The error about objects that share values, with what keeps deduplications from being done.
  func explained(by obstacles: [Deduplication.Obstacle]) -> PerennialError {
    guard code == .migrationConstraintViolation, !obstacles.isEmpty else { return self }
    let list = obstacles.map(\.words).joined(separator: "; ")
    return PerennialError(
      code,
      message,
      recovery: "\(recovery); of those that are declared, some are not done: \(list)",
      entity: entity,
      property: property
    )
  }
}
