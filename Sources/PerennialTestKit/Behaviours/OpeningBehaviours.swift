// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// What outlives the process, and who may write.
  static let openingBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1I.1 containers: everything is there at the next opening", requires: .durable) {
      trial in
      try Crowd.save(in: trial.context())
      let writer = try trial.context()
      try writer.named("Ada").add(try writer.named("Bob"), to: "friends")
      try writer.save()
      try trial.reopen()
      let context = try trial.context()
      let expected = Crowd.members.map(\.name).sorted(by: precedes)
      try expectEqual(try context.people().names, expected, "The people")
      for member in Crowd.members { try expectAll(of: member, in: context.named(member.name)) }
      try expectEqual(try context.named("Ada").names("friends"), ["Bob"], "Ada's friends")
      try expectEqual(try context.named("Bob").names("friends"), ["Ada"], "Bob's friends")
    },
    StoreBehaviour("1I.1 containers: the identifier stays the same", requires: .durable) { trial in
      let identifier = try trial.container.storeID
      let id = try savedID(trial)
      try trial.reopen()
      try expectEqual(try trial.container.storeID, identifier, "The identifier")
      let found = try trial.context().existingObject(with: id)
      try expectEqual(try found.text("name"), "Ada", "The object of an ID taken before")
    },
    StoreBehaviour("1I.1 containers: deletions and changes outlive the process", requires: .durable)
    {
      trial in
      try changeThings(trial)
      try trial.reopen()
      try expectEqual(try trial.context().people().names, ["B", "c"], "The people")
    },
    StoreBehaviour("1I.1 containers: ten openings, ten saves", requires: .durable) { trial in
      for number in 0..<10 {
        try addTask(number, trial)
        try trial.reopen()
        try expectEqual(try trial.context().count("Task"), number + 1, "The number of tasks")
      }
    },
    StoreBehaviour("1I.5 read-only: nothing can be saved (134030)", requires: .durable) { trial in
      _ = try savedID(trial)
      try trial.reopen { $0.isReadOnly = true }
      let context = try trial.context()
      try expectEqual(try context.people().names, ["Ada"], "The people")
      try context.named("Ada").setValue("Eve", forKey: "name")
      try expectError(.persistentStoreSave, "The save") { try context.save() }
      context.rollback()
      try expectEqual(try trial.context().people().names, ["Ada"], "The people")
    },
    StoreBehaviour("1A.2 version hashes: another model is refused (134100)", requires: .durable) {
      trial in
      _ = try savedID(trial)
      trial.close()
      let other = try ManagedObjectModel(
        EntityDescription("Person", properties: [.attribute("name", .int64, optional: true)])
      )
      try expectError(.incompatibleVersionHash, "Opening with another model") {
        _ = try PersistentContainer(name: "Other", model: other, store: trial.description)
      }
      try trial.reopen()
      try expectEqual(try trial.context().people().names, ["Ada"], "What is stored")
    },
    StoreBehaviour("1I.4 store types: fresh stores are different ones") { trial in
      try trial.context().make("Person", ["name": "Ada"])
      let other = try Trial(trial.store)
      try expect(
        try other.container.storeID != trial.container.storeID,
        "Two stores should have two identifiers."
      )
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      try expectEqual(try other.context().count("Person"), 0, "What the other store has")
    },
  ]

  /// Fails where a person is not as one of the crowd.
  private static func expectAll(of member: Crowd.Member, in person: ManagedObject) throws {
    try expectEqual(try person.integer("age"), member.age, "The age")
    try expectEqual(try person.value(forKey: "score") as? Double, member.score, "The score")
    try expectEqual(try person.value(forKey: "isActive") as? Bool, member.isActive, "The mark")
    try expectEqual(try person.value(forKey: "born") as? Date, member.born, "The day")
    try expectEqual(try person.text("note"), member.note, "The note")
    try expectEqual(try person.text("address.city"), member.city, "The city")
    try expectEqual(try person.object(forKey: "team")?.text("name"), member.team, "The team")
    try expectEqual(try person.object(forKey: "boss")?.text("name"), member.boss, "The boss")
    let tags = try person.names("tags").compactMap { $0 }.sorted()
    try expectEqual(tags, member.tags.sorted(), "The tags")
    try expectEqual(person.entityDescription.name, member.entity, "The entity")
    guard let salary = member.salary else { return }
    try expectEqual(try person.value(forKey: "salary") as? Decimal, salary, "The salary")
  }

  private static func savedID(_ trial: Trial) throws -> ManagedObjectID {
    let context = try trial.context()
    let person = try context.make("Person", ["name": "Ada"])
    try context.save()
    return person.objectID
  }

  private static func addTask(_ number: Int, _ trial: Trial) throws {
    let context = try trial.context()
    try context.make("Task", ["name": "\(number)"])
    try context.save()
  }

  private static func changeThings(_ trial: Trial) throws {
    let context = try trial.context()
    for name in ["a", "b", "c"] { try context.make("Person", ["name": name]) }
    try context.save()
    context.delete(try context.named("a"))
    try context.named("b").setValue("B", forKey: "name")
    try context.save()
  }
}
