// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialTestKit
import Testing

/// Tables of graphs, and graphs made of a seed.
@Suite("Graphs of the kit")
struct GraphTests {
  private static func context(_ store: StoreUnderTest) throws -> ManagedObjectContext {
    try PersistentContainer(name: "Graphs", model: BehaviourModel.make(), store: store.fresh())
      .newBackgroundContext(isolation: nil)
  }

  private static var byName: FetchRequest<ManagedObject> {
    var request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = [FetchSort("name")]
    return request
  }

  @Test func `a table shows what a request finds, and where it differs`() throws {
    let context = try Self.context(Stores.memory)
    let team = try context.insert(entityNamed: "Team")
    try team.setValue("Red", forKey: "name")
    for (name, age) in [("Ada", 36), ("Bob", nil)] {
      let person = try context.insert(entityNamed: "Person")
      try person.setValue(name, forKey: "name")
      try person.setValue(age, forKey: "age")
      if age != nil { try person.setObject(team, forKey: "team") }
    }
    try context.save()
    let properties = ["name", "age", "team.name", "tags"]
    try assertGraph(
      Self.byName,
      in: context,
      properties: properties,
      """
      name  age  team.name  tags
      Ada   36   Red        0
      Bob   nil  nil        0
      """
    )
    let failure = try #require(throws: BehaviourFailure.self) {
      try assertGraph(
        Self.byName,
        in: context,
        properties: properties,
        """
        name  age  team.name  tags
        Ada   37   Red        0
        Bob   nil  nil        0
        """
      )
    }
    #expect(
      failure.message == """
        The graph differs: '-' is expected, '+' is found.
          name  age  team.name  tags
        - Ada   37   Red        0
        + Ada   36   Red        0
          Bob   nil  nil        0
        """
    )
  }

  @Test func `an object without any text counts in a table`() throws {
    let context = try Self.context(Stores.memory)
    for name in ["", "", "Ada"] {
      try context.insert(entityNamed: "Person").setValue(name, forKey: "name")
    }
    try context.save()
    try assertGraph(Self.byName, in: context, properties: ["name"], "name\n\n\nAda")
    for table in ["name\nAda", "name\n\nAda", "name\n\n\n\nAda", "name\n\n\nAda\n"] {
      #expect(throws: BehaviourFailure.self) {
        try assertGraph(Self.byName, in: context, properties: ["name"], table)
      }
    }
  }

  @Test(arguments: Stores.all)
  func `a graph of a seed is the same in every store`(_ store: StoreUnderTest) throws {
    let graph = SampleGraph(seed: 7, people: 60)
    #expect(graph == SampleGraph(seed: 7, people: 60))
    #expect(graph != SampleGraph(seed: 8, people: 60))
    let context = try Self.context(store)
    try graph.save(in: context)
    let table = try GraphTable(
      of: Self.byName,
      in: context,
      properties: ["name", "age", "team.name", "boss.name", "tags"]
    )
    let expected = graph.people.sorted { $0.name < $1.name }.map { person in
      [
        person.name, person.age.map { "\($0)" } ?? "nil",
        person.team.map { graph.teams[$0] } ?? "nil",
        person.boss.map { graph.people[$0].name } ?? "nil", "\(person.tags.count)",
      ]
    }
    #expect(table.rows == expected)
  }

  @Test(arguments: ["tem.name", "team.nmae", "tags.name", "address.town"], [true, false])
  func `a path that leads nowhere is an error`(_ path: String, _ hasTeam: Bool) throws {
    let context = try Self.context(Stores.memory)
    let person = try context.insert(entityNamed: "Person")
    if hasTeam {
      try person.setObject(try context.insert(entityNamed: "Team"), forKey: "team")
    }
    try person.setValue("Rome", forKey: "address.city")
    try context.save()
    let error = #expect(throws: PerennialError.self) {
      _ = try GraphTable(of: Self.byName, in: context, properties: [path])
    }
    #expect(error?.code == (path.hasPrefix("tags") ? .typeMismatch : .unknownName))
    let table = try GraphTable(of: Self.byName, in: context, properties: ["address.city"])
    #expect(table.rows == [["Rome"]])
  }

  @Test(arguments: ["boss.mood", "boss.salary", "boss.address.city", "boss.tags", "boss.boss"])
  func `a path through an absent object is nil, whatever it leads to`(_ path: String) throws {
    let context = try Self.context(Stores.memory)
    try context.insert(entityNamed: "Person").setValue("Ada", forKey: "name")
    try context.save()
    let table = try GraphTable(of: Self.byName, in: context, properties: [path])
    #expect(table.rows == [["nil"]])
  }

  @Test func `a path may lead elsewhere in every subentity`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Animal", properties: [.attribute("name", .string)]),
      EntityDescription(
        "Dog",
        parent: "Animal",
        properties: [.toOne("owner", "Human", inverse: "dogs")]
      ),
      EntityDescription(
        "Bird",
        parent: "Animal",
        properties: [.toOne("owner", "Zoo", inverse: "birds")]
      ),
      EntityDescription("Human", properties: [.toMany("dogs", "Dog", inverse: "owner")]),
      EntityDescription(
        "Zoo",
        properties: [.attribute("city", .string), .toMany("birds", "Bird", inverse: "owner")]
      )
    )
    let context = try PersistentContainer(name: "Animals", model: model, store: .inMemory)
      .newBackgroundContext(isolation: nil)
    let zoo = try context.insert(entityNamed: "Zoo")
    try zoo.setValue("Rome", forKey: "city")
    let bird = try context.insert(entityNamed: "Bird")
    try bird.setValue("Kiwi", forKey: "name")
    try bird.setObject(zoo, forKey: "owner")
    try context.save()
    let request = FetchRequest<ManagedObject>(entityName: "Animal")
    let table = try GraphTable(of: request, in: context, properties: ["name", "owner.city"])
    #expect(table.rows == [["Kiwi", "Rome"]])
    let error = #expect(throws: PerennialError.self) {
      _ = try GraphTable(of: request, in: context, properties: ["owner.town"])
    }
    #expect(error?.code == .unknownName)
  }

  @Test func `an object that may not be loaded is an error, not nil`() throws {
    let container = try PersistentContainer(
      name: "Graphs",
      model: BehaviourModel.make(),
      store: .inMemory
    )
    let writer = container.newBackgroundContext(isolation: nil)
    let team = try writer.insert(entityNamed: "Team")
    try team.setValue("Red", forKey: "name")
    let boss = try writer.insert(entityNamed: "Person")
    try boss.setObject(team, forKey: "team")
    let person = try writer.insert(entityNamed: "Person")
    try person.setValue("Ada", forKey: "name")
    try person.setObject(boss, forKey: "boss")
    try writer.save()
    let context = container.newBackgroundContext(isolation: nil)
    context.lazyLoading = .raiseOnLazyLoad
    let error = #expect(throws: PerennialError.self) {
      _ = try GraphTable(
        of: Self.byName.filter("name == 'Ada'"),
        in: context,
        properties: ["boss.team.name"]
      )
    }
    #expect(error?.code == .lazyLoad)
  }
}
