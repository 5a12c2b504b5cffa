// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Synchronization
import Testing

@Suite("Several who write one store on PostgreSQL", .needsServer)
struct StoreRivalryTests {
  private let place: StorePlace

  init() throws { place = try StorePlace() }

  /// Lets the first writes of a table fail with a code: a sequence counts them, which no rollback undoes.
  private func failWrites(_ count: Int, _ code: String) throws {
    try place.execute(
      """
      CREATE SEQUENCE attempts;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') <= \(count) THEN RAISE EXCEPTION 'forced' USING ERRCODE = '\(code)'; END IF;
      RETURN NULL; END $$;
      CREATE TRIGGER fail AFTER UPDATE ON ztally FOR EACH STATEMENT EXECUTE FUNCTION fail();
      """
    )
  }

  @Test(arguments: ["40001", "40P01"])
  func `what the server undoes because others were in the way is done again as a whole`(
    code: String
  ) throws {
    let container = try place.containerWithTally()
    try failWrites(3, code)
    let context = container.newBackgroundContext()
    let tally = try #require(try context.first(Tally.all))
    tally.count += 1
    TallyShelf(context: context).room = "new"
    try context.save()
    #expect(try place.number("SELECT last_value FROM attempts") == 4)
    #expect(try container.count() == 1)
    #expect(try container.newBackgroundContext().count(for: TallyShelf.all) == 1)
    // Two saves in the log: the tally's own, and this one.
    #expect(try place.number("SELECT count(*) FROM perennial_log") == 2)
    #expect(try place.number("SELECT number FROM perennial_clock") == 2)
  }

  @Test func `a batch update is done again, too`() throws {
    let container = try place.containerWithTally()
    try failWrites(2, "40001")
    var update = BatchUpdateRequest(Tally.self)
    update.set(\Tally.count, to: 7)
    #expect(try container.newBackgroundContext().execute(update).count == 1)
    #expect(try container.count() == 7)
    #expect(try place.number("SELECT count(*) FROM perennial_log") == 2)
  }

  @Test func `a batch changes no row that others add after the old values were read`() throws {
    let start = try place.containerWithTally().currentPersistentHistoryToken()
    let container = try place.container { $0.historyKeepsOldValues = true }
    // The rival holds the row for which the batch waits, and adds one that meets its condition, too.
    let rival = try place.connect()
    try rival.execute("BEGIN; UPDATE ztally SET zmemo = 'held'")
    let isOver = DispatchSemaphore(value: 0)
    let failures = Mutex<[String]>([])
    let confined = Confined(rival, try place.connect())
    Thread.detachNewThread {
      let (rival, watcher) = (confined.first, confined.second)
      do throws(PostgresFailure) {
        try Self.awaitWaiters(for: rival, watcher)
        try rival.execute(
          """
          INSERT INTO ztally (z_pk, z_ent, z_opt, zname, zcount)
          SELECT 100, z_ent, z_opt, 'two', 0 FROM ztally; COMMIT
          """
        )
      } catch {
        failures.withLock { $0.append("\(error)") }
        rival.rollBack()
      }
      isOver.signal()
    }
    var update = BatchUpdateRequest(Tally.self, where: "count == 0")
    update.set(\Tally.count, to: 7)
    #expect(try container.newBackgroundContext().execute(update).count == 1)
    isOver.wait()
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(try container.count() == 7)
    #expect(try container.count(of: "two") == 0)
    let request = PersistentHistoryChangeRequest.fetchHistory(after: start)
    let history = try container.newBackgroundContext().execute(request).transactions
    #expect(history.flatMap(\.changes).map { $0.oldValue(\Tally.count) } == [0])
  }

  /// Returns when somebody waits for what a connection has locked.
  private static func awaitWaiters(
    for rival: PostgresConnection,
    _ watcher: PostgresConnection
  ) throws(PostgresFailure) {
    let sql =
      "SELECT count(*) FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))"
    while try watcher.run(sql, [.integer(Int64(rival.processID))]).integer(0, 0) == 0 {}
  }

  @Test func `who loses again and again is told, and nothing is changed`() throws {
    let container = try place.containerWithTally()
    try failWrites(21, "40001")
    let context = container.newBackgroundContext()
    let tally = try #require(try context.first(Tally.all))
    tally.count += 1
    let error = try storeError { try context.save() }
    #expect(error.code == .persistentStoreTimeout)
    #expect(try container.count() == 0)
    try context.save()
    #expect(try container.count() == 1)
  }

