// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// To-one, to-many, many-to-many, ordered and symmetric relationships.
  static let relationshipBehaviours: [StoreBehaviour] = ones + manys + ordered

  private static let ones: [StoreBehaviour] = [
    StoreBehaviour("1C.3 inverses: a to-one relationship is stored, and its inverse with it") {
      trial in
      let context = try trial.context()
      let team = try context.make("Team", ["name": "Red"])
      let person = try context.make("Person", ["name": "Ada"])
      try person.setObject(team, forKey: "team")
      try context.save()
      let other = try trial.context()
      let found = try other.named("Ada")
      try expectEqual(try found.object(forKey: "team")?.text("name"), "Red", "The team")
      try expectEqual(try other.named("Red", "Team").names("members"), ["Ada"], "The members")
    },
    StoreBehaviour("1C.3 inverses: a to-one relationship to a subentity leads to the right entity")
    {
      trial in
      let context = try trial.context()
      let boss = try context.make("Manager", ["name": "Eve", "level": 3])
      try context.make("Person", ["name": "Bob"]).setObject(boss, forKey: "boss")
      try context.save()
      let found = try required(
        try trial.context().named("Bob").object(forKey: "boss"),
        "The boss"
      )
      try expectEqual(found.entityDescription.name, "Manager", "The entity of the boss")
      try expectEqual(try found.integer("level"), 3, "The level of the boss")
    },
    StoreBehaviour("1C.3 inverses: a to-one relationship can change its object") { trial in
      let context = try trial.context()
      let (red, blue) = (
        try context.make("Team", ["name": "Red"]), try context.make("Team", ["name": "Blue"])
      )
      let person = try context.make("Person", ["name": "Ada"])
      try person.setObject(red, forKey: "team")
      try context.save()
      try person.setObject(blue, forKey: "team")
      try context.save()
      let other = try trial.context()
      try expectEqual(try other.named("Red", "Team").names("members"), [], "The old members")
      try expectEqual(try other.named("Blue", "Team").names("members"), ["Ada"], "The new members")
    },
    StoreBehaviour("1C.3 inverses: a to-one relationship can become empty") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try person.setObject(context.make("Team", ["name": "Red"]), forKey: "team")
      try context.save()
      try person.setObject(nil, forKey: "team")
      try context.save()
      let other = try trial.context()
      let team = try other.named("Ada").object(forKey: "team")
      try expect(team == nil, "The relationship should be empty.")
      try expectEqual(try other.named("Red", "Team").names("members"), [], "The members")
    },
    StoreBehaviour("1C.3 inverses: an object can lead to itself") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try person.setObject(person, forKey: "boss")
      try context.save()
      let found = try trial.context().named("Ada")
      try expect(try found.object(forKey: "boss") === found, "Ada should be her own boss.")
      try expectEqual(try found.names("reports"), ["Ada"], "The reports")
    },
    StoreBehaviour("1C.3 inverses: two new objects lead to each other") { trial in
      let context = try trial.context()
      let (ada, bob) = (
        try context.make("Person", ["name": "Ada"]), try context.make("Person", ["name": "Bob"])
      )
      try ada.setObject(bob, forKey: "boss")
      try bob.setObject(ada, forKey: "boss")
      try context.save()
      let other = try trial.context()
      let boss = try other.named("Ada").object(forKey: "boss")
      try expectEqual(try boss?.object(forKey: "boss")?.text("name"), "Ada", "The boss's boss")
    },
  ]

  private static let manys: [StoreBehaviour] = [
    StoreBehaviour("1C.3 inverses: a to-many relationship is stored on the other side") { trial in
      let context = try trial.context()
      let team = try context.make("Team", ["name": "Red"])
      for name in ["Ada", "Bob", "Cy"] {
        try team.add(context.make("Person", ["name": name]), to: "members")
      }
      try context.save()
      let members = try trial.context().named("Red", "Team").names("members").compactMap { $0 }
      try expectEqual(members.sorted(), ["Ada", "Bob", "Cy"], "The members")
    },
    StoreBehaviour("1C.3 many-to-many: pairs are seen from both sides") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let old = try context.named("old", "Tag").names("people").compactMap { $0 }
      let expected = Crowd.members.filter { $0.tags.contains("old") }.map(\.name)
      try expectEqual(old.sorted(by: precedes), expected.sorted(by: precedes), "The people")
      let tags = try context.named("Ada").names("tags").compactMap { $0 }
      try expectEqual(tags.sorted(), ["old", "tall"], "The tags")
      try expectEqual(try context.named("unused", "Tag").names("people"), [], "Nobody")
    },
    StoreBehaviour("1C.3 many-to-many: a pair can go and come back") { trial in
      let context = try trial.context()
      let tag = try context.make("Tag", ["name": "old"])
      let person = try context.make("Person", ["name": "Ada"])
      for isMember in [true, false, true] {
        let tags = try person.objects(forKey: "tags")
        if isMember { tags.insert(tag) } else { tags.remove(tag) }
        try context.save()
        let found = try trial.context().named("old", "Tag").names("people")
        try expectEqual(found, isMember ? ["Ada"] : [], "The people")
      }
    },
    StoreBehaviour("1C.3 many-to-many: two entities' relationships of one name are apart") {
      trial in
      let context = try trial.context()
      let tags = try ["a", "b", "c"].map { try context.make("Tag", ["name": $0]) }
      try context.make("Person", ["name": "Ada"]).add(tags[0], to: "tags")
      try context.make("Checklist", ["name": "first"]).add(tags[2], tags[1], to: "tags")
      try context.save()
      let reader = try trial.context()
      try expectEqual(try reader.named("Ada").names("tags"), ["a"], "The tags of the person")
      let list = try reader.named("first", "Checklist")
      try expectEqual(try list.names("tags"), ["c", "b"], "The tags of the list")
    },
    StoreBehaviour("1C.3 many-to-many: two contexts add to one list") { trial in
      let context = try trial.context()
      let tag = try context.make("Tag", ["name": "old"])
      for name in ["Ada", "Bob"] { try context.make("Person", ["name": name]) }
      try context.save()
      let (first, second) = (try trial.context(), try trial.context())
      try first.named("Ada").add(first.named("old", "Tag"), to: "tags")
      try second.named("Bob").add(second.named("old", "Tag"), to: "tags")
      try first.save()
      try second.save()
      let id = tag.objectID
      let found = try trial.context().existingObject(with: id).names("people").compactMap { $0 }
      try expectEqual(found.sorted(), ["Ada", "Bob"], "The people")
    },
    StoreBehaviour("1C.3 symmetric relationships hold both ways") { trial in
      let context = try trial.context()
      let (ada, bob) = (
        try context.make("Person", ["name": "Ada"]), try context.make("Person", ["name": "Bob"])
      )
      try ada.add(bob, to: "friends")
      try context.save()
      let other = try trial.context()
      try expectEqual(try other.named("Bob").names("friends"), ["Ada"], "Bob's friends")
      try expectEqual(try other.named("Ada").names("friends"), ["Bob"], "Ada's friends")
      try other.named("Bob").objects(forKey: "friends").removeAll()
      try other.save()
      try expectEqual(try trial.context().named("Ada").names("friends"), [], "Ada's friends")
    },
    StoreBehaviour("1C.5 faulting: members are counted without their rows") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let team = try context.named("Red", "Team")
      try expectEqual(try team.objects(forKey: "members").count, 3, "The count")
      let empty = try context.named("Empty", "Team")
      try expect(try empty.objects(forKey: "members").isEmpty, "The team should be empty.")
    },
    StoreBehaviour("1C.6 prefetching gives the same objects") { trial in
      try Crowd.save(in: trial.context())
      for path in ["team", "boss", "reports", "tags", "team.members", "tasks"] {
        let request = FetchRequest<ManagedObject>(entityName: "Person")
          .sorted(by: FetchSort("name")).prefetching(path)
        let context = try trial.context()
        let found = try context.fetch(request)
        let expected = Crowd.members.map(\.name).sorted(by: precedes)
        try expectEqual(try found.names, expected, "The people with '\(path)'")
        let ada = try required(found.first { try $0.text("name") == "Ada" }, "Ada")
        try expectEqual(
          try ada.object(forKey: "team")?.text("name"),
          "Red",
          "Ada's team with '\(path)'"
        )
        try expectEqual(try ada.names("tags").count, 2, "Ada's tags with '\(path)'")
        try expectEqual(try ada.names("reports").count, 2, "Ada's reports with '\(path)'")
      }
    },
  ]

  private static let ordered: [StoreBehaviour] = [
    StoreBehaviour("1C.4 ordered one-to-many: the order is kept") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      for name in ["c", "a", "b"] {
        try person.add(context.make("Task", ["name": name]), to: "tasks")
      }
      try context.save()
      try expectEqual(
        try trial.context().named("Ada").names("tasks"),
        ["c", "a", "b"],
        "The tasks"
      )
    },
    StoreBehaviour("1C.4 ordered one-to-many: a new order is kept") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      let tasks = try ["a", "b", "c"].map { try context.make("Task", ["name": $0]) }
      for task in tasks { try person.add(task, to: "tasks") }
      try context.save()
      try reorder(person, "tasks", tasks.reversed())
      try context.save()
      try expectEqual(
        try trial.context().named("Ada").names("tasks"),
        ["c", "b", "a"],
        "The tasks"
      )
    },
    StoreBehaviour("1C.4 ordered one-to-many: a member that goes leaves the others in order") {
      trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      let tasks = try ["c", "a", "b"].map { try context.make("Task", ["name": $0]) }
      for task in tasks { try person.add(task, to: "tasks") }
      try context.save()
      try person.objects(forKey: "tasks").remove(tasks[1])
      try context.save()
      try expectEqual(try trial.context().named("Ada").names("tasks"), ["c", "b"], "The tasks")
      context.delete(tasks[0])
      try context.save()
      try expectEqual(try trial.context().named("Ada").names("tasks"), ["b"], "The tasks")
    },
    StoreBehaviour("1C.4 ordered many-to-many: the order is kept, on one side only") { trial in
      let context = try trial.context()
      let list = try context.make("Checklist", ["name": "first"])
      let other = try context.make("Checklist", ["name": "second"])
      let tags = try ["c", "a", "b"].map { try context.make("Tag", ["name": $0]) }
      for tag in tags { try list.add(tag, to: "tags") }
      for tag in tags.reversed() { try other.add(tag, to: "tags") }
      try context.save()
      let reader = try trial.context()
      try expectEqual(
        try reader.named("first", "Checklist").names("tags"),
        ["c", "a", "b"],
        "The first list"
      )
      try expectEqual(
        try reader.named("second", "Checklist").names("tags"),
        ["b", "a", "c"],
        "The second list"
      )
      let lists = try reader.named("a", "Tag").names("lists").compactMap { $0 }
      try expectEqual(lists.sorted(), ["first", "second"], "The lists")
    },
    StoreBehaviour("1C.4 ordered many-to-many: a new order and a new member are kept") { trial in
      let context = try trial.context()
      let list = try context.make("Checklist", ["name": "first"])
      var tags = try ["c", "a"].map { try context.make("Tag", ["name": $0]) }
      for tag in tags { try list.add(tag, to: "tags") }
      try context.save()
      tags.insert(try context.make("Tag", ["name": "b"]), at: 0)
      try reorder(list, "tags", tags)
      try context.save()
      let found = try trial.context().named("first", "Checklist").names("tags")
      try expectEqual(found, ["b", "c", "a"], "The tags")
    },
    StoreBehaviour("1C.4 ordered relationships outlive the process", requires: .durable) { trial in
      try keepOrders(trial)
      try trial.reopen()
      let reader = try trial.context()
      try expectEqual(try reader.named("Ada").names("tasks"), ["c", "a", "b"], "The tasks")
      try expectEqual(
        try reader.named("first", "Checklist").names("tags"),
        ["z", "y"],
        "The tags"
      )
    },
  ]

  private static func keepOrders(_ trial: Trial) throws {
    let context = try trial.context()
    let person = try context.make("Person", ["name": "Ada"])
    for name in ["c", "a", "b"] {
      try person.add(context.make("Task", ["name": name]), to: "tasks")
    }
    let list = try context.make("Checklist", ["name": "first"])
    for name in ["z", "y"] { try list.add(context.make("Tag", ["name": name]), to: "tags") }
    try context.save()
  }

  private static func reorder(
    _ owner: ManagedObject,
    _ relationship: String,
    _ members: [ManagedObject]
  ) throws {
    let view = try owner.objects(forKey: relationship)
    view.removeAll()
    for member in members { view.insert(member) }
  }
}
