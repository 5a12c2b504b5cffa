// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

/// Lets a controller follow what changes, and counts its reports.
private final class Follower: FetchedResultsControllerDelegate {
  typealias Element = TallyShelf

  private(set) var count = 0

  func controllerDidChangeContent(_ controller: FetchedResultsController<TallyShelf>) { count += 1 }
}

/// Two containers, as on two machines.
@Suite("What other machines write to a store on PostgreSQL", .needsServer)
struct StoreFeedTests {
  /// One container that is told of writes, and one that writes.
  private struct Machines {
    let place: StorePlace
    let near: PersistentContainer
    let far: PersistentContainer
    /// The name of all connections of the near one.
    let application: String

    init(on server: OwnServer? = nil, interval: Duration, hears: Bool = true) throws {
      place = try StorePlace(on: server)
      application = TestServer.uniqueName("a")
      let url: URL
      if hears {
        url = try place.url(parameters: "&application_name=\(application)")
        far = try place.containerWithTally()
      } else {
        // A name of ours hides the server's: those who write tell nobody.
        try place.execute(
          """
          CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE sql AS ''
          """
        )
        url = try place.url(settings: ["search_path=\(place.schema),pg_catalog"])
        far = try place.containerWithTally(url)
      }
      near = try place.container(url) { $0.remoteChangeInterval = interval }
    }

    /// Raises the counter and adds a shelf.
    func save(_ room: String) throws {
      let context = far.newBackgroundContext()
      try #require(try context.first(Tally.all)).count += 1
      TallyShelf(context: context).room = room
      try context.save()
    }

    /// Ends all connections of the near container, also that which listens.
    func cut() throws {
      _ = try place.connect().run(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = $1",
        [.text(application)]
      )
    }
  }

  /// By notifications, however long the interval is; and by looking alone.
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `contexts merge what another machine saves, and results move`(hears: Bool) async throws {
    let machines = try Machines(
      interval: hears ? .seconds(3_600) : .milliseconds(1),
      hears: hears
    )
    let context = machines.near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let tally = try #require(try context.first(Tally.all))
    let controller = FetchedResultsController(
      fetchRequest: TallyShelf.all.sorted(by: \.room),
      managedObjectContext: context
    )
    let follower = Follower()
    controller.delegate = follower
    try controller.performFetch()
    #expect(controller.fetchedObjects?.isEmpty == true)
    var changes = machines.near.remoteChanges.makeAsyncIterator()
    for count in 1...5 {
      try machines.save("\(9 - count)")
      let change = try #require(await changes.next())
      #expect(change.historyToken?.transactionNumber == Int64(count) + 1)
      try context.processPendingChanges()
      #expect(tally.count == count)
      let rooms = (1...count).map { "\(9 - $0)" }.sorted()
      #expect(controller.fetchedObjects?.map(\.room) == rooms)
      #expect(follower.count == count)
    }
    // What it saves itself is no news.
    tally.count = 100
    try context.save()
    try machines.save("x")
    let change = try #require(await changes.next())
    #expect(change.historyToken?.transactionNumber == 8)
    try context.processPendingChanges()
    #expect(tally.count == 101)
  }

  @Test(.timeLimit(.minutes(10)))
  func `nothing is missed while connections are lost again and again, and all is in order`()
    async throws
  {
    let machines = try Machines(interval: .seconds(3_600))
    let context = machines.near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let tally = try #require(try context.first(Tally.all))
    let changes = machines.near.remoteChanges
    let saves = 60
    let writer = Task.detached {
      for number in 1...saves {
        try machines.save("\(number)")
        if number.isMultiple(of: 7) { try machines.cut() }
      }
      // The last ones are saved while nobody listens.
      try machines.cut()
    }
    let reader = machines.near.newBackgroundContext()
    var token: PersistentHistoryToken?
    var rooms: [String] = []
    for await change in changes {
      let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      for transaction in try reader.execute(request).transactions {
        let expected = (token?.transactionNumber ?? 0) + 1
        #expect(transaction.transactionNumber == expected)
        token = transaction.token
        for change in transaction.changes where change.changeType == .insert {
          let object = try reader.existingObject(with: change.changedObjectID)
          if let shelf = object as? TallyShelf { rooms.append(shelf.room) }
        }
      }
      try context.processPendingChanges()
      if change.historyToken?.transactionNumber == Int64(saves) + 1 { break }
    }
    try await writer.value
    #expect(rooms == (1...saves).map { "\($0)" })
    try context.processPendingChanges()
    #expect(tally.count == saves)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a transaction that cannot be read hides no later one`() async throws {
    let machines = try Machines(interval: .seconds(3_600))
    try machines.place.execute(
      """
      CREATE FUNCTION tear() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.changes := 'torn'; RETURN NEW; END $$;
      CREATE TRIGGER tear BEFORE INSERT ON perennial_log
      FOR EACH ROW WHEN (NEW.number = 2) EXECUTE FUNCTION tear()
      """
    )
    let context = machines.near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let tally = try #require(try context.first(Tally.all))
    var changes = machines.near.remoteChanges.makeAsyncIterator()
    for count in 1...3 {
      try machines.save("\(count)")
      let change = try #require(await changes.next())
      #expect(change.historyToken?.transactionNumber == Int64(count) + 1)
      try context.processPendingChanges()
      #expect(tally.count == count)
    }
  }

  @Test(arguments: [false, true])
  func `old values are kept from the moment on at which another machine asks for them`(
    isBatch: Bool
  ) throws {
    let place = try StorePlace()
    let near = try place.containerWithTally()
    let context = near.newBackgroundContext()
    let tally = try #require(try context.first(Tally.all))
    let far = try place.container { $0.historyKeepsOldValues = true }
    let start = try far.currentPersistentHistoryToken()
    if isBatch {
      var update = BatchUpdateRequest(Tally.self)
      update.set(\Tally.count, to: 7)
      try context.execute(update)
    } else {
      tally.count = 7
      try context.save()
    }
    let reader = far.newBackgroundContext()
    let request = PersistentHistoryChangeRequest.fetchHistory(after: start)
    let history = try reader.execute(request).transactions
    #expect(history.count == 1)
    #expect(history.first?.changes.first?.oldValue(\Tally.count) == 0)
    try reader.revert(try #require(history.first))
    try reader.save()
    #expect(try far.count() == 0)
  }

  @Test(.timeLimit(.minutes(10)))
  func `what is saved after the server was away is told`() async throws {
    let server = try OwnServer()
    let machines = try Machines(on: server, interval: .seconds(3_600))
    let context = machines.near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let tally = try #require(try context.first(Tally.all))
    var changes = machines.near.remoteChanges.makeAsyncIterator()
    for count in 1...2 {
      try server.crash()
      try server.restart()
      try machines.save("\(count)")
      let change = try #require(await changes.next())
      #expect(change.historyToken?.transactionNumber == Int64(count) + 1)
      try context.processPendingChanges()
      #expect(tally.count == count)
    }
  }
}
#endif
