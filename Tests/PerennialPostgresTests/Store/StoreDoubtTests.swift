// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

/// A commit's answer is lost, and the server stays away for longer than the store asks how it has ended.
@Suite("Saves on PostgreSQL of which nobody knows", .needsServer)
struct StoreDoubtTests {
  private let place: StorePlace
  private let proxy: CuttingProxy
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let tally: Tally

  init() throws {
    place = try StorePlace()
    proxy = try CuttingProxy(to: try #require(TestServer.location().hosts.first?.port))
    let parameters = "&sslmode=disable&connect_timeout=1"
    container = try place.containerWithTally(
      try place.url(port: proxy.port, parameters: parameters)
    )
    context = container.newBackgroundContext()
    tally = try #require(try context.first(Tally.all))
  }

  /// A save that raises the counter from 0 to 1 and adds one object, and whose end stays unknown.
  private func saveInDoubt(isDone: Bool) throws {
    tally.count += 1
    TallyShelf(context: context).room = "first"
    proxy.cut(at: isDone ? .answerToCommit : .requestToCommit, forGood: true)
    let error = try storeError { try context.save() }
    #expect(error.code == .saveOutcomeUnknown)
    #expect(context.hasChanges)
    // The server is there, for others.
    #expect(try place.number("SELECT zcount FROM ztally") == (isDone ? 1 : 0))
    // Until the server can be reached, nothing else is known either.
    #expect(try storeError { try context.save() }.code == .saveOutcomeUnknown)
    #expect(
      try storeError { _ = try container.newBackgroundContext().count(for: Tally.all) }.code
        == .connectionLost
    )
    proxy.open()
  }

  private func expect(
    count: Int,
    rooms: [String],
    saves: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let connection = try place.connect()
    let found = try connection.run("SELECT zroom FROM ztallyshelf ORDER BY 1")
    #expect(
      (0..<found.count).map { found.text($0, 0) } == rooms,
      sourceLocation: sourceLocation
    )
    #expect(try place.number("SELECT zcount FROM ztally") == count, sourceLocation: sourceLocation)
    #expect(
      try place.number("SELECT count(*) FROM perennial_log") == saves + 1,
      sourceLocation: sourceLocation
    )
  }

  @Test(arguments: [true, false])
  func `the same save, once more, is done once`(isDone: Bool) throws {
    try saveInDoubt(isDone: isDone)
    try context.save()
    try expect(count: 1, rooms: ["first"], saves: 1)
    tally.count += 1
    try context.save()
    try expect(count: 2, rooms: ["first"], saves: 2)
  }

  @Test(arguments: [true, false])
  func `what is added before the second attempt is written, too`(isDone: Bool) throws {
    try saveInDoubt(isDone: isDone)
    TallyShelf(context: context).room = "second"
    try context.save()
    try expect(count: 1, rooms: ["first", "second"], saves: isDone ? 2 : 1)
  }

  /// As the error says: look, and begin anew.
  @Test(arguments: [true, false])
  func `what is changed after a rollback is written, whatever became of the first save`(
    isDone: Bool
  ) throws {
    try saveInDoubt(isDone: isDone)
    context.rollback()
    context.refresh(tally, mergeChanges: false)
    #expect(tally.count == (isDone ? 1 : 0))
    tally.count += 1
    TallyShelf(context: context).room = "second"
    try context.save()
    try expect(
      count: isDone ? 2 : 1,
      rooms: isDone ? ["first", "second"] : ["second"],
      saves: isDone ? 2 : 1
    )
  }

  /// Somebody else has written the very values that the undone save was to write: that is not this save.
  @Test func `equal values of somebody else are a conflict when the save was not done`() throws {
    try saveInDoubt(isDone: false)
    let rival = try place.container()
    let other = rival.newBackgroundContext()
    try #require(try other.first(Tally.all)).count += 1
    try other.save()
    #expect(try storeError { try context.save() }.code == .managedObjectMerge)
    try expect(count: 1, rooms: [], saves: 1)
    context.rollback()
    context.refresh(tally, mergeChanges: false)
    tally.count += 1
    try context.save()
    try expect(count: 2, rooms: [], saves: 2)
  }

  /// Others have gone on from what the save has done: it is not done again.
  @Test func `a save that was done and gone on from is not done again`() throws {
    try saveInDoubt(isDone: true)
    let rival = try place.container()
    let other = rival.newBackgroundContext()
    try #require(try other.first(Tally.all)).count += 1
    try other.save()
    try context.save()
    try expect(count: 2, rooms: ["first"], saves: 2)
  }
}

