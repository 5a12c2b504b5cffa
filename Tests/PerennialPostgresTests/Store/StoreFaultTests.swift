// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Synchronization
import Testing

@Suite("Saves on PostgreSQL whose connection is lost", .needsServer)
struct StoreFaultTests {
  private let place: StorePlace
  private let watcher: PostgresConnection

  init() throws {
    place = try StorePlace()
    watcher = try place.connect()
  }

  /// Ends all connections of a store but the watcher's, and waits until they are gone.
  private func cut(_ application: String) throws {
    _ = try watcher.run(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = $1",
      [.text(application)]
    )
  }

  /// A container whose connections have a name of their own, with one counter in its store.
  private func container(_ application: String, _ parameters: String = "") throws
    -> PersistentContainer
  {
    let parameters = "&application_name=\(application)\(parameters)"
    return try place.containerWithTally(try place.url(parameters: parameters))
  }

  /// Raises the counter, and adds an object, so that twice would be seen.
  @discardableResult
  private func change(_ context: ManagedObjectContext) throws -> Tally {
    let tally = try #require(try context.first(Tally.all))
    tally.count += 1
    TallyShelf(context: context).room = "\(tally.count)"
    return tally
  }

  private func expectCount(
    _ count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try place.number("SELECT zcount FROM ztally") == count, sourceLocation: sourceLocation)
    #expect(
      try place.number("SELECT count(*) FROM ztallyshelf") == count,
      sourceLocation: sourceLocation
    )
    // The first save made the counter.
    let saves = try place.number("SELECT count(*) FROM perennial_log")
    #expect(saves == count + 1, sourceLocation: sourceLocation)
    #expect(
      try place.number("SELECT number FROM perennial_clock") == saves,
      sourceLocation: sourceLocation
    )
  }

  @Test func `a connection that is cut before the save is another one's turn`() throws {
    let name = TestServer.uniqueName("a")
    let container = try container(name)
    let context = container.newBackgroundContext()
    for count in 1...3 {
      try change(context)
      try cut(name)
      try context.save()
      try expectCount(count)
    }
  }

  /// Makes a table's triggers wait for a gate that the watcher holds: at the statement, or at the commit.
  private func makeGate(atCommit: Bool) throws {
    let kind = atCommit ? "CONSTRAINT TRIGGER" : "TRIGGER"
    let moment =
      atCommit ? "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW" : "FOR EACH STATEMENT"
    try place.execute(
      """
      CREATE TABLE gate (id int);
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN LOCK TABLE gate IN SHARE MODE; RETURN NULL; END $$;
      CREATE \(kind) wait AFTER UPDATE ON ztally \(moment) EXECUTE FUNCTION wait();
      """
    )
  }

  /// In the middle of the statements nothing is done yet; at the commit, only the server knows.
  @Test(arguments: [false, true])
  func `a connection that is cut within the save costs nothing, and the save is done once`(
    atCommit: Bool
  ) throws {
    let name = TestServer.uniqueName("a")
    let container = try container(name)
    try makeGate(atCommit: atCommit)
    let context = container.newBackgroundContext()
    for count in 1...3 {
      let tally = try change(context)
      try watcher.execute("BEGIN; LOCK TABLE gate IN ACCESS EXCLUSIVE MODE")
      let guarded = Confined(watcher, try place.connect())
      let isOver = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Self.cutWaiting(name, guarded.second)
        guarded.first.rollBack()
        isOver.signal()
      }
      try context.save()
      isOver.wait()
      #expect(tally.count == count)
      try expectCount(count)
    }
  }

  /// Ends the connection that waits for the gate.
  private static func cutWaiting(_ application: String, _ connection: PostgresConnection) {
    let sql = """
      SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE application_name = $1 AND wait_event_type = 'Lock'
      """
    do throws(PostgresFailure) {
      while try connection.run(sql, [.text(application)]).count == 0 {}
    } catch {
      Issue.record(error)
    }
  }

  /// The answer to the commit is lost, though the server has committed: the token says so.
  @Test func `a save whose answer is lost in the network is done once`() throws {
    let proxy = try CuttingProxy(to: try #require(TestServer.location().hosts.first?.port))
    let url = try place.url(port: proxy.port, parameters: "&pool_minimum=0&sslmode=disable")
    let container = try place.containerWithTally(url)
    let context = container.newBackgroundContext()
    for count in 1...10 {
      let tally = try change(context)
      proxy.cut(at: count.isMultiple(of: 2) ? .answerToCommit : .requestToCommit)
      try context.save()
      #expect(tally.count == count)
      try expectCount(count)
    }
    #expect(proxy.cutCount == 10)
  }

  @Test func `a batch request whose answer is lost in the network is done once`() throws {
    let proxy = try CuttingProxy(to: try #require(TestServer.location().hosts.first?.port))
    let url = try place.url(port: proxy.port, parameters: "&sslmode=disable")
    let container = try place.containerWithTally(url)
    let context = container.newBackgroundContext()
    let version = try place.number("SELECT z_opt FROM ztally")
    for number in 1...4 {
      var update = BatchUpdateRequest(Tally.self)
      update.set(\Tally.count, to: number)
      proxy.cut(at: number.isMultiple(of: 2) ? .answerToCommit : .requestToCommit)
      #expect(try context.execute(update).count == 1)
      #expect(try place.number("SELECT zcount FROM ztally") == number)
      #expect(try place.number("SELECT z_opt FROM ztally") == version + Int64(number))
      #expect(try place.number("SELECT count(*) FROM perennial_log") == number + 1)
    }
    #expect(proxy.cutCount == 4)
    let delete = BatchDeleteRequest(Tally.all)
    proxy.cut(at: .answerToCommit)
    #expect(try context.execute(delete).count == 1)
    #expect(try place.number("SELECT count(*) FROM ztally") == 0)
  }

  @Test func `a batch request that is lost at every commit is given up, as a save is`() throws {
    let proxy = try CuttingProxy(to: try #require(TestServer.location().hosts.first?.port))
    let url = try place.url(port: proxy.port, parameters: "&sslmode=disable")
    let container = try place.containerWithTally(url)
    let context = container.newBackgroundContext()
    var update = BatchUpdateRequest(Tally.self)
    update.set(\Tally.count, to: 7)
    proxy.cut(at: .requestToCommit, times: 20)
    #expect(try storeError { _ = try context.execute(update) }.code == .connectionLost)
    #expect(proxy.cutCount < 20)
    #expect(try place.number("SELECT zcount FROM ztally") == 0)
  }

  @Test func `metadata and the end of the history are written in spite of a lost answer`() throws {
    let proxy = try CuttingProxy(to: try #require(TestServer.location().hosts.first?.port))
    let url = try place.url(port: proxy.port, parameters: "&sslmode=disable")
    let container = try place.containerWithTally(url)
    let context = container.newBackgroundContext()
    for (number, moment) in [CuttingProxy.Moment.requestToCommit, .answerToCommit].enumerated() {
      try change(context)
      try context.save()
      let token = try #require(try container.currentPersistentHistoryToken())
      proxy.cut(at: moment)
      try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: token))
      #expect(try place.number("SELECT min(number) FROM perennial_log") == number + 2)
    }
    let coordinator = container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    for (number, moment) in [CuttingProxy.Moment.requestToCommit, .answerToCommit].enumerated() {
      var metadata = try coordinator.metadata(for: store)
      metadata["number"] = .integer(Int64(number))
      proxy.cut(at: moment)
      try coordinator.setMetadata(metadata, for: store)
      #expect(try coordinator.metadata(for: store)["number"] == .integer(Int64(number)))
    }
    #expect(proxy.cutCount == 4)
  }

  @Test func `whenever connections are cut, every save is done once`() throws {
    let name = TestServer.uniqueName("a")
    let (threads, saves) = (4, 50)
    let url = try place.url(parameters: "&application_name=\(name)")
    let container = try place.containerWithTally(url)
    let progress = SavingProgress()
    for thread in 0..<threads {
      progress.begin()
      Thread.detachNewThread {
        progress.end(Self.save(saves, "\(thread)", container, progress))
      }
    }
    var cutAt = 0
    while progress.isRunning {
      guard progress.count >= cutAt + 5 else { continue }
      cutAt = progress.count
      _ = try watcher.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1
        ORDER BY random() LIMIT 1
        """,
        [.text(name)]
      )
    }
    #expect(progress.errors.isEmpty, "\(progress.errors)")
    #expect(progress.count == threads * saves)
    try expectCount(threads * saves)
  }

  @Test func `a server that crashes and starts again loses nothing and does nothing twice`() throws
  {
    let server = try OwnServer()
    let place = try StorePlace(on: server)
    let (threads, saves) = (4, 100)
    let container = try place.containerWithTally()
    let progress = SavingProgress()
    for thread in 0..<threads {
      progress.begin()
      Thread.detachNewThread {
        progress.end(Self.save(saves, "\(thread)", container, progress))
      }
    }
    for round in 1...3 {
      while progress.isRunning, progress.count < round * 60 {}
      try server.restart()
    }
    while progress.isRunning { Thread.sleep(forTimeInterval: 0.01) }
    #expect(progress.errors.isEmpty, "\(progress.errors)")
    #expect(try container.count() == threads * saves)
    #expect(try place.number("SELECT count(*) FROM ztallyshelf") == threads * saves)
    #expect(try place.number("SELECT count(DISTINCT zroom) FROM ztallyshelf") == threads * saves)
  }

  /// Raises the counter so many times; after conflicts and lost connections, it tries again as the errors say.
  ///
  /// - Returns: An error that should not be.
  private static func save(
    _ saves: Int,
    _ name: String,
    _ container: PersistentContainer,
    _ progress: SavingProgress
  ) -> String? {
    let context = container.newBackgroundContext()
    var number = 0
    while number < saves {
      do throws(any Error) {
        if !context.hasChanges {
          guard let tally = try context.first(Tally.all) else { return "no counter" }
          tally.count += 1
          TallyShelf(context: context).room = "\(name) \(number)"
        }
        try context.save()
        number += 1
        progress.note()
      } catch {
        guard let error = error as? PerennialError else { return "\(error)" }
        switch error.code {
        case .managedObjectMerge: context.rollback()
        // The same changes once more: if they were done, they are not done again.
        case .connectionLost, .saveOutcomeUnknown: Thread.sleep(forTimeInterval: 0.02)
        default: return "\(error)"
        }
      }
    }
    return nil
  }
}

/// What several threads that save have done.
private final class SavingProgress: Sendable {
  private struct State {
    var count = 0
    var running = 0
    var errors: [String] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }
  var isRunning: Bool { state.withLock { $0.running > 0 } }
  var errors: [String] { state.withLock { $0.errors } }

  func note() { state.withLock { $0.count += 1 } }

  func begin() { state.withLock { $0.running += 1 } }

  func end(_ error: String?) {
    state.withLock { state in
      state.running -= 1
      if let error { state.errors.append(error) }
    }
  }
}
#endif