  /// The server's own isolation changes nothing, but for statements that are transactions themselves.
  @Test(arguments: ["serializable", #"repeatable\ read"#])
  func `stores of serialisable sessions lose no save`(isolation: String) async throws {
    let url = try place.url(settings: ["default_transaction_isolation=\(isolation)"])
    _ = try place.containerWithTally(url)
    try await increment(containers: 4, saves: 25, url)
    #expect(try place.container(url).count() == 100)
  }

  /// Raises the one counter from several containers at a time; who loses a conflict begins anew.
  private func increment(containers: Int, saves: Int, _ url: URL) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<containers {
        let container = try place.container(url)
        group.addTask {
          for number in 0..<saves {
            try await container.performBackgroundTask { context in
              try Self.raise(context, "\(worker) \(number)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func raise(_ context: ManagedObjectContext, _ room: String) throws {
    while true {
      try #require(try context.first(Tally.filter("name == 'one'"))).count += 1
      TallyShelf(context: context).room = room
      do throws(any Error) {
        try context.save()
        return
      } catch {
        guard let error = error as? PerennialError, PerennialError.conflict ~= error else {
          throw error
        }
        context.rollback()
      }
    }
  }

  @Test func `after a real deadlock the save is done once, whoever was undone`() throws {
    let container = try place.containerWithTally()
    // The rival holds the gate at which the store's update waits, and wants the row that the store holds then.
    let rival = try place.connect()
    try rival.execute(
      """
      CREATE TABLE gate (id int);
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN LOCK TABLE gate IN SHARE MODE; RETURN NULL; END $$;
      CREATE TRIGGER wait AFTER UPDATE ON ztally FOR EACH STATEMENT EXECUTE FUNCTION wait();
      BEGIN; LOCK TABLE gate IN ACCESS EXCLUSIVE MODE
      """
    )
    let isOver = DispatchSemaphore(value: 0)
    let failures = Mutex<[String]>([])
    let confined = Confined(rival, try place.connect())
    Thread.detachNewThread {
      let (rival, watcher) = (confined.first, confined.second)
      do throws(PostgresFailure) {
        try Self.awaitWaiters(for: rival, watcher)
        _ = try rival.run("SELECT 1 FROM ztally FOR UPDATE")
      } catch {
        if error.state != .deadlockDetected { failures.withLock { $0.append("\(error)") } }
      }
      rival.rollBack()
      isOver.signal()
    }
    let context = container.newBackgroundContext()
    try #require(try context.first(Tally.all)).count += 1
    try context.save()
    isOver.wait()
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(try container.count() == 1)
    #expect(try place.number("SELECT count(*) FROM perennial_log") == 2)
  }

  @Test func `of two containers that change one object, one wins and the other has the conflict`()
    async throws
  {
    let (one, two) = (try place.containerWithTally(), try place.container())
    for round in 1...20 {
      let barrier = Barrier(2)
      let outcomes = await withTaskGroup(of: Result<Int, any Error>.self) { group in
        for (number, container) in [one, two].enumerated() {
          group.addTask {
            do {
              try await container.performBackgroundTask { context in
                let tally = try #require(try context.first(Tally.all))
                tally.count = round * 10 + number
                barrier.wait()
                try context.save()
              }
              return .success(number)
            } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let winners = outcomes.compactMap { try? $0.get() }
      try #require(winners.count == 1, "\(outcomes)")
      for case .failure(let error) in outcomes {
        let error = try #require(error as? PerennialError)
        #expect(error.code == .managedObjectMerge)
        #expect(error.conflicts.count == 1)
      }
      #expect(try one.count() == round * 10 + winners[0])
    }
  }

  @Test func `one unique value of two containers becomes one object`() async throws {
    let containers = [try place.container(), try place.container()]
    for round in 0..<20 {
      let barrier = Barrier(2)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, container) in containers.enumerated() {
          group.addTask {
            try await container.performBackgroundTask { context in
              context.mergePolicy = .mergeByPropertyObjectTrump
              let tally = Tally(context: context)
              tally.name = "\(round)"
              if number == 0 { tally.count = 7 } else { tally.memo = "second" }
              TallyShelf(context: context).room = "\(round) \(number)"
              barrier.wait()
              try context.save()
            }
          }
        }
        try await group.waitForAll()
      }
      let context = containers[0].newBackgroundContext()
      let found = try context.fetch(Tally.filter("name == \("\(round)")"))
      #expect(found.count == 1)
      #expect(try context.count(for: TallyShelf.all) == 2 * (round + 1))
    }
  }

  @Test func `without a merge policy, the second of two unique values is told`() throws {
    let containers = [try place.container(), try place.container()]
    let contexts = containers.map { $0.newBackgroundContext() }
    for context in contexts { Tally(context: context).name = "same" }
    try contexts[0].save()
    let error = try storeError { try contexts[1].save() }
    #expect(error.code == .managedObjectConstraintMerge)
    #expect(try containers[0].newBackgroundContext().count(for: Tally.all) == 1)
  }

  @Test func `several processes may make one store at the same time`() async throws {
    try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<8 { group.addTask { [place] in try place.container().storeID } }
      let identifiers = try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
      #expect(identifiers.count == 1)
    }
    #expect(try place.number("SELECT count(*) FROM z_metadata") == 1)
    #expect(try place.number("SELECT count(*) FROM z_primarykey") == 3)
  }
}

/// Safe because a thread that is given them is the only one that uses them.
final class Confined: @unchecked Sendable {
  let first: PostgresConnection
  let second: PostgresConnection

  init(_ first: PostgresConnection, _ second: PostgresConnection) {
    self.first = first
    self.second = second
  }
}

/// A place where so many threads wait for each other.
final class Barrier: Sendable {
  private let rest: Mutex<Int>
  private let count: Int
  private let gate = DispatchSemaphore(value: 0)

  init(_ count: Int) {
    self.count = count
    rest = Mutex(count)
  }

  /// Waits until all have come.
  func wait() {
    let isLast = rest.withLock { rest in
      rest -= 1
      return rest == 0
    }
    if isLast { for _ in 1..<count { gate.signal() } } else { gate.wait() }
  }
}
#endif
