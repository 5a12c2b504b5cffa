// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// How many objects of each entity a store has: what must be the same after a migration.
struct ObjectCounts {
  private let byNumber: [Int64: Int64]

  /// Counts the rows of all tables.
  init(_ connection: SQLiteConnection, _ schema: StoreSchema) throws {
    var counts: [Int64: Int64] = [:]
    for definition in schema.definitions {
      let statement = try connection.prepare(
        "SELECT Z_ENT, COUNT(*) FROM \(definition.name) GROUP BY Z_ENT"
      )
      defer { statement.finalize() }
      while try statement.step() {
        counts[statement.integer(0), default: 0] += statement.integer(1)
      }
    }
    byNumber = counts
  }

  /// Compares counts with those of the migrated store.
  ///
  /// - Throws: `migration` (134110), which names the entity.
  func check(_ after: ObjectCounts, _ mapping: ModelMapping, _ old: StoreSchema, _ new: StoreSchema)
    throws
  {
    for entity in mapping.entities {
      let before = byNumber[old.number(of: entity.source)] ?? 0
      let found = after.byNumber[new.number(of: entity.destination)] ?? 0
      guard before != found else { continue }
      let name = new.model.entities[entity.destination].name
      throw PerennialError(
        .migration,
        "There were \(before) objects of '\(name)', and the migrated store has \(found).",
        recovery: "report this with both models; the store is as it was",
        entity: name
      )
    }
  }
}
