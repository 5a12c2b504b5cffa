// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// Saves, rollbacks, child contexts.
  static let savingBehaviours: [StoreBehaviour] = saves + savesAgain + undone + numbers

  private static let saves: [StoreBehaviour] = [
    StoreBehaviour("1D.3 save: what one context saves, another one fetches") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada", "age": 36])
      let before = try trial.context().count("Person")
      try expectEqual(before, 0, "The number of objects before the save")
      try context.save()
      let found = try trial.context().named("Ada")
      try expectEqual(try found.integer("age"), 36, "The age")
    },
    StoreBehaviour("1D.3 save: a save without changes does nothing") { trial in
      let context = try trial.context()
      try context.save()
      try expect(!context.hasChanges, "There should be no changes.")
    },
    StoreBehaviour("1D.3 save: every one of twenty saves is stored") { trial in
      let context = try trial.context()
      for number in 0..<20 {
        try context.make("Task", ["name": "\(number)"])
        try context.save()
        try expectEqual(try trial.context().count("Task"), number + 1, "The number of tasks")
      }
    },
    StoreBehaviour("1D.3 save: only what was changed is written") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada", "age": 36, "note": "old"])
      try context.save()
      try person.setValue("new", forKey: "note")
      try context.save()
      let found = try trial.context().named("Ada")
      try expectEqual(try found.text("note"), "new", "The changed value")
      try expectEqual(try found.integer("age"), 36, "The other value")
    },
    StoreBehaviour("1D.3 save: insertions, changes and deletions of one save") { trial in
      let context = try trial.context()
      for name in ["a", "b", "c"] { try context.make("Person", ["name": name]) }
      try context.save()
      context.delete(try context.named("a"))
      try context.named("b").setValue("B", forKey: "name")
      try context.make("Person", ["name": "d"])
      try context.save()
      try expectEqual(try trial.context().people().names, ["B", "c", "d"], "What is stored")
    },
    StoreBehaviour("1D.3 save: a thousand objects") { trial in
      let context = try trial.context()
      for number in 0..<1000 { try context.make("Task", ["name": "\(number)"]) }
      try context.save()
      let names = try trial.context().all("Task").names
      try expectEqual(Set(names), Set((0..<1000).map { "\($0)" }), "The tasks")
    },
    StoreBehaviour("1B.4 optional: a save with a value that is not allowed writes nothing") {
      trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.make("Value", ["double": Double.nan])
      do {
        try context.save()
      } catch PerennialError.validation {
        try expectEqual(try trial.context().count("Person"), 0, "The number of people")
        return
      }
      throw BehaviourFailure("NaN should not be stored.")
    },
    StoreBehaviour("1F.8 object IDs: permanent after the save, and the same in every context") {
      trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      let temporary = person.objectID
      try expect(temporary.isTemporaryID, "The ID should be temporary before the save.")
      try context.save()
      try expect(!person.objectID.isTemporaryID, "The ID should be permanent after the save.")
      let found = try trial.context().named("Ada")
      try expectEqual(found.objectID, person.objectID, "The ID in another context")
    },
    StoreBehaviour("1F.8 object IDs: a URI names the object") { trial in
      let context = try trial.context()
      let person = try context.make("Manager", ["name": "Ada"])
      try context.save()
      let uri = person.objectID.uriRepresentation
      let id = try required(ManagedObjectID(uriRepresentation: uri), "The ID of the URI")
      let found = try trial.context().existingObject(with: id)
      try expectEqual(try found.text("name"), "Ada", "The object of the URI")
      try expectEqual(uri.host, try trial.container.storeID.uuidString, "The URI's store")
    },
  ]

  private static let undone: [StoreBehaviour] = [
    StoreBehaviour("1D.4 rollback, reset, refresh: a rollback forgets what is not saved") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try context.save()
      try person.setValue("Eve", forKey: "name")
      try context.make("Person", ["name": "Bob"])
      context.rollback()
      try expectEqual(try person.text("name"), "Ada", "The name")
      try context.save()
      try expectEqual(try trial.context().people().names, ["Ada"], "What is stored")
    },
    StoreBehaviour("1D.4 rollback, reset, refresh: a rollback brings a deleted object back") {
      trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try context.save()
      context.delete(person)
      context.rollback()
      try context.save()
      try expectEqual(try trial.context().people().names, ["Ada"], "What is stored")
    },
    StoreBehaviour("1D.4 rollback, reset, refresh: a refresh reads what others have saved") {
      trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada", "age": 1])
      try context.save()
      let writer = try trial.context()
      try writer.named("Ada").setValue(2, forKey: "age")
      try writer.save()
      context.refresh(person, mergeChanges: false)
      try expectEqual(try person.integer("age"), 2, "The age")
    },
    StoreBehaviour("1D.4 rollback, reset, refresh: a refresh that merges keeps own changes") {
      trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada", "age": 1])
      try context.save()
      let writer = try trial.context()
      try writer.named("Ada").setValue(2, forKey: "age")
      try writer.save()
      try person.setValue("note", forKey: "note")
      context.refresh(person, mergeChanges: true)
      try expectEqual(try person.integer("age"), 2, "The age")
      try expectEqual(try person.text("note"), "note", "The own change")
    },
    StoreBehaviour("1D.4 rollback, reset, refresh: a reset forgets everything") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      try context.make("Person", ["name": "Bob"])
      context.reset()
      try context.save()
      try expectEqual(try context.people().names, ["Ada"], "What is stored")
    },
    StoreBehaviour("1D.2 child contexts: a child's save goes to its parent first") { trial in
      let parent = try trial.context()
      let child = ManagedObjectContext(parent: parent)
      try child.make("Person", ["name": "Ada"])
      try child.save()
      try expectEqual(try trial.context().count("Person"), 0, "What is stored")
      try expectEqual(try parent.people().names, ["Ada"], "What the parent has")
      try parent.save()
      try expectEqual(try trial.context().people().names, ["Ada"], "What is stored")
    },
    StoreBehaviour("1D.2 child contexts: a child fetches by every condition through its parent") {
      trial in
      try Crowd.save(in: trial.context())
      let child = ManagedObjectContext(parent: try trial.context())
      let found = try child.people("ANY tags.name == 'old' AND age > 0").names
      let expected = Crowd.members.filter { $0.tags.contains("old") && ($0.age ?? 0) > 0 }
      try expectEqual(found, expected.map(\.name).sorted(by: precedes), "The people")
    },
    StoreBehaviour("1D.11 merging: another context's save is merged when it is asked for") {
      trial in
      let context = try trial.context()
      context.automaticallyMergesChangesFromParent = true
      let person = try context.make("Person", ["name": "Ada", "age": 1])
      try context.save()
      let writer = try trial.context()
      try writer.named("Ada").setValue(2, forKey: "age")
      try writer.save()
      try context.processPendingChanges()
      try expectEqual(try person.integer("age"), 2, "The age")
    },
  ]

  private static let numbers: [StoreBehaviour] = [
    StoreBehaviour("1B.1 validation: infinity is a value") { trial in
      let context = try trial.context()
      for score in [Double.infinity, 0, -Double.infinity] {
        try context.make("Person", ["name": "\(score)", "score": score])
      }
      try context.save()
      var request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [FetchSort("score")]
      try expectEqual(
        try trial.context().fetch(request).names,
        ["-inf", "0.0", "inf"],
        "The order"
      )
    },
    StoreBehaviour("1B.1 validation: -0.0 is 0.0") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "zero", "score": -0.0])
      try context.save()
      try expectEqual(try trial.context().people("score == 0").names, ["zero"], "Those found")
    },
  ]
}