/// The server is away before a save begins.
@Suite("A PostgreSQL server that is away", .needsServer)
struct AbsentServerTests {
  @Test func `nothing is changed, and the same context goes on when it is there again`() throws {
    let server = try OwnServer()
    let place = try StorePlace(on: server)
    let container = try place.containerWithTally()
    let context = container.newBackgroundContext()
    let tally = try #require(try context.first(Tally.all))
    tally.count += 1
    TallyShelf(context: context).room = "new"
    try server.crash()
    for _ in 1...2 {
      let error = try storeError { try context.save() }
      #expect(error.code == .connectionLost)
      #expect(error.code.rawValue == 200_031)
      #expect(context.hasChanges && tally.count == 1)
    }
    #expect(
      try storeError { _ = try container.newBackgroundContext().fetch(Tally.all) }.code
        == .connectionLost
    )
    #expect(try storeError { _ = try place.container() }.code == .persistentStoreOpen)
    try server.restart()
    try context.save()
    #expect(try container.count() == 1)
    #expect(try place.number("SELECT count(*) FROM ztallyshelf") == 1)
    #expect(try place.number("SELECT count(*) FROM perennial_log") == 2)
  }
}

@Suite("Waiting for PostgreSQL", .needsServer)
struct StoreWaitingTests {
  /// A container with one connection, and a table whose reading waits until the watcher lets go.
  private func container(_ place: StorePlace, _ parameters: String) throws -> PersistentContainer {
    try place.containerWithTally(try place.url(parameters: parameters))
  }

  @Test func `who finds no free connection in time is told, and may try again`() async throws {
    let place = try StorePlace()
    let container = try container(place, "&pool=1&pool_timeout=1")
    let watcher = try place.connect()
    try watcher.execute("BEGIN; LOCK TABLE ztally IN ACCESS EXCLUSIVE MODE")
    let reader = Task { try await container.performBackgroundTask { try $0.count(for: Tally.all) } }
    let waiting =
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'ztally'::regclass"
    while try watcher.run(waiting).integer(0, 0) == 0 { await Task.yield() }
    let context = container.newBackgroundContext()
    let error = try storeError { _ = try context.fetch(TallyShelf.all) }
    #expect(error.code == .persistentStoreTimeout)
    TallyShelf(context: context).room = "new"
    #expect(try storeError { try context.save() }.code == .persistentStoreTimeout)
    #expect(context.hasChanges)
    watcher.rollBack()
    #expect(try await reader.value == 1)
    try context.save()
    #expect(try container.newBackgroundContext().count(for: TallyShelf.all) == 1)
  }

  @Test func `one connection is enough for everything`() throws {
    let place = try StorePlace()
    let container = try container(place, "&pool=1&pool_timeout=1")
    let context = container.newBackgroundContext()
    let shelf = TallyShelf(context: context)
    shelf.room = "new"
    for number in 0..<1_500 {
      let tally = Tally(context: context)
      tally.name = "\(number)"
      shelf.tallies.append(tally)
    }
    try context.save()
    let other = container.newBackgroundContext()
    let rooms = try other.fetch(Tally.all.sorted(by: \.name)).map(\.shelf?.room)
    #expect(rooms.count == 1_501)
    #expect(try other.first(TallyShelf.all)?.tallies.count == 1_500)
    try #require(try other.first(Tally.all)).count += 1
    try other.save()
    #expect(container.counters.roundTrips > 0)
  }

  @Test func `a slow fetch ends with its task`() async throws {
    let place = try StorePlace()
    let container = try container(place, "")
    let watcher = try place.connect()
    try watcher.execute("BEGIN; LOCK TABLE ztally IN ACCESS EXCLUSIVE MODE")
    let formats = ["TRUEPREDICATE", "name == 'one'", "name IN {'one', 'two'}", "count > 0"]
    for format in formats {
      let task = Task { @MainActor in
        let context = container.newBackgroundContext()
        do throws(PerennialError) {
          let request = Tally.filter(try FetchPredicate(parsing: format))
          return try await context.fetchInBackground(request).count
        } catch {
          return error.code.rawValue
        }
      }
      let waiting =
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'ztally'::regclass"
      while try watcher.run(waiting).integer(0, 0) == 0 { await Task.yield() }
      task.cancel()
      #expect(await task.value == PerennialError.Code.fetchCancelled.rawValue)
      // The server has ended it, too.
      #expect(try watcher.run(waiting).integer(0, 0) == 0)
    }
    watcher.rollBack()
    #expect(try container.newBackgroundContext().fetch(Tally.all).count == 1)
  }
}
#endif
