// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// G1 and G2: opening a store with another model, beside what the machine asks for the least of it.

extension PerennialContestants {
  static func migration(_ operation: Operation) -> [Contestant] {
    operation == .migrateAttribute
      ? [migrate { $0.withAttribute() }, copy] : [migrate { $0.withEntity() }, renumber]
  }

  /// Opens the store with another model, and counts.
  private static func migrate(
    _ change: @escaping ([EntityDescription]) -> [EntityDescription]
  ) -> Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let model = try ManagedObjectModel(entities: change(model()))
      return {
        let container = try PersistentContainer(
          name: "Benchmark",
          model: model,
          store: .sqlite(trial.file)
        )
        let request = FetchRequest<ManagedObject>(entityName: "Commit")
        return UInt64(try container.newBackgroundContext().count(for: request))
      }
    }
  }

  private static func model() throws -> [EntityDescription] {
    try PersistentContainer.inMemory(Commit.self, Author.self).managedObjectModel.entities
  }

  /// Copies the file, and waits until the copy is on the disk.
  private static var copy: Contestant {
    Contestant(role: .yardstick, check: .count) { trial in
      let copy = trial.file.appendingPathExtension("copy")
      return {
        try FileManager.default.copyItem(at: trial.file, to: copy)
        let handle = try FileHandle(forUpdating: copy)
        try handle.synchronize()
        try handle.close()
        try FileManager.default.removeItem(at: copy)
        return UInt64(trial.rows)
      }
    }
  }

  /// Renumbers the rows in one statement.
  private static var renumber: Contestant {
    Contestant(role: .yardstick, check: .count) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      return {
        try connection.execute("UPDATE ZCOMMIT SET Z_ENT = Z_ENT + 1")
        return UInt64(trial.rows)
      }
    }
  }
}

extension [EntityDescription] {
  /// The model with one attribute more.
  fileprivate func withAttribute() -> [EntityDescription] {
    map { entity in
      var entity = entity
      if entity.name == "Commit" {
        entity.properties.append(.attribute("reviewer", .string, optional: true))
      }
      return entity
    }
  }

  /// The model with an entity before all others.
  fileprivate func withEntity() -> [EntityDescription] {
    self + [EntityDescription("Aaa", properties: [.attribute("name", .string, optional: true)])]
  }
}
