// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Values that must be unique, and what each merge policy makes of a second one.
  static let constraintBehaviours: [StoreBehaviour] =
    outcomes.map { outcome in
      StoreBehaviour("1M.2 constraint conflicts: \(outcome.title)") { trial in
        let id = try stored(trial)
        let context = try trial.context(outcome.policy)
        try newcomer(in: context)
        try context.save()
        let found = try trial.context().people()
        try expectEqual(found.count, 1, "The number of objects")
        try expectEqual(found[0].objectID, id, "The ID of the survivor")
        try expectEqual(try found[0].text("name"), outcome.name, "The name")
        try expectEqual(try found[0].integer("age"), outcome.age, "The age")
        try expectEqual(try found[0].text("note"), outcome.note, "The note")
      }
    } + others

  private struct Outcome: Sendable {
    let title: String
    let policy: MergePolicy
    let name: String?
    let age: Int?
    let note: String?
  }

  /// Stored: Ada, 36, no note.
  ///
  /// The newcomer: Eve, no age assigned, a note.
  private static let outcomes: [Outcome] = [
    Outcome(
      title: "object trump takes what was assigned, and nothing else",
      policy: .mergeByPropertyObjectTrump,
      name: "Eve",
      age: 36,
      note: "new"
    ),
    Outcome(
      title: "object trump overwriting unset values empties what was not assigned",
      policy: .mergeByPropertyObjectTrumpOverwritingUnset,
      name: "Eve",
      age: nil,
      note: "new"
    ),
    Outcome(
      title: "store trump fills what is empty",
      policy: .mergeByPropertyStoreTrump,
      name: "Ada",
      age: 36,
      note: "new"
    ),
    Outcome(
      title: "rollback keeps what is stored",
      policy: .rollback,
      name: "Ada",
      age: 36,
      note: nil
    ),
  ]

  private static let others: [StoreBehaviour] = [
    StoreBehaviour("1M.2 constraint conflicts: the error policy refuses the save (133021)") {
      trial in
      _ = try stored(trial)
      let context = try trial.context()
      try newcomer(in: context)
      let error = try expectError(.managedObjectConstraintMerge, "The save") {
        try context.save()
      }
      try expectEqual(error.conflicts.count, 1, "The number of conflicts")
      try expectEqual(try trial.context().people().names, ["Ada"], "What is stored")
    },
    StoreBehaviour("1M.2 constraint conflicts: another value mends a refused save") { trial in
      _ = try stored(trial)
      let context = try trial.context()
      let person = try newcomer(in: context)
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
      try person.setValue("eve@example.org", forKey: "email")
      try context.save()
      try expectEqual(try trial.context().people().names, ["Ada", "Eve"], "What is stored")
    },
    StoreBehaviour("1M.2 constraint conflicts: two new objects in one save") { trial in
      let context = try trial.context()
      try newcomer(in: context)
      try newcomer(in: context)
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
      try expectEqual(try trial.context().count("Person"), 0, "What is stored")
    },
    StoreBehaviour("1M.2 constraint conflicts: two new objects become one under object trump") {
      trial in
      let context = try trial.context(.mergeByPropertyObjectTrump)
      try newcomer(in: context)
      try newcomer(in: context)
      try context.save()
      try expectEqual(try trial.context().people().names, ["Eve"], "What is stored")
    },
    StoreBehaviour("1A.14 uniqueness: absent values never conflict") { trial in
      let context = try trial.context()
      for name in ["Ada", "Bob", "Cy"] { try context.make("Person", ["name": name]) }
      try context.save()
      try context.make("Person", ["name": "Dan"])
      try context.save()
      try expectEqual(try trial.context().count("Person"), 4, "The number of objects")
    },
    StoreBehaviour("1A.14 uniqueness: a changed object conflicts like a new one") { trial in
      _ = try stored(trial)
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Bob", "email": "bob@example.org"])
      try context.save()
      try person.setValue("ada@example.org", forKey: "email")
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
    },
    StoreBehaviour("1A.14 uniqueness: a value that became free can be used") { trial in
      _ = try stored(trial)
      let context = try trial.context()
      try context.named("Ada").setValue("new@example.org", forKey: "email")
      try newcomer(in: context)
      try context.save()
      try expectEqual(try trial.context().people().names, ["Ada", "Eve"], "What is stored")
    },
    StoreBehaviour("1A.14 uniqueness: a deleted object's value can be used in the same save") {
      trial in
      _ = try stored(trial)
      let context = try trial.context()
      context.delete(try context.named("Ada"))
      try newcomer(in: context)
      try context.save()
      try expectEqual(try trial.context().people().names, ["Eve"], "What is stored")
    },
    StoreBehaviour("1A.14 uniqueness: two objects can exchange their values") { trial in
      let context = try trial.context()
      let (ada, bob) = (
        try context.make("Person", ["name": "Ada", "email": "1"]),
        try context.make("Person", ["name": "Bob", "email": "2"])
      )
      try context.save()
      try ada.setValue("2", forKey: "email")
      try bob.setValue("1", forKey: "email")
      try context.save()
      let emails = try trial.context().people().map { try $0.text("email") }
      try expectEqual(emails, ["2", "1"], "The addresses")
    },
    StoreBehaviour("1A.14 uniqueness: texts are compared by their bytes") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada", "email": "\u{E9}"])
      try context.make("Person", ["name": "Bob", "email": "e\u{301}"])
      try context.make("Person", ["name": "Cy", "email": "E\u{301}"])
      try context.save()
      try expectEqual(try trial.context().count("Person"), 3, "The number of objects")
    },
    StoreBehaviour("1A.14 uniqueness: several values together") { trial in
      let context = try trial.context()
      for (floor, number) in [(1, 1), (1, 2), (2, 1)] {
        try context.make("Room", ["floor": floor, "number": number])
      }
      try context.save()
      try context.make("Room", ["floor": 1, "number": nil])
      try context.make("Room", ["floor": 1, "number": nil])
      try context.save()
      try context.make("Room", ["floor": 2, "number": 1])
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
      try expectEqual(try trial.context().count("Room"), 5, "The number of rooms")
    },
    StoreBehaviour("1A.14 uniqueness: subentities are under the constraint, too") { trial in
      _ = try stored(trial)
      let context = try trial.context()
      try context.make("Manager", ["name": "Eve", "email": "ada@example.org"])
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
    },
    StoreBehaviour("1A.14 uniqueness outlives the process", requires: .durable) { trial in
      _ = try stored(trial)
      try trial.reopen()
      let context = try trial.context()
      try newcomer(in: context)
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
    },
  ]

  private static func stored(_ trial: Trial) throws -> ManagedObjectID {
    let context = try trial.context()
    let person = try context.make(
      "Person",
      ["name": "Ada", "age": 36, "email": "ada@example.org"]
    )
    try context.save()
    return person.objectID
  }

  @discardableResult
  private static func newcomer(in context: ManagedObjectContext) throws -> ManagedObject {
    try context.make("Person", ["name": "Eve", "note": "new", "email": "ada@example.org"])
  }
}
