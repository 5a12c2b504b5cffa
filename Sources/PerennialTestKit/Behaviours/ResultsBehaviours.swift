// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Lists that follow their store.
  static let resultsBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1K.1 results controllers: the list of a request") { trial in
      try Crowd.save(in: trial.context())
      let controller = try list(trial.context(), "age >= 0")
      try controller.performFetch()
      let found = try (controller.fetchedObjects ?? nil).map { try Array($0).names }
      let expected = Crowd.members.filter { ($0.age ?? -1) >= 0 }.map(\.name)
      try expectEqual(found, expected.sorted(by: precedes), "The list")
    },
    StoreBehaviour("1K.3 changes: the list follows the context") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let controller = try list(context, "age >= 0")
      let changes = controller.changes
      try controller.performFetch()
      try context.make("Person", ["name": "Abe", "age": 1])
      try context.named("Bob").setValue(-1, forKey: "age")
      context.delete(try context.named("Ada"))
      try context.save()
      let found = try controller.fetchedObjects.map { try Array($0).names }
      let expected =
        Crowd.members.filter { ($0.age ?? -1) >= 0 && !["Ada", "Bob"].contains($0.name) }
        .map(\.name) + ["Abe"]
      try expectEqual(found, expected.sorted(by: precedes), "The list")
      withExtendedLifetime(changes) {}
    },
    StoreBehaviour("1K.4 sections: by the value of a relationship's attribute") { trial in
      try Crowd.save(in: trial.context())
      var request = FetchRequest<ManagedObject>(entityName: "Person").filter("team != nil")
      request.sortDescriptors = [FetchSort("team.name"), FetchSort("name")]
      let controller = FetchedResultsController(
        fetchRequest: request,
        managedObjectContext: try trial.context(),
        sectionNameKeyPath: "team.name"
      )
      try controller.performFetch()
      let sections = controller.sections ?? []
      try expectEqual(sections.map(\.name), ["Blue", "Green", "Red"], "The sections")
      try expectEqual(sections.map(\.numberOfObjects), [2, 1, 3], "The numbers of objects")
    },
  ]

  private static func list(
    _ context: ManagedObjectContext,
    _ format: String
  ) throws -> FetchedResultsController<ManagedObject> {
    var request = FetchRequest<ManagedObject>(entityName: "Person")
    request.predicate = try FetchPredicate(parsing: format)
    request.sortDescriptors = [FetchSort("name")]
    return FetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: nil
    )
  }
}
