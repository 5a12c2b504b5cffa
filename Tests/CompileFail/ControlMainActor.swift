// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// In a target whose default isolation is the main actor, a managed class belongs to no actor,
// with `nonisolated` (as in Support/Model.swift) and without it: this file must compile.
// flags: -default-isolation MainActor

import Foundation
import Perennial

@Composite struct Spot {
  var x: Double
  var floor: Int?
}

@Managed class Person: ManagedObject {
  var name: String
  var spot: Spot?
  var tags: ToMany<Tag>
}

@Managed final class Employee: Person {
  var salary: Int
}

@Managed final class Tag: ManagedObject {
  @Unique var name: String
  var person: Person?

  func shout() { name += "!" }
}

func tagNames(_ container: PersistentContainer) async throws -> [String] {
  try await container.performBackgroundTask { context in
    let tag = Tag(context: context)
    tag.name = "swift"
    tag.shout()
    let employee = Employee(context: context)
    employee.salary = 3
    employee.spot = Spot(x: 1)
    employee.spot?.floor = 2
    tag.person = employee
    try context.save()
    return try context.fetch(Tag.sorted(by: \.name)).map(\.name)
  }
}

func latest(in container: PersistentContainer) throws -> Commit? {
  try container.viewContext.first(Commit.sorted(by: \.date, .reverse))
}

func tagged(_ name: String, in container: PersistentContainer) async throws -> Int {
  let predicate = #FetchPredicate(Employee.self, "salary > 3 AND ANY tags.person.name == \(name)")
  return try await container.performBackgroundTask { context in
    let own = #FetchPredicate(Employee.self, "ANY tags.name == \(name)")
    return try context.count(for: Employee.filter(predicate && own))
  }
}
