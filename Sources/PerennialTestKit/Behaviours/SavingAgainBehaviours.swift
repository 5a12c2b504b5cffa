// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Saves of a program's own store that are made twice, because nobody knows whether the first was written.
  static let savesAgain: [StoreBehaviour] = [false, true].map { isDone in
    let first = isDone ? "has written, and then fails," : "fails before it writes"
    return StoreBehaviour("1D.3 save: a save that \(first) is made again", about: .ownStores) {
      trial in
      let make = try required(trial.description.makeStore, "A store of one's own")
      try trial.open {
        $0 = .custom { FailingStore(try make(), in: [.save], at: 2, afterwards: isDone) }
      }
      let context = try trial.context()
      let names = ["a", "b", "c"]
      let people = try names.map { try context.make("Person", ["name": $0, "email": $0]) }
      try people[0].add(try context.make("Tag", ["name": "x"]), to: "tags")
      try context.save()

      try people[0].setValue("A", forKey: "name")
      context.delete(people[1])
      let person = try context.make("Person", ["name": "d", "email": "d"])
      try person.add(try context.make("Tag", ["name": "y"]), to: "tags")
      try expectError(.persistentStoreSave, "The save") { try context.save() }
      try expect(context.hasChanges, "The changes should wait for the next save.")
      try context.save()

      let reader = try trial.context()
      try expectEqual(try reader.people().names, ["A", "c", "d"], "What is stored")
      try expectEqual(try reader.people("ANY tags.name == 'y'").names, ["d"], "The tagged person")
      try expectEqual(try reader.all("Tag").names.sorted(), ["x", "y"], "The tags")
      try reader.named("A").setValue("B", forKey: "name")
      try reader.save()
      try expectEqual(try trial.context().people().names, ["B", "c", "d"], "What is stored")
    }
  }
}
