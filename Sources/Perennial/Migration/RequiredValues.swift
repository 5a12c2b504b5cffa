// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate

/// Checks that code has given all objects the values which could not be inferred.
struct RequiredValues {
  private let plan: MigrationPlan

  init(_ plan: MigrationPlan) { self.plan = plan }

  /// - Throws: `migration` (134110) for a required property that some object has no value of.
  func check(_ context: ManagedObjectContext) throws(PerennialError) {
    for change in plan.changes where !change.isInferable {
      guard let property = change.property,
        let layout = plan.mapping.destination.entitiesByName[change.entity],
        let slot = plan.mapping.destination.entities[layout].slotsByName[property],
        !plan.mapping.destination.entities[layout].slots[slot].isOptional
      else { continue }
      var request = FetchRequest<ManagedObject>(entityName: change.entity)
      request.predicate = try FetchPredicate(parsing: "%K == NIL", arguments: [property])
      let count = try context.count(for: request)
      guard count > 0 else { continue }
      throw PerennialError(
        .migration,
        "\(count) objects have no value of '\(change.place)', which the model requires.",
        recovery: "set it in the MigrationStage, make it optional, or give it a default value",
        entity: change.entity,
        property: property
      )
    }
  }
}
