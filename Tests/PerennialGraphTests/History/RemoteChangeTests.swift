// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.4: what others write")
struct RemoteChangeTests {
  /// Two coordinators on one file, which know nothing of each other: as two processes.
  private struct Pair {
    let near: Bench
    let far: StoreCoordinator

    init() throws {
      near = try Bench.history(.sqlite)
      far = StoreCoordinator(
        store: try StoreKind.sqlite.open(historyModel().layout, in: near.folder),
        classes: Dictionary(uniqueKeysWithValues: historyClasses.map { ($0.entityName, $0) })
      )
      try near.coordinator.beginWatching(near.coordinator.store)
    }

    func farContext() -> ManagedObjectContext { ManagedObjectContext(coordinator: far) }
  }

  @Test func `1H.4 a context that merges by itself merges what others have saved`() throws {
    let pair = try Pair()
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = true
    let (club, person) = (Club(context: context), Person(context: context))
    let house = House(context: context)
    person.name = "a"
    person.home = house
    let leaver = try Person.stored("leaver", in: context)
    #expect(club.members.isEmpty && house.size == 1 && house.people.count == 1)

    let far = pair.farContext()
    far.transactionAuthor = "far"
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

    try pair.near.coordinator.receiveRemoteChanges(of: pair.near.coordinator.store, url: nil)
    try context.processPendingChanges()
    #expect(person.notes == "from afar")
    #expect(person.home == nil)
    #expect(club.members.map(\.name) == ["a"])
    #expect(leaver.isDeleted)
    #expect(house.size == 1)
    #expect(house.people.map(\.name) == ["newcomer"])
    #expect(!context.hasChanges)
  }

  @Test func `1H.4 own saves are no remote changes`() throws {
    let pair = try Pair()
    let context = pair.near.context()
    let other = pair.near.context()
    other.automaticallyMergesChangesFromParent = true
    let club = Club(context: context)
    club.title = "own"
    try context.save()
    let store = try #require(pair.near.coordinator.store as? any HistoryStore)
    #expect(store.isOwn(transaction: 1))
    let far = pair.farContext()
    Club(context: far).title = "far"
    try far.save()
    #expect(!store.isOwn(transaction: 2))
  }

  @Test func `1H.4 an edit stays on top of what others have saved`() throws {
    let pair = try Pair()
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = true
    let person = try Person.stored("a", in: context)
    let far = pair.farContext()
    let same = try far.object(Person.self, with: person.objectID)
    same.notes = "from afar"
    same.height = 1
    try far.save()
    person.notes = "mine"
    try pair.near.coordinator.receiveRemoteChanges(of: pair.near.coordinator.store, url: nil)
    try context.processPendingChanges()
    #expect(person.notes == "mine" && person.height == 1)
    try context.save()
    let stored = try pair.farContext().object(Person.self, with: person.objectID)
    #expect(stored.notes == "mine" && stored.height == 1)
  }

  @Test(arguments: [false, true])
  func `1H.4 a deletion that this container has undone since is not merged`(
    byHand: Bool
  ) throws {
    let pair = try Pair()
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = !byHand
    context.mergePolicy = .mergeByPropertyObjectTrump
    let person = try Person.stored("a", in: context)
    let token = try pair.near.coordinator.historyToken()
    let far = pair.farContext()
    far.delete(try far.object(Person.self, with: person.objectID))
    try far.save()
    person.notes = "kept"
    try context.save()
    if byHand {
      let deletion = try #require(try context.history(after: token).first)
      #expect(deletion.objects.deleted == [person.objectID])
      try context.mergeChanges(from: deletion)
    } else {
      try pair.near.coordinator.receiveRemoteChanges(of: pair.near.coordinator.store, url: nil)
      try context.processPendingChanges()
    }
    #expect(!person.isDeleted && person.notes == "kept")
    #expect(try context.fetch(Person.all) == [person])
  }

  @Test func `1H.4 a transaction is merged by hand`() throws {
    let pair = try Pair()
    let context = pair.near.context()
    let person = try Person.stored("a", in: context)
    let token = try pair.near.coordinator.historyToken()
    let far = pair.farContext()
    try far.object(Person.self, with: person.objectID).notes = "from afar"
    try far.save()
    for transaction in try context.history(after: token) {
      #expect(transaction.objects.updated == [person.objectID])
      try context.mergeChanges(from: transaction)
    }
    #expect(person.notes == "from afar")
    #expect(!context.hasChanges)
  }

  @Test
  func `1H.4 history that was deleted before it was seen makes contexts read everything again`()
    throws
  {
    let pair = try Pair()
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = true
    let person = try Person.stored("a", in: context)
    let far = pair.farContext()
    let same = try far.object(Person.self, with: person.objectID)
    for number in 0..<3 {
      same.notes = "change \(number)"
      try far.save()
    }
    try far.execute(PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
    try pair.near.coordinator.receiveRemoteChanges(of: pair.near.coordinator.store, url: nil)
    try context.processPendingChanges()
    #expect(person.notes == "change 2")
  }

  @Test func `1H.4 the number of foreign writes changes with theirs alone`() throws {
    let pair = try Pair()
    let store = try #require(pair.near.coordinator.store as? any WatchableStore)
    let context = pair.near.context()
    let club = Club(context: context)
    club.title = "own"
    try context.save()
    let version = try store.foreignDataVersion()
    club.title = "own again"
    try context.save()
    #expect(try store.foreignDataVersion() == version)
    let far = pair.farContext()
    try far.object(Club.self, with: club.objectID).title = "far"
    try far.save()
    #expect(try store.foreignDataVersion() != version)
  }
}
