// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialStore
import Synchronization
import Testing

@testable import PerennialPostgres

@Suite("Connections in a pool", .needsServer)
struct PoolTests {
  private static func pool(
    of count: Int,
    _ change: (inout PostgresLimits) -> Void = { _ in }
  ) throws -> PostgresPool {
    PostgresPool(
      try TestServer.location {
        $0.limits.connectionCount = count
        // Who gives up waiting is never seen to wait, which some tests here look for.
        $0.limits.poolTimeout = .seconds(600)
        change(&$0.limits)
      }
    )
  }

  private static func process(_ pool: PostgresPool) throws(PostgresFailure) -> Int {
    try pool.use { (connection) throws(PostgresFailure) in connection.processID }
  }

  @Test func `a connection is used again, the last one first`() throws {
    let pool = try Self.pool(of: 4)
    let outer = try pool.use { (first) throws(PostgresFailure) in
      let inner = try Self.process(pool)
      #expect(inner != first.processID)
      return first.processID
    }
    #expect(try Self.process(pool) == outer)
    #expect(pool.openedCount == 2)
    #expect(pool.idleCount == 2)
  }

  @Test func `a pool opens what is to be there from the beginning, and closes what idles too long`()
    throws
  {
    let pool = try Self.pool(of: 4) {
      $0.idleCount = 2
      $0.idleTime = .zero
    }
    try pool.open()
    #expect(pool.idleCount == 2)
    #expect(pool.openedCount == 2)
    try pool.use { (_) throws(PostgresFailure) in
      try pool.use { (_) throws(PostgresFailure) in
        try pool.use { (_) throws(PostgresFailure) in }
      }
    }
    #expect(pool.openedCount == 3)
    #expect(pool.idleCount == 2)
    #expect(pool.count == 2)
    try pool.open()
    #expect(pool.openedCount == 3)
  }

  @Test func `whoever waits too long for a connection is told that all are in use`() async throws {
    let pool = try Self.pool(of: 1) { $0.poolTimeout = .milliseconds(30) }
    let held = try Holding(pool)
    let failure = try failure { () throws(PostgresFailure) in try Self.process(pool) }
    #expect(failure.kind == .poolExhausted)
    #expect(failure.outcome == .notSent)
    let result = await Self.asynchronously(pool)
    #expect(throws: failure) { try result.get() }
    #expect(pool.waitingCount == 0)
    held.end()
    let error = PerennialError(failure, during: .reading, store: pool.location)
    #expect(error.code == .persistentStoreTimeout)
    #expect(error.message.contains("none of 1"))
    #expect(error.recovery.contains("'pool'"))
    #expect(try Self.process(pool) > 0)
  }

  private static func asynchronously(_ pool: PostgresPool) async -> Result<Int, PostgresFailure> {
    do throws(PostgresFailure) {
      return .success(
        try await pool.run { (connection, _) throws(PostgresFailure) in connection.processID }
      )
    } catch {
      return .failure(error)
    }
  }

