// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Two contexts change one object: what each merge policy makes of it.
  static let lockingBehaviours: [StoreBehaviour] =
    outcomes.map { outcome in
      StoreBehaviour("1M.1 lock conflicts: \(outcome.name)") { trial in
        let (first, second) = try pair(trial)
        try change(first, outcome.first)
        try change(second, outcome.second)
        try first.save()
        second.mergePolicy = outcome.policy
        try second.save()
        try expect(!second.hasChanges, "The context should have no changes left.")
        let found = try required(try trial.context().all("Person").first, "The person")
        try expectEqual(try found.text("name"), outcome.result, "The name")
        try expectEqual(try found.integer("age"), outcome.age, "The age")
      }
    } + others

  private struct Outcome: Sendable {
    let name: String
    let policy: MergePolicy
    /// What the first and the second context change.
    let first: (name: String?, age: Int?)
    let second: (name: String?, age: Int?)
    let result: String
    let age: Int
  }

  private static let outcomes: [Outcome] = [
    Outcome(
      name: "store trump keeps what was saved first, and other changes",
      policy: .mergeByPropertyStoreTrump,
      first: ("A", nil),
      second: ("B", 99),
      result: "A",
      age: 99
    ),
    Outcome(
      name: "object trump keeps what was changed last, and other changes",
      policy: .mergeByPropertyObjectTrump,
      first: ("A", 50),
      second: ("B", nil),
      result: "B",
      age: 50
    ),
    Outcome(
      name: "overwrite writes the whole object as it was read",
      policy: .overwrite,
      first: ("A", 77),
      second: ("B", nil),
      result: "B",
      age: 10
    ),
    Outcome(
      name: "rollback keeps what was saved first",
      policy: .rollback,
      first: ("A", nil),
      second: ("B", nil),
      result: "A",
      age: 10
    ),
    Outcome(
      name: "object trump joins changes of different properties",
      policy: .mergeByPropertyObjectTrump,
      first: (nil, 50),
      second: ("B", nil),
      result: "B",
      age: 50
    ),
    Outcome(
      name: "store trump joins changes of different properties",
      policy: .mergeByPropertyStoreTrump,
      first: (nil, 50),
      second: ("B", nil),
      result: "B",
      age: 50
    ),
  ]

  private static let others: [StoreBehaviour] = [
    StoreBehaviour("1M.1 lock conflicts: the error policy refuses the save (133020)") { trial in
      let (first, second) = try pair(trial)
      try change(first, ("A", nil))
      try change(second, ("B", nil))
      try first.save()
      let error = try expectError(.managedObjectMerge, "The second save") { try second.save() }
      try expectEqual(error.conflicts.count, 1, "The number of conflicts")
      try expectEqual(try trial.context().people().names, ["A"], "What is stored")
      try expect(second.hasChanges, "The changes should still be pending.")
    },
    StoreBehaviour("1M.1 lock conflicts: changes of different properties conflict, too") { trial in
      let (first, second) = try pair(trial)
      try change(first, ("A", nil))
      try change(second, (nil, 3))
      try first.save()
      try expectError(.managedObjectMerge, "The second save") { try second.save() }
    },
    StoreBehaviour("1M.1 lock conflicts: nothing of a refused save is written") { trial in
      let (first, second) = try pair(trial)
      try change(first, ("A", nil))
      try change(second, ("B", nil))
      try second.make("Person", ["name": "New"])
      try second.make("Team", ["name": "Red"])
      try first.save()
      try expectError(.managedObjectMerge, "The second save") { try second.save() }
      try expectEqual(try trial.context().people().names, ["A"], "The people")
      try expectEqual(try trial.context().count("Team"), 0, "The number of teams")
    },
    StoreBehaviour("1M.1 lock conflicts: a refused save succeeds after a rollback") { trial in
      let (first, second) = try pair(trial)
      try change(first, ("A", nil))
      try change(second, ("B", nil))
      try first.save()
      try expectError(.managedObjectMerge, "The second save") { try second.save() }
      second.rollback()
      second.refreshAllObjects()
      try change(second, ("C", nil))
      try second.save()
      try expectEqual(try trial.context().people().names, ["C"], "What is stored")
    },
    StoreBehaviour("1M.1 lock conflicts: a changed object that was deleted elsewhere") { trial in
      let (first, second) = try pair(trial)
      for person in try first.people() { first.delete(person) }
      try change(second, ("B", nil))
      try first.save()
      try expectError(.managedObjectMerge, "The second save") { try second.save() }
      try expectEqual(try trial.context().count("Person"), 0, "What is stored")
    },
    StoreBehaviour("1M.1 lock conflicts: a deleted object that was changed elsewhere") { trial in
      let (first, second) = try pair(trial)
      try change(first, ("A", nil))
      for person in try second.people() { second.delete(person) }
      try first.save()
      try expectError(.managedObjectMerge, "The second save") { try second.save() }
      try expectEqual(try trial.context().people().names, ["A"], "What is stored")
    },
    StoreBehaviour("1M.1 lock conflicts: an object that both have deleted is none") { trial in
      let (first, second) = try pair(trial)
      for context in [first, second] {
        for person in try context.people() { context.delete(person) }
      }
      try first.save()
      try second.save()
      try expectEqual(try trial.context().count("Person"), 0, "What is stored")
    },
    StoreBehaviour("1M.1 lock conflicts: one context can save an object again and again") { trial in
      let (first, _) = try pair(trial)
      for name in ["A", "B", "C", "D"] {
        try change(first, (name, nil))
        try first.save()
      }
      try expectEqual(try trial.context().people().names, ["D"], "What is stored")
    },
    StoreBehaviour("1M.1 lock conflicts: changes of different objects are none") { trial in
      let context = try trial.context()
      for name in ["Ada", "Bob"] { try context.make("Person", ["name": name]) }
      try context.save()
      let (first, second) = (try trial.context(), try trial.context())
      try first.named("Ada").setValue(1, forKey: "age")
      try second.named("Bob").setValue(2, forKey: "age")
      try first.save()
      try second.save()
      let ages = try trial.context().people().map { try $0.integer("age") }
      try expectEqual(ages, [1, 2], "The ages")
    },
    StoreBehaviour(
      "1M.1 lock conflicts: versions outlive the process",
      requires: .durable
    ) { trial in
      try saveTwice(trial)
      try trial.reopen()
      let (first, second) = (try trial.context(), try trial.context())
      try change(first, ("A", nil))
      try change(second, ("B", nil))
      try first.save()
      try expectError(.managedObjectMerge, "The second save") { try second.save() }
    },
  ]

  private static func saveTwice(_ trial: Trial) throws {
    let (first, _) = try pair(trial)
    try change(first, ("Again", nil))
    try first.save()
  }

  /// Two contexts that have read Alice, who is 10.
  private static func pair(
    _ trial: Trial
  ) throws -> (ManagedObjectContext, ManagedObjectContext) {
    let context = try trial.context()
    try context.make("Person", ["name": "Alice", "age": 10])
    try context.save()
    let (first, second) = (try trial.context(), try trial.context())
    first.retainsRegisteredObjects = true
    second.retainsRegisteredObjects = true
    for context in [first, second] {
      let found = try context.people()
      try expectEqual(try found.names, ["Alice"], "What was saved")
      context.automaticallyMergesChangesFromParent = false
    }
    return (first, second)
  }

  private static func change(
    _ context: ManagedObjectContext,
    _ values: (name: String?, age: Int?)
  ) throws {
    let person = try required(try context.people().first, "The person")
    if let name = values.name { try person.setValue(name, forKey: "name") }
    if let age = values.age { try person.setValue(age, forKey: "age") }
  }
}
