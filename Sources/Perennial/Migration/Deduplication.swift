// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate

/// What becomes of objects that share values, before a new uniqueness constraint forbids it.
///
/// ```swift
/// store.migration.deduplications = [
///   Deduplication("Author", by: "email", keeping: .last, sortedBy: "seen")
/// ]
/// ```
///
/// One object of every group stays. Objects that the others led to, or that led to them, belong to it from then on:
/// to-many relationships are united, and a to-one relationship that it has no object in takes theirs.
///
/// Core Data: none; a lightweight migration fails with `NSMigrationConstraintViolationError`.
public struct Deduplication: Sendable {
  /// Which object of a group stays.
  public enum Keeping: Sendable, Hashable {
    /// The first one.
    case first
    /// The last one.
    case last
    /// The first one; it takes values that it does not have from the ones after it, in their order.
    case merged
  }

  /// The entity, by its name in the new model.
  public let entity: String
  /// The attributes whose values are shared, by their names in the new model.
  public let properties: [String]
  /// Which object stays.
  public let keeping: Keeping
  /// The attribute that says which one is first; `nil` for the order in which they were made.
  public let sortKey: String?

  /// Declares what becomes of duplicates.
  ///
  /// - Parameters:
  ///   - entity: The entity, by its name in the new model.
  ///   - properties: The attributes of the constraint, by their names in the new model.
  ///   - keeping: Which object stays.
  ///   - sortKey: The attribute that says which one is first, by its name in the new model; `nil` for the
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

  /// Removes the duplicates in a store of the old model.
  ///
  /// - Returns: How many objects are gone.
  func run(in context: ManagedObjectContext, _ plan: MigrationPlan) throws(PerennialError) -> Int {
    let destination = try plan.mapping.destination.entity(named: entity)
    guard let mapping = plan.mapping.mapping(ofDestination: destination.index) else { return 0 }
    let source = plan.mapping.source.entities[mapping.source]
    func before(_ name: String) throws(PerennialError) -> String {
      guard let old = mapping.sourceName(of: name) else {
        throw PerennialError(
          .migration,
          "'\(entity)' cannot be freed of duplicates by '\(name)', which it did not have before.",
          recovery: "name attributes that the old model has, too",
          entity: entity,
          property: name
        )
      }
      return old
    }
    var names: [String] = []
    for property in properties { names.append(try before(property)) }
    var sort: FetchSort?
    if let sortKey { sort = FetchSort(try before(sortKey)) }
    let remover = DuplicateRemover(
      context: context,
      model: plan.mapping.source,
      entity: source,
      names: names,
      sort: sort,
      keeping: keeping
    )
    return try remover.run()
  }
}