  @Test func `those who wait are served in order, threads and tasks alike`() async throws {
    let pool = try Self.pool(of: 1)
    let held = try Holding(pool)
    let order = Order()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        if number.isMultiple(of: 2) {
          group.addTask {
            _ = try? await pool.run { (_, _) throws(PostgresFailure) in
              order.note(number)
            }
          }
        } else {
          let thread = Thread {
            try? pool.use { (_) throws(PostgresFailure) in order.note(number) }
          }
          thread.start()
        }
        while pool.waitingCount <= number { await Task.yield() }
      }
      held.end()
    }
    _ = try Self.process(pool)
    #expect(order.numbers == [0, 1, 2, 3, 4, 5])
    #expect(pool.openedCount == 1)
  }

  @Test func `many tasks share few connections`() async throws {
    let pool = try Self.pool(of: 3)
    let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await pool.run { (connection, _) throws(PostgresFailure) in
            try connection.run("SELECT $1", [.integer(Int64(number))]).integer(0, 0)
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 199 * 200 / 2)
    #expect(pool.openedCount <= 3)
    #expect(pool.counters.roundTrips == 200)
    #expect(pool.waitingCount == 0)
  }

  @Test func `a task that is cancelled while it waits stops waiting`() async throws {
    let pool = try Self.pool(of: 1)
    let held = try Holding(pool)
    let task = Task { await Self.asynchronously(pool) }
    while pool.waitingCount == 0 { await Task.yield() }
    task.cancel()
    let result = await task.value
    #expect(throws: PostgresFailure(.cancelled, "cancelled while waiting", outcome: .notSent)) {
      try result.get()
    }
    #expect(pool.waitingCount == 0)
    held.end()
    #expect(try Self.process(pool) > 0)
  }

  @Test func `a thread that is cancelled while it waits stops waiting`() throws {
    let pool = try Self.pool(of: 1)
    let held = try Holding(pool)
    let cancellation = FetchCancellation()
    let thread = Thread {
      while pool.waitingCount == 0 {}
      while !cancellation.isRunning {}
      cancellation.cancel()
    }
    thread.start()
    let failure = try failure { () throws(PostgresFailure) in
      try pool.use(cancellation) { (_) throws(PostgresFailure) in }
    }
    #expect(failure.kind == .cancelled)
    #expect(pool.waitingCount == 0)
    held.end()
  }

  @Test func `what a user leaves open is rolled back before the next one comes`() throws {
    let pool = try Self.pool(of: 1)
    try pool.use { (connection) throws(PostgresFailure) in
      try connection.execute("CREATE TEMP TABLE left_open (id int8)")
      try connection.execute("BEGIN; INSERT INTO left_open VALUES (1)")
    }
    try pool.use { (connection) throws(PostgresFailure) in
      #expect(!connection.isInTransaction)
      let count = try connection.run("SELECT count(*) FROM left_open").integer(0, 0)
      #expect(count == 0)
    }
    #expect(pool.openedCount == 1)
  }

  @Test func `a broken connection is thrown away, and whoever waits gets another`() async throws {
    let pool = try Self.pool(of: 1)
    let held = try Holding(pool)
    async let result = Self.asynchronously(pool)
    while pool.waitingCount == 0 { await Task.yield() }
    let killer = try TestServer.connect()
    try TestServer.terminate(held.process, by: killer)
    held.end()
    #expect(try await result.get() != held.process)
    #expect(pool.openedCount == 2)
    #expect(pool.count == 1)
  }

  @Test func `a connection that is too old is closed when it is given back`() throws {
    let pool = try Self.pool(of: 2) { $0.maximumAge = .zero }
    let first = try Self.process(pool)
    #expect(pool.count == 0)
    #expect(try Self.process(pool) != first)
    #expect(pool.openedCount == 2)
  }

  @Test
  func `a connection that is somebody else's is kept, and no other takes its place`() throws {
    let connection = try TestServer.connect { $0.limits.maximumAge = .zero }
    let pool = PostgresPool(holding: connection)
    for _ in 1...2 { #expect(try Self.process(pool) == connection.processID) }
    try TestServer.terminate(connection.processID, by: TestServer.connect())
    for _ in 1...2 {
      let failure = try failure { () throws(PostgresFailure) in try Self.process(pool) }
      #expect(failure.kind == .connectionLost)
      #expect(failure.outcome == .undone)
    }
    #expect(pool.openedCount == 0)
  }

  @Test func `a failure to connect gives the permit back`() throws {
    let location = try TestServer.location {
      $0.password = PostgresPassword("wrong")
      $0.limits.connectionCount = 1
    }
    let pool = PostgresPool(location)
    for _ in 1...3 {
      let failure = try failure { () throws(PostgresFailure) in try pool.open() }
      #expect(failure.state == .invalidPassword)
    }
    #expect(pool.count == 0)
  }

  @Test func `a closed pool tells everybody, and closes what comes back`() async throws {
    let pool = try Self.pool(of: 1)
    let held = try Holding(pool)
    async let waiting = Self.asynchronously(pool)
    while pool.waitingCount == 0 { await Task.yield() }
    pool.close()
    let result = await waiting
    #expect(throws: PostgresFailure(.poolClosed, "the pool is closed", outcome: .notSent)) {
      try result.get()
    }
    held.end()
    #expect(pool.count == 0)
    let failure = try failure { () throws(PostgresFailure) in try Self.process(pool) }
    #expect(failure.kind == .poolClosed)
  }

  @Test func `a server that crashes and comes back costs one error for each connection in use`()
    throws
  {
    let server = try OwnServer()
    var location = server.location
    location.limits.connectionCount = 4
    let pool = PostgresPool(location)
    try pool.use { (connection) throws(PostgresFailure) in
      try connection.execute("CREATE TABLE saved (id int8)")
    }
    // Two idle connections besides the one in use.
    try pool.use { (_) throws(PostgresFailure) in
      try pool.use { (_) throws(PostgresFailure) in
        try pool.use { (_) throws(PostgresFailure) in }
      }
    }
    let insert = "INSERT INTO saved VALUES ($1)"
    let lost = try failure { () throws(PostgresFailure) in
      try pool.use { (connection) throws(PostgresFailure) in
        try connection.transaction { (connection) throws(PostgresFailure) in
          _ = try connection.run(insert, [.integer(1)])
          Self.require { try server.crash() }
          _ = try connection.run(insert, [.integer(2)])
        }
      }
    }
    #expect(lost.kind == .connectionLost)
    #expect(lost.outcome == .undone)
    let refused = try failure { () throws(PostgresFailure) in try Self.process(pool) }
    #expect(refused.kind == .connecting)
    try server.restart()
    let counts = try pool.use { (connection) throws(PostgresFailure) in
      _ = try connection.run(insert, [.integer(3)])
      return try connection.run("SELECT count(*), min(id) FROM saved")
    }
    #expect(counts.integer(0, 0) == 1)
    #expect(counts.integer(0, 1) == 3)
    #expect(pool.openedCount == 4)
    pool.close()
  }

  private static func require(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error) }
  }

  /// Pins what things cost on a server that is far away.
  @Test func `a pool makes no round trips of its own`() throws {
    let pool = try Self.pool(of: 1)
    for number in 1...10 {
      try pool.use { (connection) throws(PostgresFailure) in
        _ = try connection.run("SELECT $1", [.integer(Int64(number))])
      }
    }
    #expect(
      pool.counters == PostgresCounters(roundTrips: 10, statements: 10, rows: 10, prepared: 1)
    )
  }
}

