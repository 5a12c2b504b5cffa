// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

/// A store of others' saves, whose history is deleted whenever somebody has asked how far it reaches.
private final class ForgetfulStore: StateStore, HistoryStore {
  let rows: InMemoryStore
  let tally = RequestTally()

  init(_ rows: InMemoryStore) { self.rows = rows }

  var model: ModelLayout { rows.model }
  var identifier: UUID { rows.identifier }
  var capabilities: StoreCapabilities { rows.capabilities }
  var keepsHistory: Bool { true }

  func currentState() throws(PerennialError) -> InMemoryState { rows.currentState() }

  func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try rows.reserveKeys(root: root, count: count)
  }

  func save(_ changes: ChangeSet) throws(SaveFailure) { try rows.save(changes) }

  func historyExtent() throws(PerennialError) -> HistoryExtent {
    let extent = try rows.historyExtent()
    _ = try deleteHistory(before: .date(.distantFuture))
    return extent
  }

  func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try rows.deleteHistory(before: place)
  }

  func isOwn(transaction number: Int64) -> Bool { false }
}

@Suite("SEMANTICS 1H.4: what others write")
struct RemoteChangeTests {
  /// Two coordinators on one file, which know nothing of each other: as two processes.
  private struct Pair {
    let near: Bench
    let far: StoreCoordinator

    /// - Parameter isBegunAfar: Whether it is the far one that turns the history on.
    /// - Throws: What opening throws.
    init(isBegunAfar: Bool = false) throws {
      near = try Bench(
        .sqlite,
        model: historyModel(),
        classes: historyClasses,
        history: HistoryOptions(isOn: !isBegunAfar)
      )
      far = StoreCoordinator(
        store: try StoreKind.sqlite.open(
          historyModel().layout,
          in: near.folder,
          history: HistoryOptions(isOn: isBegunAfar)
        ),
        classes: Dictionary(uniqueKeysWithValues: historyClasses.map { ($0.entityName, $0) })
      )
      try near.coordinator.beginWatching(near.coordinator.store)
    }

    func farContext() -> ManagedObjectContext { ManagedObjectContext(coordinator: far) }

    /// What a watcher does when the number of foreign writes is another one.
    func look() throws {
      try near.coordinator.receiveRemoteChanges(of: near.coordinator.store, url: nil)
    }
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

  @Test func `1H.4 history that is deleted while others' saves are merged takes none away`()
    throws
  {
    let history = HistoryOptions(isOn: true)
    let store = ForgetfulStore(InMemoryStore(model: try historyModel().layout, history: history))
    let classes = Dictionary(uniqueKeysWithValues: historyClasses.map { ($0.entityName, $0) })
    let near = StoreCoordinator(store: store, classes: classes)
    let context = ManagedObjectContext(coordinator: near)
    context.automaticallyMergesChangesFromParent = true
    let club = Club.make("near", in: context)
    try context.save()
    try near.beginWatching(store)
    let others = StoreCoordinator(store: store.rows, classes: classes)
    let far = ManagedObjectContext(coordinator: others)
    try far.object(Club.self, with: club.objectID).title = "far"
    try far.save()
    try near.receiveRemoteChanges(of: store, url: nil)
    try context.processPendingChanges()
    #expect(try store.rows.history(HistoryQuery()).isEmpty)
    #expect(club.title == "far")
  }

  @Test func `1H.4 a history that somebody turns on later is followed from then on`() throws {
    let pair = try Pair(isBegunAfar: true)
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = true
    let club = Club.make("near", in: context)
    try context.save()
    let far = pair.farContext()
    let same = try far.object(Club.self, with: club.objectID)
    for title in ["far", "farther"] {
      same.title = title
      try far.save()
      try pair.look()
      try context.processPendingChanges()
      #expect(club.title == title)
    }
    let store = try #require(pair.near.coordinator.store as? any HistoryStore)
    club.title = "near again"
    try context.save()
    let last = try store.historyExtent().last
    #expect(store.isOwn(transaction: last))
  }

  @Test func `1H.4 own saves are not read when others' are merged, before and among them`()
    throws
  {
    let pair = try Pair()
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = true
    let club = Club.make("0", in: context)
    let house = House.make("a", in: context)[0]
    let person = try Person.stored("a", in: context)
    func saveOften() throws {
      for number in 1...100 {
        club.title = "\(number)"
        try context.save()
      }
    }
    let far = pair.farContext()
    try saveOften()
    try far.object(House.self, with: house.objectID).street = "b"
    try far.save()
    try saveOften()
    try far.object(Person.self, with: person.objectID).notes = "from afar"
    try far.save()
    try saveOften()
    let rows = pair.near.coordinator.counters.rows
    try pair.look()
    #expect(pair.near.coordinator.counters.rows - rows < 50)
    try context.processPendingChanges()
    #expect(house.street == "b" && person.notes == "from afar")
    #expect(club.title == "100")
  }

  @Test func `1H.4 more saves of others than are read at once are all merged`() throws {
    let pair = try Pair()
    let context = pair.near.context()
    context.automaticallyMergesChangesFromParent = true
    let houses = House.make("a", "a", in: context)
    try context.save()
    let far = pair.farContext()
    let others = try houses.map { try far.object(House.self, with: $0.objectID) }
    for number in 1...120 {
      others[0].street = "\(number)"
      if number == 50 { others[1].street = "b" }
      try far.save()
    }
    try pair.look()
    try context.processPendingChanges()
    #expect(houses.map(\.street) == ["120", "b"])
  }

  @Test func `1H.4 successive own transactions are one run`() {
    let own = OwnTransactions()
    own.note(1)
    #expect(own.run(after: 0) == nil)
    own.begin()
    for number in [2, 3, 4, 7, 8] as [Int64] { own.note(number) }
    let (first, second): (ClosedRange<Int64>, ClosedRange<Int64>) = (2...4, 7...8)
    #expect(own.run(after: 0) == first && own.run(after: 3) == first)
    #expect(own.run(after: 4) == second && own.run(after: 8) == nil)
    #expect(own.contains(3) && !own.contains(5) && !own.contains(1))
    own.forget(through: 7)
    #expect(!own.contains(4) && !own.contains(7) && own.contains(8))
    #expect(own.run(after: 0)?.lowerBound == 8)
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
