// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// Windows, subentities, results of several kinds, and requests that cannot be answered.
  static let requestBehaviours: [StoreBehaviour] = windows + families + results + refusals

  private static var byName: FetchRequest<ManagedObject> {
    var request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = [FetchSort("name")]
    return request
  }

  private static var sortedNames: [String] { Crowd.members.map(\.name).sorted(by: precedes) }

  private static let windows: [StoreBehaviour] = [
    (0, 0), (1, 0), (3, 0), (8, 0), (100, 0), (0, 1), (0, 7), (0, 8), (0, 100), (3, 2), (3, 6),
    (1, 2), (1, 8),
  ].flatMap { limit, offset in
    [
      StoreBehaviour("1G.3 limit \(limit) and offset \(offset)") { trial in
        try Crowd.save(in: trial.context())
        var request = byName
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        let rest = sortedNames.dropFirst(offset)
        let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
        try expectEqual(try trial.context().fetch(request).names, expected, "The window")
        let count = try trial.context().count(for: request)
        try expectEqual(count, expected.count, "The count of the window")
      },
      selecting("age >= 0", limit, offset),
      // SQL leaves this one to memory, and with it the window.
      selecting("age + 1 >= 1", limit, offset),
    ]
  }

  private static func selecting(_ format: String, _ limit: Int, _ offset: Int) -> StoreBehaviour {
    StoreBehaviour("1G.3 limit \(limit) and offset \(offset) of what '\(format)' selects") {
      trial in
      try Crowd.save(in: trial.context())
      var request = byName
      request.predicate = try FetchPredicate(parsing: format)
      (request.fetchLimit, request.fetchOffset) = (limit, offset)
      let selected = Crowd.members.filter { $0.age.map { $0 >= 0 } ?? false }
      let rest = selected.map(\.name).sorted(by: precedes).dropFirst(offset)
      let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
      try expectEqual(try trial.context().fetch(request).names, expected, "The window")
      let count = try trial.context().count(for: request)
      try expectEqual(count, expected.count, "The count of the window")
    }
  }

  private static let families: [StoreBehaviour] = [
    ("Person", true, 8), ("Person", false, 6), ("Employee", true, 2), ("Employee", false, 1),
    ("Manager", true, 1), ("Manager", false, 1),
  ].map { entity, includesSubentities, count in
    let whose = includesSubentities ? "with its subentities" : "without its subentities"
    return StoreBehaviour("1A.4 inheritance: \(entity) \(whose)") { trial in
      try Crowd.save(in: trial.context())
      var request = FetchRequest<ManagedObject>(entityName: entity)
      request.includesSubentities = includesSubentities
      let context = try trial.context()
      let found = try context.fetch(request)
      try expectEqual(found.count, count, "The number of objects")
      try expectEqual(try context.count(for: request), count, "The count")
      let expected = Crowd.members.filter {
        includesSubentities
          ? trialModelContains($0.entity, in: entity) : $0.entity == entity
      }
      try expectEqual(
        try found.names.sorted(by: precedes),
        expected.map(\.name).sorted(by: precedes),
        "The objects"
      )
      let kinds = found.map { $0.entityDescription.name }.sorted()
      try expectEqual(kinds, expected.map(\.entity).sorted(), "The entities of the objects")
    }
  }

  private static func trialModelContains(_ entity: String, in family: String) -> Bool {
    let line = ["Manager", "Employee", "Person"]
    guard let own = line.firstIndex(of: entity), let root = line.firstIndex(of: family) else {
      return false
    }
    return own <= root
  }

  private static let results: [StoreBehaviour] = [
    StoreBehaviour("1A.4 inheritance: a subentity's own attribute is kept") { trial in
      try Crowd.save(in: trial.context())
      let request = FetchRequest<ManagedObject>(entityName: "Employee").filter("salary > 50")
      let found = try trial.context().fetch(request)
      try expectEqual(try found.names, ["ada"], "Whoever earns more than 50")
      try expectEqual(try found[0].value(forKey: "salary") as? Decimal, 99, "The salary")
    },
    StoreBehaviour("1A.8 composite attributes: the elements are kept") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada", "address.city": "Rome"])
      try person.setValue(184, forKey: "address.zip")
      try context.save()
      let found = try trial.context().named("Ada")
      try expectEqual(try found.text("address.city"), "Rome", "The city")
      try expectEqual(try found.integer("address.zip"), 184, "The code")
    },
    StoreBehaviour("1A.10 transient attributes: the value is not stored") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada", "mood": "merry"])
      try context.save()
      try expectEqual(try person.text("mood"), "merry", "The value in the context")
      let found = try trial.context().named("Ada")
      try expectEqual(try found.text("mood"), nil, "The value in another context")
    },
    StoreBehaviour("1A.3 defaults are stored") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      let found = try trial.context().named("Ada")
      try expectEqual(try found.value(forKey: "isActive") as? Bool, true, "The default")
    },
    StoreBehaviour("1G.1 result types: IDs are those of the objects, in the order of the sorts") {
      trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let ids = try context.fetchObjectIDs(byName)
      try expectEqual(ids, try context.fetch(byName).map(\.objectID), "The IDs")
      try expect(ids.allSatisfy { !$0.isTemporaryID }, "The IDs should be permanent.")
    },
    StoreBehaviour("1G.13 count: an empty store has nothing") { trial in
      try expectEqual(try trial.context().count("Person"), 0, "The count")
      try expect(try trial.context().all("Person").isEmpty, "There should be no objects.")
    },
    StoreBehaviour("1G.4 batches: the same objects in the same order") { trial in
      try Crowd.save(in: trial.context())
      let expected = sortedNames
      for size in [1, 3, 8, 100] {
        let batches = try trial.context().fetch(byName, batchSize: size)
        let found = try batches.map { try $0.text("name") ?? "nil" }
        try expectEqual(found, expected, "The objects in batches of \(size)")
      }
    },
    StoreBehaviour("1G.5 a request can leave unsaved changes out") { trial in
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      try context.make("Person", ["name": "Bob"])
      var request = byName
      try expectEqual(try context.fetch(request).names, ["Ada", "Bob"], "With unsaved changes")
      request.includesPendingChanges = false
      try expectEqual(try context.fetch(request).names, ["Ada"], "Without unsaved changes")
    },
    StoreBehaviour("1G.6 properties to fetch: dictionaries have just these") { trial in
      try Crowd.save(in: trial.context())
      let request = byName.filter("age == 20").fetching("name", "age")
      let found = try trial.context().fetchDictionaries(request)
      try expectEqual(found.count, 1, "The number of dictionaries")
      try expectEqual(found[0]["name"] as? String, "Bob", "The name")
      try expectEqual(found[0]["age"] as? Int64, 20, "The age")
      try expectEqual(found[0].count, 2, "The number of values")
    },
  ]

  private static let refusals: [StoreBehaviour] =
    [
      ("an attribute that there is not", "years > 3"),
      ("a path that there is not", "team.years > 3"),
    ].map { what, format in
      StoreBehaviour("1G.2 predicates: \(what) is an error") { trial in
        try expectError(.unknownName, "The fetch") { _ = try trial.context().people(format) }
      }
    } + [
      StoreBehaviour("1G.2 predicates: text against a number is an error") { trial in
        try expectError(.typeMismatch, "The fetch") {
          _ = try trial.context().people("name < 3")
        }
      },
      StoreBehaviour("1G.2 sorts: a to-many relationship is an error") { trial in
        var request = byName
        request.sortDescriptors = [FetchSort("tags.name")]
        try expectError(.unknownName, "The fetch") { _ = try trial.context().fetch(request) }
      },
      StoreBehaviour("1G.2 predicates: a wrong format is an error") { trial in
        var request = byName
        request.predicate = FetchPredicate(format: "age CONATINS 3")
        try expectError(.predicateFormat, "The fetch") { _ = try trial.context().fetch(request) }
      },
    ]
}
