// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Fetched properties")
struct FetchedPropertyTests {
  private func makeModel(
    _ properties: [FetchedPropertyDescription]
  ) throws -> ManagedObjectModel {
    var person = EntityDescription(
      "Person",
      properties: [
        .attribute("name", .string), .attribute("age", .int64, optional: true),
        .toOne("boss", "Person", inverse: "staff"), .toMany("staff", "Person", inverse: "boss"),
      ]
    )
    person.fetchedProperties = properties
    return try ManagedObjectModel(
      person,
      EntityDescription("Guest", parent: "Person", properties: [])
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.11 a fetched property knows its object and its values`(_ kind: StoreKind) throws {
    let model = try makeModel([
      FetchedPropertyDescription(
        "namesakes",
        entity: "Person",
        predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE"
      ),
      FetchedPropertyDescription(
        "colleagues",
        entity: "Person",
        predicate: "boss == $FETCH_SOURCE.boss AND boss != nil"
      ),
      FetchedPropertyDescription("everybody", entity: "Person", predicate: nil),
    ])
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    var people: [ManagedObject] = []
    for (name, entity) in [("Ann", "Person"), ("Bob", "Person"), ("Ann", "Guest")] {
      let person = try context.insert(entityNamed: entity)
      try person.setValue(name, forKey: "name")
      people.append(person)
    }
    try people[1].setObject(people[0], forKey: "boss")
    try people[2].setObject(people[0], forKey: "boss")
    #expect(try people[0].fetchedObjects(forKey: "namesakes") == [people[2]])
    try context.save()
    #expect(try people[2].fetchedObjects(forKey: "namesakes") == [people[0]])
    #expect(try people[1].fetchedObjects(forKey: "namesakes").isEmpty)
    #expect(try Set(people[1].fetchedObjects(forKey: "colleagues")) == [people[1], people[2]])
    #expect(try people[0].fetchedObjects(forKey: "colleagues").isEmpty)
    #expect(try people[2].fetchedObjects(forKey: "everybody").count == 3)
    #expect(code { _ = try people[0].fetchedObjects(forKey: "nobody") } == .unknownName)
  }

  @Test func `1A.11 names of fetched properties are checked with the model`() throws {
    let clash = FetchedPropertyDescription("name", entity: "Person", predicate: nil)
    #expect(code { _ = try makeModel([clash]) } == .invalidModel)
    let lost = FetchedPropertyDescription("friends", entity: "Persn", predicate: nil)
    #expect(code { _ = try makeModel([lost]) } == .invalidModel)
  }
}