/// Who came after whom.
private final class Order: Sendable {
  private let stored = Mutex<[Int]>([])
  var numbers: [Int] { stored.withLock { $0 } }
  func note(_ number: Int) { stored.withLock { $0.append(number) } }
}

/// A connection that somebody has until ``end()``, on a thread of their own.
private final class Holding: Sendable {
  let process: Int
  private let isOver = DispatchSemaphore(value: 0)
  private let isGivenBack = DispatchSemaphore(value: 0)

  init(_ pool: PostgresPool) throws {
    let isThere = DispatchSemaphore(value: 0)
    let number = Number()
    let (isOver, isGivenBack) = (isOver, isGivenBack)
    Thread.detachNewThread {
      try? pool.use { (connection) throws(PostgresFailure) in
        number.set(connection.processID)
        isThere.signal()
        isOver.wait()
      }
      isGivenBack.signal()
    }
    isThere.wait()
    process = number.value
  }

  /// What one thread leaves for another.
  private final class Number: Sendable {
    private let stored = Mutex(0)
    var value: Int { stored.withLock { $0 } }
    func set(_ value: Int) { stored.withLock { $0 = value } }
  }

  /// Gives the connection back, and waits until it is.
  func end() {
    isOver.signal()
    isGivenBack.wait()
  }
}
#endif
