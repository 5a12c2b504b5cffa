// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate

/// Checks that code has given all objects the values which could not be inferred.
struct RequiredValues {
  private let plan: MigrationPlan

  init(_ plan: MigrationPlan) { self.plan = plan }

  /// - Throws: `migration` (134110) for a required property that some object has no value of, or too few objects.
  func check(_ context: ManagedObjectContext) throws(PerennialError) {
    let model = plan.mapping.destination
    for change in plan.changes where !change.isInferable {
      guard let property = change.property, let index = model.entitiesByName[change.entity]
      else { continue }
      let entity = model.entities[index]
      for name in entity.requiredSlots.map({ entity.slots[$0].name })
      where name == property || name.hasPrefix(property + ".") {
        try check("no value", name, of: entity, "%K == NIL", [name], context)
      }
      if let relationship = entity.toManysByName[property].map({ entity.toManys[$0].description }),
        !relationship.isOptional, relationship.minimumCount > 0
      {
        let least = relationship.minimumCount
        try check(
          "too few objects",
          property,
          of: entity,
          "%K.@count < %@",
          [property, least],
          context
        )
      }
    }
  }

  /// Checks that no object meets a condition, which says what it has too little of.
  private func check(
    _ lack: String,
    _ property: String,
    of entity: EntityLayout,
    _ condition: String,
    _ arguments: [any Sendable],
    _ context: ManagedObjectContext
  ) throws(PerennialError) {
    var request = FetchRequest<ManagedObject>(entityName: entity.name)
    request.predicate = try FetchPredicate(parsing: condition, arguments: arguments)
    let count = try context.count(for: request)
    guard count > 0 else { return }
    throw PerennialError(
      .migration,
      "\(count) objects have \(lack) of '\(entity.name).\(property)', which the model requires.",
      recovery: "set it in the MigrationStage, make it optional, or give it a default value",
      entity: entity.name,
      property: property
    )
  }
}
