// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

/// What others write to a store without a history that sees it by itself: a JSON file.
@Suite("SEMANTICS 1I.7: whole-file stores, shared")
struct ForeignChangesTests {
  /// Two coordinators on one file, which know nothing of each other: as two processes.
  private struct Pair {
    let near: Bench
    let far: StoreCoordinator

    init() throws {
      near = try Bench(.json, model: historyModel(), classes: historyClasses)
      far = StoreCoordinator(
        store: try StoreKind.json.open(historyModel().layout, in: near.folder),
        classes: Dictionary(uniqueKeysWithValues: historyClasses.map { ($0.entityName, $0) })
      )
      try near.coordinator.beginWatching(near.coordinator.store)
    }

    func nearContext() -> ManagedObjectContext {
      let context = near.context()
      context.automaticallyMergesChangesFromParent = true
      return context
    }

    func farContext() -> ManagedObjectContext { ManagedObjectContext(coordinator: far) }

    /// What a watcher does when the number of foreign writes is another one.
    func look() throws {
      let store = try #require(near.coordinator.store as? any WatchableStore)
      _ = try store.foreignDataVersion()
      try near.coordinator.receiveRemoteChanges(of: near.coordinator.store, url: nil)
    }
  }

  @Test func `1I.7 a context that merges by itself merges what others have saved`() throws {
    let pair = try Pair()
    let context = pair.nearContext()
    let (club, person) = (Club(context: context), Person(context: context))
    let house = House(context: context)
    person.name = "a"
    person.home = house
    let leaver = try Person.stored("leaver", in: context)
    #expect(club.members.isEmpty && house.size == 1 && house.people.count == 1)

    let far = pair.farContext()
    let same = try far.object(Person.self, with: person.objectID)
    same.notes = "from afar"
    same.home = nil
    try far.object(Club.self, with: club.objectID).members.append(same)
    far.delete(try far.object(Person.self, with: leaver.objectID))
    try far.save()
    let newcomer = Person(context: far)
    newcomer.name = "newcomer"
    newcomer.home = try far.object(House.self, with: house.objectID)
    try far.save()
    #expect(person.notes == nil)

    try pair.look()
    try context.processPendingChanges()
    #expect(person.notes == "from afar")
    #expect(person.home == nil)
    #expect(club.members.map(\.name) == ["a"])
    #expect(leaver.isDeleted)
    #expect(house.people.map(\.name) == ["newcomer"])
    #expect(!context.hasChanges)
  }

  @Test func `1I.7 derived values that others' saves have changed are merged`() throws {
    let pair = try Pair()
    let context = pair.nearContext()
    let house = House(context: context)
    try context.save()
    #expect(house.size == 0)
    let far = pair.farContext()
    let newcomer = Person(context: far)
    newcomer.name = "newcomer"
    newcomer.home = try far.object(House.self, with: house.objectID)
    try far.save()
    try pair.look()
    try context.processPendingChanges()
    #expect(house.size == 1)
    #expect(!context.hasChanges)
  }

  @Test func `1I.7 an edit stays on top of what others have saved, and own saves are not told`()
    throws
  {
    let pair = try Pair()
    let context = pair.nearContext()
    let person = try Person.stored("a", in: context)
    let far = pair.farContext()
    let same = try far.object(Person.self, with: person.objectID)
    same.notes = "from afar"
    same.height = 1
    try far.save()
    person.notes = "mine"
    try pair.look()
    try context.processPendingChanges()
    #expect(person.notes == "mine" && person.height == 1)
    try context.save()
    let store = try #require(pair.near.coordinator.store as? any WatchableStore)
    #expect(store.takeForeignChanges()?.isEmpty == true)
    let stored = try pair.farContext().object(Person.self, with: person.objectID)
    #expect(stored.notes == "mine" && stored.height == 1)
  }

  @Test func `1I.7 a save that meets another process's is a conflict, settled by the policy`()
    throws
  {
    let pair = try Pair()
    let context = pair.near.context()
    let person = try Person.stored("a", in: context)
    let far = pair.farContext()
    let same = try far.object(Person.self, with: person.objectID)
    same.notes = "from afar"
    same.height = 2
    try far.save()
    person.notes = "mine"
    #expect(code { try context.save() } == .managedObjectMerge)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(person.notes == "mine" && person.height == 2)
  }
}
