// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

/// Computes derived attributes that are new, or that are computed otherwise, of all objects.
struct DerivedValues {
  private let plan: MigrationPlan

  init(_ plan: MigrationPlan) { self.plan = plan }

  /// The entities of the new model with objects to compute something of.
  private var entities: [EntityLayout] {
    plan.mapping.entities.map { plan.mapping.destination.entities[$0.destination] }
      .filter { entity in
        plan.changes.contains { change in
          guard let name = change.property,
            [.attributeAdded, .derivationChanged].contains(change.kind),
            let owner = plan.mapping.destination.entitiesByName[change.entity],
            plan.mapping.destination.entities[owner].family.contains(entity.index)
          else { return false }
          return entity.slotsByName[name].map {
            entity.slots[$0].attribute?.derivationExpression != nil
          } ?? false
        }
      }
  }

  /// Computes them; the closure opens the store, if there is anything to compute.
  func compute(_ open: () throws(PerennialError) -> StoreCoordinator) throws(PerennialError) {
    let entities = entities
    guard !entities.isEmpty else { return }
    let coordinator = try open()
    for entity in entities {
      try ManagedObjectContext(coordinator: coordinator).deriveAnew(entity.name)
    }
  }
}
