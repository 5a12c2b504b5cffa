// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Conditions on what only subentities have, asked of their superentity.
@Suite("Conditions on properties of subentities")
struct SubentityPredicateTests {
  private func model() throws -> ManagedObjectModel {
    let name = PropertyDescription.attribute("name", .string, optional: true)
    let city = AttributeDescription("city", .string, isOptional: true)
    let nest = AttributeDescription("nest", .composite, isOptional: true, elements: [city])
    return try ManagedObjectModel(
      EntityDescription("Animal", properties: [name]),
      EntityDescription(
        "Bird",
        parent: "Animal",
        properties: [.toMany("wings", "Wing"), .attribute(nest)]
      ),
      EntityDescription("Bat", parent: "Animal", properties: [.attribute("wings", .int64)]),
      EntityDescription("Wing", properties: [name, .toOne("bird", "Bird")])
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `what is valid for one subentity is no error because of another`(_ kind: StoreKind) throws {
    let bench = try Bench(kind, model: model(), classes: [])
    let context = bench.context()
    let bat = try context.insert(entityNamed: "Bat")
    try bat.setValue(2, forKey: "wings")
    let bird = try context.insert(entityNamed: "Bird")
    try bird.setValue(["city": "Bonn"], forKey: "nest")
    let wing = try context.insert(entityNamed: "Wing")
    try wing.setObject(bird, forKey: "bird")
    try context.save()

    for isPending in [false, true] {
      if isPending {
        for object in [bat, bird] { try object.setValue("A", forKey: "name") }
      }
      for (format, expected) in [
        ("wings == 2", [bat]), ("wings == 3", []), ("nest.city == 'Bonn'", [bird]),
        ("nest.city != 'Bonn'", [bat]), ("nest != nil", [bird]), ("nest == nil", [bat]),
      ] {
        let request = FetchRequest<ManagedObject>(entityName: "Animal")
          .filter(try FetchPredicate(parsing: format))
        #expect(try context.fetch(request) == expected, "\(format), pending: \(isPending)")
      }
      let misspelt = FetchRequest<ManagedObject>(entityName: "Animal")
        .filter(try FetchPredicate(parsing: "nest.town == 'Bonn'"))
      #expect(code { _ = try context.fetch(misspelt) } == .unknownName)
    }
  }
}
