// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialStore

/// Checks that code has left no objects of entities that are abstract now.
struct AbstractEntities {
  private let mapping: ModelMapping

  init(_ plan: MigrationPlan) { mapping = plan.mapping }

  /// - Throws: `migration` (134110) for an abstract entity with objects of its own.
  func check(_ context: ManagedObjectContext) throws(PerennialError) {
    for entity in mapping.entities {
      let layout = mapping.destination.entities[entity.destination]
      guard layout.description.isAbstract else { continue }
      var request = FetchRequest<ManagedObject>(entityName: layout.name)
      request.includesSubentities = false
      let count = try context.count(for: request)
      if count > 0 { throw .cannotBeAbstract(layout, count: count) }
    }
  }
}
