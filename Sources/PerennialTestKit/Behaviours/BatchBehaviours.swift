// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Requests that change many rows without objects.
  static let batchBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1H.1 batch insertions: every dictionary becomes an object") { trial in
      let context = try trial.context()
      let people: [[String: (any Sendable)?]] = (0..<50).map { (number: Int) in
        ["name": "\(number)", "age": number]
      }
      let result = try context.execute(BatchInsertRequest(entityName: "Person", objects: people))
      try expectEqual(result.count, 50, "The number of rows")
      try expectEqual(try trial.context().people("age >= 40").count, 10, "Those found")
      let found = try trial.context().named("7")
      try expectEqual(try found.value(forKey: "isActive") as? Bool, true, "The default")
    },
    StoreBehaviour("1H.1 batch insertions: a unique value is merged into its row") { trial in
      let context = try trial.context(.mergeByPropertyObjectTrump)
      let person = try context.make("Person", ["name": "Ada", "age": 36, "email": "a"])
      try context.save()
      let rows: [[String: (any Sendable)?]] = [["email": "a", "name": "Eve"], ["email": "b"]]
      try context.execute(BatchInsertRequest(entityName: "Person", objects: rows))
      let other = try trial.context()
      try expectEqual(try other.count("Person"), 2, "The number of objects")
      let found = try other.existingObject(with: person.objectID)
      try expectEqual(try found.text("name"), "Eve", "The value that was given")
      try expectEqual(try found.integer("age"), 36, "The value that was not given")
    },
    StoreBehaviour("1H.1 batch insertions: all or nothing") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada", "email": "a"])
      try context.save()
      let rows: [[String: (any Sendable)?]] = [["email": "b"], ["email": "a"]]
      try expectError(.managedObjectConstraintMerge, "The request") {
        try context.execute(BatchInsertRequest(entityName: "Person", objects: rows))
      }
      try expectEqual(try trial.context().count("Person"), 1, "The number of objects")
    },
    StoreBehaviour("1H.2 batch updates: the rows that a condition selects") { trial in
      try Crowd.save(in: trial.context())
      var request = BatchUpdateRequest(entityName: "Person", where: "age >= 36")
      request.propertiesToUpdate = ["note": "old", "score": nil]
      let result = try trial.context().execute(request)
      let expected = Crowd.members.filter { ($0.age ?? 0) >= 36 }.map(\.name)
      try expectEqual(result.count, expected.count, "The number of rows")
      let found = try trial.context().people("note == 'old' AND score == nil").names
      try expectEqual(found, expected.sorted(by: precedes), "The changed people")
    },
    StoreBehaviour("1H.2 batch updates: computed values") { trial in
      try Crowd.save(in: trial.context())
      var request = BatchUpdateRequest(entityName: "Person", where: "age < 100")
      request.expressionsToUpdate = [ExpressionDescription("age", format: "age + 1")]
      try trial.context().execute(request)
      let found = try trial.context().people("age == 37").names
      let expected = Crowd.members.filter { $0.age == 36 }.map(\.name)
      try expectEqual(found, expected.sorted(by: precedes), "Those who are 37")
    },
    StoreBehaviour("1H.2 batch updates: versions rise, so that others notice") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try context.save()
      let other = try trial.context()
      let stale = try other.named("Ada")
      _ = try stale.text("name")
      var request = BatchUpdateRequest(entityName: "Person")
      request.propertiesToUpdate = ["note": "changed"]
      try trial.context().execute(request)
      try stale.setValue("mine", forKey: "note")
      try expectError(.managedObjectMerge, "The save") { try other.save() }
      _ = person
    },
    StoreBehaviour("1H.2 batch updates: without subentities") { trial in
      try Crowd.save(in: trial.context())
      var request = BatchUpdateRequest(entityName: "Person")
      request.includesSubentities = false
      request.propertiesToUpdate = ["note": "changed"]
      try expectEqual(try trial.context().execute(request).count, 6, "The number of rows")
      try expectEqual(try trial.context().people("note == 'changed'").count, 6, "Those changed")
    },
    StoreBehaviour("1H.3 batch deletions: the rows that a condition selects") { trial in
      try Crowd.save(in: trial.context())
      let request = FetchRequest<ManagedObject>(entityName: "Person").filter("age >= 36")
      let result = try trial.context().execute(BatchDeleteRequest(request))
      let rest = Crowd.members.filter { ($0.age ?? 0) < 36 }.map(\.name)
      try expectEqual(result.count, Crowd.members.count - rest.count, "The number of rows")
      try expectEqual(
        try trial.context().people().names,
        rest.sorted(by: precedes),
        "The people who are left"
      )
    },
    StoreBehaviour("1H.3 batch deletions: relationships of others become empty") { trial in
      try Crowd.save(in: trial.context())
      let request = FetchRequest<ManagedObject>(entityName: "Person").filter("name == 'Ada'")
      try trial.context().execute(BatchDeleteRequest(request))
      let context = try trial.context()
      let boss = try context.named("Bob").object(forKey: "boss")
      try expect(boss == nil, "Bob's boss should be gone.")
      let people = try context.named("tall", "Tag").names("people").count
      try expectEqual(people, 2, "The number of tall people")
    },
    StoreBehaviour("1H.3 batch deletions: objects by their IDs") { trial in
      let context = try trial.context()
      let ids = try ["a", "b", "c"].map { try context.make("Task", ["name": $0]) }
      try context.save()
      let request = BatchDeleteRequest(objectIDs: ids.dropFirst().map(\.objectID))
      try expectEqual(try context.execute(request).count, 2, "The number of rows")
      try expectEqual(try trial.context().all("Task").names, ["a"], "The tasks that are left")
    },
    StoreBehaviour("1H.3 batches: what each has done outlives the process", requires: .durable) {
      trial in
      let rows: [[String: (any Sendable)?]] = (1...3).map { (weight: Int) in ["weight": weight] }
      try openCrates(trial) { context in
        try context.execute(BatchInsertRequest(entityName: "Crate", objects: rows))
      }
      try expectEqual(try weights(trial), [1, 2, 3], "What was inserted")
      try openCrates(trial) { context in
        var update = BatchUpdateRequest(entityName: "Crate", where: "weight == 2")
        update.propertiesToUpdate = ["weight": 9]
        try context.execute(update)
      }
      try expectEqual(try weights(trial), [1, 3, 9], "What was updated")
      try openCrates(trial) { context in
        let request = FetchRequest<ManagedObject>(entityName: "Crate").filter("weight == 3")
        try context.execute(BatchDeleteRequest(request))
      }
      try expectEqual(try weights(trial), [1, 9], "What is left")
    },
  ]

  /// Opens the store with a model by which a batch is one statement, if the store claims to do any.
  @discardableResult
  private static func openCrates<Result>(
    _ trial: Trial,
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let crate = EntityDescription("Crate", properties: [.attribute("weight", .int64)])
    let container = try PersistentContainer(
      name: "Crates",
      model: try ManagedObjectModel(crate),
      store: trial.description
    )
    return try withExtendedLifetime(container) {
      try body(container.newBackgroundContext(isolation: nil))
    }
  }

  /// What all crates weigh, from the lightest on, as the store has it when it is opened.
  private static func weights(_ trial: Trial) throws -> [Int] {
    try openCrates(trial) { context in
      try context.all("Crate").compactMap { try $0.integer("weight") }.sorted()
    }
  }
}
