// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// What a store says of itself, and what the application notes with it.
  static let metadataBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1I.3 metadata: the identifier and the versions of all entities") { trial in
      let container = try trial.container
      let metadata = try metadata(of: container)
      try expectEqual(metadata.storeID, container.storeID, "The identifier")
      try expectEqual(
        metadata.modelVersionHashes,
        container.managedObjectModel.entityVersionHashesByName,
        "The version hashes"
      )
      try expect(metadata.values.isEmpty, "A new store should have no notes.")
    },
    StoreBehaviour("1I.3 metadata: notes of every type are read as they were written") { trial in
      let container = try trial.container
      try note(notes, in: container)
      try expectEqual(try metadata(of: container).values, notes, "The notes")
      try note(["count": .integer(8)], in: container)
      try expectEqual(try metadata(of: container).values, ["count": .integer(8)], "The notes")
    },
    StoreBehaviour("1I.3 metadata: keys of the store's own, and another store's, are refused") {
      trial in
      let container = try trial.container
      try note(notes, in: container)
      try expectError(.unknownName, "A key that begins with NS") {
        try note(["NSStoreUUID": .string("x")], in: container)
      }
      let other = try Trial(trial.store)
      let foreign = try metadata(of: try other.container)
      try expectError(.persistentStoreSave, "Metadata of another store") {
        let coordinator = container.persistentStoreCoordinator
        try coordinator.setMetadata(foreign, for: try onlyStore(of: container))
      }
      try expectEqual(try metadata(of: container).values, notes, "The notes")
    },
    StoreBehaviour("1I.3 metadata: objects, members and keys stay when notes change") { trial in
      let container = try trial.container
      for number in 1...3 {
        let context = try trial.context()
        let person = try context.make("Person", ["name": "\(number)"])
        try person.add(try context.make("Tag", ["name": "tag"]), to: "tags")
        try context.save()
        try note(["count": .integer(Int64(number))], in: container)
      }
      let context = try trial.context()
      try expectEqual(try context.people("tags.@count == 1").names, ["1", "2", "3"], "The people")
    },
    StoreBehaviour("1I.3 metadata: notes outlive the process", requires: .durable) { trial in
      try note(notes, in: try trial.container)
      try trial.saveAda()
      try trial.reopen()
      try expectEqual(try metadata(of: try trial.container).values, notes, "The notes")
      try expectEqual(try trial.context().people().names, ["Ada"], "The people")
    },
    StoreBehaviour(
      "1I.3 metadata: of a store in a file, they are read and written without opening it",
      requires: .durable,
      about: .files
    ) { trial in
      try note(notes, in: try trial.container)
      let open = try metadata(of: try trial.container)
      trial.close()
      var closed = try PersistentStoreCoordinator.metadataForPersistentStore(at: trial.description)
      try expectEqual(closed, open, "The metadata of the closed store")
      closed["count"] = .integer(8)
      closed["text"] = nil
      try PersistentStoreCoordinator.setMetadata(closed, forPersistentStoreAt: trial.description)
      try trial.reopen()
      try expectEqual(try metadata(of: try trial.container), closed, "The metadata")
    },
  ]

  private static let notes: [String: PropertyValue] = [
    "text": .string("a \"note\"\n\u{1F600}"), "count": .integer(-7), "ratio": .double(0.1),
    "isOn": .boolean(true), "when": .date(Date(timeIntervalSinceReferenceDate: 12_345.5)),
    "bytes": .data(Data([0, 1, 255])),
  ]

  private static func onlyStore(
    of container: PersistentContainer
  ) throws -> PersistentStoreCoordinator.Store {
    try required(container.persistentStoreCoordinator.persistentStores.first, "The store")
  }

  private static func metadata(
    of container: PersistentContainer
  ) throws -> PersistentStoreMetadata {
    try container.persistentStoreCoordinator.metadata(for: onlyStore(of: container))
  }

  private static func note(
    _ values: [String: PropertyValue],
    in container: PersistentContainer
  ) throws {
    var metadata = try metadata(of: container)
    metadata.values = values
    try container.persistentStoreCoordinator.setMetadata(metadata, for: onlyStore(of: container))
  }
}
