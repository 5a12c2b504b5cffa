// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Delete rules, and what is left of deleted objects.
  static let deletionBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1C.1 delete rules: nullify empties the inverse") { trial in
      let context = try trial.context()
      let team = try context.make("Team", ["name": "Red"])
      try context.make("Person", ["name": "Ada"]).setObject(team, forKey: "team")
      try context.save()
      context.delete(team)
      try context.save()
      let other = try trial.context()
      try expectEqual(try other.count("Team"), 0, "The number of teams")
      try expect(
        try other.named("Ada").object(forKey: "team") == nil,
        "The team should be gone."
      )
    },
    StoreBehaviour("1C.1 delete rules: cascade deletes the members") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      for name in ["a", "b"] { try person.add(context.make("Task", ["name": name]), to: "tasks") }
      try context.make("Task", ["name": "other"])
      try context.save()
      context.delete(person)
      try context.save()
      try expectEqual(try trial.context().all("Task").names, ["other"], "The tasks")
    },
    StoreBehaviour("1C.1 delete rules: deny refuses the deletion and keeps everything") { trial in
      let context = try trial.context()
      let office = try context.make("Office", ["name": "Main"])
      try office.add(context.make("Room", ["name": "1"]), to: "rooms")
      try context.save()
      context.delete(office)
      try expectError(.relationshipDeniedDelete, "The save") { try context.save() }
      let other = try trial.context()
      try expectEqual(try other.count("Office"), 1, "The number of offices")
      try expectEqual(try other.count("Room"), 1, "The number of rooms")
    },
    StoreBehaviour("1C.1 delete rules: deny allows what has no members") { trial in
      let context = try trial.context()
      let office = try context.make("Office", ["name": "Main"])
      try context.save()
      context.delete(office)
      try context.save()
      try expectEqual(try trial.context().count("Office"), 0, "The number of offices")
    },
    StoreBehaviour("1C.1 many-to-many: a deleted object leaves the lists of others") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      context.delete(try context.named("Ada"))
      try context.save()
      let other = try trial.context()
      let people = try other.named("tall", "Tag").names("people").compactMap { $0 }
      let expected = Crowd.members.filter { $0.tags.contains("tall") && $0.name != "Ada" }
      try expectEqual(
        people.sorted(by: precedes),
        expected.map(\.name).sorted(by: precedes),
        "The people"
      )
      try expectEqual(try other.people("ANY tags.name == 'tall'").count, 2, "Those found by tag")
    },
    StoreBehaviour("1D.5 objects by ID: a deleted object is gone") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try context.save()
      let id = person.objectID
      context.delete(person)
      try context.save()
      try expectError(.objectGone, "Looking for it") {
        _ = try trial.context().existingObject(with: id)
      }
    },
    StoreBehaviour("1D.8 inaccessible faults: an object deleted elsewhere reads as empty") {
      trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      let reader = try trial.context()
      let id = try reader.named("Ada").objectID
      let fault = try required(try? reader.object(ManagedObject.self, with: id), "The object")
      reader.refresh(fault, mergeChanges: false)
      let writer = try trial.context()
      writer.delete(try writer.named("Ada"))
      try writer.save()
      try expectEqual(try fault.text("name"), nil, "The name of an object that is gone")
    },
    StoreBehaviour("1D.3 save: an object that is inserted and deleted is never stored") { trial in
      let context = try trial.context()
      context.delete(try context.make("Person", ["name": "Ada"]))
      try context.make("Person", ["name": "Bob"])
      try context.save()
      try expectEqual(try trial.context().people().names, ["Bob"], "The people")
    },
    StoreBehaviour("1F.8 object IDs: a deleted object's ID is never given again") { trial in
      let context = try trial.context()
      let first = try context.make("Person", ["name": "Ada"])
      try context.save()
      let id = first.objectID
      context.delete(first)
      try context.save()
      let second = try context.make("Person", ["name": "Bob"])
      try context.save()
      try expect(second.objectID != id, "A new object should have an ID of its own.")
    },
    StoreBehaviour(
      "1F.8 object IDs: a deleted object's ID is not given again after the next opening",
      requires: .durable
    ) { trial in
      let id = try deletedID(trial)
      try trial.reopen()
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Bob"])
      try context.save()
      try expect(person.objectID != id, "A new object should have an ID of its own.")
    },
    StoreBehaviour("1D.3 save: everything can be deleted") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      for entity in ["Person", "Team", "Tag"] {
        for object in try context.all(entity) { context.delete(object) }
      }
      try context.save()
      for entity in ["Person", "Team", "Tag"] {
        try expectEqual(try trial.context().count(entity), 0, "The number of \(entity) objects")
      }
    },
  ]

  private static func deletedID(_ trial: Trial) throws -> ManagedObjectID {
    let context = try trial.context()
    let person = try context.make("Person", ["name": "Ada"])
    try context.save()
    let id = person.objectID
    context.delete(person)
    try context.save()
    return id
  }
}
