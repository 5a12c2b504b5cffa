// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Attributes that are computed of others, stored and found.
  static let derivationBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1A.9 derived attributes: a text in capitals") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada é"])
      try context.save()
      try expectEqual(try person.text("capitals"), "ADA É", "The value in the context")
      let found = try trial.context().people("capitals == 'ADA É'").names
      try expectEqual(found, ["Ada é"], "Those found")
      try person.setValue("Bob", forKey: "name")
      try context.save()
      try expectEqual(try trial.context().named("Bob").text("capitals"), "BOB", "The new value")
    },
    StoreBehaviour("1A.9 derived attributes: the number of members") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      for (name, count) in [("Red", 3), ("Blue", 2), ("Green", 1), ("Empty", 0)] {
        let team = try context.named(name, "Team")
        try expectEqual(try team.integer("memberCount"), count, "The number of \(name)")
      }
    },
    StoreBehaviour("1A.9 derived attributes: the number follows its members") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      try context.named("Bob").setObject(context.named("Empty", "Team"), forKey: "team")
      context.delete(try context.named("Ada"))
      try context.save()
      let other = try trial.context()
      try expectEqual(try other.named("Red", "Team").integer("memberCount"), 1, "Red")
      try expectEqual(try other.named("Empty", "Team").integer("memberCount"), 1, "Empty")
    },
    StoreBehaviour("1A.9 derived attributes: a sum of the members' values") { trial in
      let context = try trial.context()
      let team = try context.make("Team", ["name": "Red"])
      for (name, age) in [("Ada", 36), ("Bob", 20)] {
        try team.add(context.make("Person", ["name": name, "age": age]), to: "members")
      }
      try context.save()
      try expectEqual(
        try trial.context().named("Red", "Team").integer("totalAge"),
        56,
        "The total"
      )
      let other = try trial.context()
      try other.named("Bob").setValue(30, forKey: "age")
      try other.save()
      try expectEqual(
        try trial.context().named("Red", "Team").integer("totalAge"),
        66,
        "The new total"
      )
    },
    StoreBehaviour("1A.9 derived attributes: a value at the end of a path") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      try expectEqual(try context.named("Ada").text("teamName"), "Red", "Ada's team")
      try context.named("Red", "Team").setValue("Crimson", forKey: "name")
      try context.save()
      let found = try trial.context().people("teamName == 'Crimson'").names
      try expectEqual(found, ["", "Ada", "Bob"], "The people of the team")
    },
    StoreBehaviour("1A.9 derived attributes raise no version of their own") { trial in
      let context = try trial.context()
      let team = try context.make("Team", ["name": "Red"])
      try context.save()
      let other = try trial.context()
      let same = try other.named("Red", "Team")
      try same.setValue(7, forKey: "budget")
      try team.add(context.make("Person", ["name": "Ada"]), to: "members")
      try context.save()
      try other.save()
      let found = try trial.context().named("Red", "Team")
      try expectEqual(try found.integer("memberCount"), 1, "The number of members")
      try expectEqual(try found.integer("budget"), 7, "The budget")
    },
    StoreBehaviour("1A.9 derived attributes outlive the process", requires: .durable) { trial in
      try Crowd.save(in: trial.context())
      try trial.reopen()
      let team = try trial.context().named("Red", "Team")
      try expectEqual(try team.integer("memberCount"), 3, "The number of members")
    },
  ]
}
