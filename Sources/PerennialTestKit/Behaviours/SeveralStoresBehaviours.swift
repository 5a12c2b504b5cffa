// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// The store beside others under one coordinator.
  static let severalStoresBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1I.2 configurations: every entity is in the store that keeps it") { trial in
      let stores = try trial.open(besides: .inMemory, configurations: configurations)
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      let attachment = try context.make("Attachment", ["size": 1])
      try context.save()
      try expectEqual(store(of: person), stores[0].identifier, "The person's store")
      try expectEqual(store(of: attachment), stores[1].identifier, "The attachment's store")
      let reader = try trial.context()
      try expectEqual(try reader.people().names, ["Ada"], "The people")
      try expectEqual(try reader.count("Attachment"), 1, "The number of attachments")
    },
    StoreBehaviour("1I.2 configurations: a store takes no objects of other entities") { trial in
      let stores = try trial.open(besides: .inMemory, configurations: configurations)
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try expectError(.invalidRequest, "The assignment") {
        try context.assign(person, to: stores[1])
      }
    },
    StoreBehaviour("1I.3 several stores: sorts, windows, counts and conditions span them") {
      trial in
      try trial.openTwo()
      let context = try trial.context()
      var request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [FetchSort("age", ascending: false)]
      try expectEqual(try context.fetch(request).names, ["F", "E", "D", "C", "B", "A"], "All")
      request.fetchOffset = 1
      request.fetchLimit = 3
      try expectEqual(try context.fetch(request).names, ["E", "D", "C"], "The window")
      try expectEqual(try context.count(for: request), 3, "The window's count")
      try expectEqual(try context.people("age > 2").names, ["C", "D", "E", "F"], "Those found")
      try expectEqual(try context.count("Person"), 6, "The count")
    },
    StoreBehaviour("1I.3 several stores: relationships stay within each (133010)") { trial in
      let stores = try trial.openTwo()
      let context = try trial.context()
      for (number, name) in ["Red", "Blue"].enumerated() {
        let team = try context.make("Team", ["name": name])
        try context.assign(team, to: stores[number])
        let people = try context.people("age \(number == 0 ? "IN {1, 3, 5}" : "IN {2, 4, 6}")")
        for person in people { try person.setObject(team, forKey: "team") }
      }
      try context.save()
      let reader = try trial.context()
      try expectEqual(try reader.people("team.name == 'Blue'").names, ["B", "D", "F"], "The team")
      try reader.named("A").setObject(reader.named("Blue", "Team"), forKey: "team")
      try reader.named("B").setValue("Bea", forKey: "name")
      let error = try expectError(.managedObjectExternalRelationship, "The save") {
        try reader.save()
      }
      try expectEqual(error.property, "team", "The relationship that the error names")
      try expectEqual(try trial.context().people().names.first, "A", "What is stored")
      try expectEqual(try trial.context().people("name == 'Bea'").count, 0, "What is stored")
    },
    StoreBehaviour("1I.3 several stores: batches reach all, or those that are named") { trial in
      let stores = try trial.openTwo()
      let context = try trial.context()
      var update = BatchUpdateRequest(entityName: "Person", where: "age > 2")
      update.propertiesToUpdate = ["note": "seen"]
      try expectEqual(try context.execute(update).count, 4, "The number of updated people")
      update.affectedStores = [stores[1].identifier]
      update.propertiesToUpdate = ["note": "second"]
      try expectEqual(try context.execute(update).count, 2, "The number in the second store")
      let seen = try trial.context().people("note == 'second'").names
      try expectEqual(seen, ["D", "F"], "Those of the second store")
      let all = FetchRequest<ManagedObject>(entityName: "Person")
      var deletion = BatchDeleteRequest(all)
      deletion.affectedStores = [stores[0].identifier]
      try expectEqual(try context.execute(deletion).count, 3, "The number of deleted people")
      try expectEqual(try trial.context().people().names, ["B", "D", "F"], "Those left")
    },
    StoreBehaviour("1I.3 several stores: a conflict in one writes nothing in the other") { trial in
      try trial.openTwo()
      let late = try trial.context()
      let people = try late.people("age < 3")
      let context = try trial.context()
      try context.named("B").setValue(20.0, forKey: "score")
      try context.save()
      for person in people { try person.setValue(10.0, forKey: "score") }
      try expectError(.managedObjectMerge, "The late save") { try late.save() }
      try expectEqual(try trial.context().people("score == 10").count, 0, "What was written")
      late.mergePolicy = .mergeByPropertyObjectTrump
      try late.save()
      try expectEqual(
        try trial.context().people("score == 10").names,
        ["A", "B"],
        "What is stored"
      )
    },
    StoreBehaviour("1I.3 several stores: each has its own objects alone", requires: .durable) {
      trial in
      try trial.openTwo()
      let id = try trial.context().named("C").objectID
      try trial.reopen()
      let context = try trial.context()
      try expectEqual(try context.people().names, ["A", "C", "E"], "The people of the first store")
      try expectEqual(try context.existingObject(with: id).text("name"), "C", "The object of an ID")
    },
  ]

  /// Attachments lie beside everything else.
  private static let configurations = [
    "Main": ["Person", "Employee", "Manager", "Team", "Tag", "Checklist", "Task"],
    "Files": ["Attachment"],
  ]

  private static func store(of object: ManagedObject) -> UUID? {
    object.objectID.uriRepresentation.host().flatMap { UUID(uuidString: $0) }
  }
}

extension Trial {
  /// Opens the store and another one of its kind, with the people A to F, aged 1 to 6, in turn.
  @discardableResult
  fileprivate func openTwo() throws -> [PersistentStoreCoordinator.Store] {
    let stores = try open(besides: try store.fresh())
    let context = try context()
    for (number, name) in ["A", "B", "C", "D", "E", "F"].enumerated() {
      let person = try context.make("Person", ["name": name, "age": number + 1])
      try context.assign(person, to: stores[number % 2])
    }
    try context.save()
    return stores
  }
}
