// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// Prefetching where a context may load nothing by itself.
@Suite("SEMANTICS 1C: prefetching of many objects, and of what siblings call alike")
struct WidePrefetchTests {
  /// What the relationships of a fetch's objects lead to, in a context that refuses to load lazily.
  private func count(
    _ path: (ManagedObject) throws -> Int,
    of entity: String,
    prefetching keyPath: String,
    _ container: PersistentContainer
  ) throws -> Int {
    let context = container.newBackgroundContext()
    context.lazyLoading = .raiseOnLazyLoad
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.relationshipKeyPathsForPrefetching = [keyPath]
    let objects = try context.fetch(request)
    let count = try objects.reduce(0) { try $0 + path($1) }
    #expect(context.lastFaultError == nil)
    return count
  }

  /// More objects than a context holds of those that were just loaded.
  @Test func `what lies behind many targets is loaded for each of them`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Commit", properties: [.toOne("author", "Author", inverse: "commits")]),
      EntityDescription(
        "Author",
        properties: [
          .toMany("commits", "Commit", inverse: "author"),
          .toMany("teams", "Team", inverse: "author"),
        ]
      ),
      EntityDescription("Team", properties: [.toOne("author", "Author", inverse: "teams")])
    )
    let container = try PersistentContainer(name: "Wide", model: model, store: .sqliteInMemory)
    let writer = container.newBackgroundContext()
    for _ in 0..<4_200 {
      let author = try writer.insert(entityNamed: "Author")
      for entity in ["Commit", "Team"] {
        try writer.insert(entityNamed: entity).setObject(author, forKey: "author")
      }
    }
    try writer.save()
    let count = try count(
      { try $0.object(forKey: "author")?.objects(forKey: "teams").count ?? 0 },
      of: "Commit",
      prefetching: "author.teams",
      container
    )
    #expect(count == 4_200)
  }

  @Test func `siblings may have relationships of one name`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Vehicle", properties: [.attribute("name", .string, optional: true)]),
      EntityDescription(
        "Car",
        parent: "Vehicle",
        properties: [.toMany("parts", "Part", inverse: "car")]
      ),
      EntityDescription(
        "Truck",
        parent: "Vehicle",
        properties: [.toMany("parts", "Part", inverse: "truck")]
      ),
      EntityDescription(
        "Part",
        properties: [
          .toOne("car", "Car", inverse: "parts"), .toOne("truck", "Truck", inverse: "parts"),
        ]
      )
    )
    let container = try PersistentContainer(name: "Park", model: model, store: .sqliteInMemory)
    let writer = container.newBackgroundContext()
    for (entity, name) in [("Car", "car"), ("Truck", "truck")] {
      let vehicle = try writer.insert(entityNamed: entity)
      for _ in 0..<2 { try writer.insert(entityNamed: "Part").setObject(vehicle, forKey: name) }
    }
    try writer.save()
    let count = try count(
      { try $0.objects(forKey: "parts").count },
      of: "Vehicle",
      prefetching: "parts",
      container
    )
    #expect(count == 4)
  }
}
