// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Hiker: ManagedObject {
  @Unique var number: Int
  var name: String = ""
  var hikes: OrderedToMany<Hike>
}

@Managed final class Hike: ManagedObject {
  @Indexed var place: String = ""
  var hiker: Hiker?
}

/// What the article ComingFromRealm says, over all stores.
@Suite("Guide: coming from Realm")
struct ComingFromRealmTests {
  private struct Club {
    let container: PersistentContainer
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      folder = try TemporaryFolder()
      container = try PersistentContainer(
        name: "Club",
        entities: Hiker.self,
        Hike.self,
        store: kind.description(in: folder)
      )
    }
  }

  private static func write(_ context: ManagedObjectContext) throws {
    try context.persist {
      let hiker = try context.findOrInsert(Hiker.self, where: \.number, equals: 7)
      hiker.name = "Ida"
      let hike = Hike(context: context)
      hike.place = "Zugspitze"
      hiker.hikes.append(hike)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a write finds or makes the object of a key, and is saved`(_ kind: StoreKind) throws {
    let club = try Club(kind)
    let context = club.container.newBackgroundContext()
    try Self.write(context)
    try Self.write(context)
    #expect(try context.count(for: Hiker.all) == 1)
    let reader = club.container.newBackgroundContext()
    let hiker = try #require(try reader.first(Hiker.filter { $0.number == 7 }))
    #expect(hiker.hikes.map(\.place) == ["Zugspitze", "Zugspitze"])
    let hikes = try reader.fetch(Hike.filter { $0.place == "Zugspitze" })
    #expect(hikes.map(\.hiker) == [hiker, hiker])
  }

  @Test(arguments: StoreKind.allCases)
  func `results are live while somebody reads their changes`(_ kind: StoreKind) async throws {
    let club = try Club(kind)
    let context = club.container.newBackgroundContext()
    let controller = try context.results(Hiker.sorted(by: \.name))

    var changes = controller.changes.makeAsyncIterator()
    let initial = try #require(await changes.next())
    #expect(initial.isInitial && initial.after.numberOfObjects == 0)
    try Self.write(context)
    let change = try #require(await changes.next())
    #expect(change.insertions.count == 1)
    #expect(controller.fetchedObjects?.map(\.name) == ["Ida"])
  }

  @Test(arguments: StoreKind.allCases)
  func `snapshots stay, IDs lead to the object anywhere`(_ kind: StoreKind) async throws {
    let club = try Club(kind)
    let container = club.container
    let context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    try Self.write(context)
    let hiker = try #require(try context.first(Hiker.all))
    let frozen = hiker.snapshot()
    let id = hiker.objectID
    try await container.performBackgroundTask { context in
      try context.object(Hiker.self, with: id).name = "Ida B."
      try context.save()
    }
    try context.processPendingChanges()
    #expect(frozen.name == "Ida" && frozen.number == 7)
    #expect(hiker.name == "Ida B.")
  }
}
