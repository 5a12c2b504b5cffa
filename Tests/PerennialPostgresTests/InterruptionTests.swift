// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialPostgres
import PerennialStore
import Synchronization
import Testing

@Suite("Cancelling, conflicts and lost connections", .needsServer)
struct InterruptionTests {
  private let watcher: PostgresConnection

  init() throws { watcher = try TestServer.connect() }

  /// Something that happens on another thread while a statement runs here.
  ///
  /// Safe because the connection is handed over to the thread and used by nobody else until it ends.
  private func meanwhile(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Void
  ) throws -> Thread {
    let location = try TestServer.location()
    let thread = Thread {
      do { try body(PostgresConnection.open(location)) } catch { Issue.record(error) }
    }
    thread.start()
    return thread
  }

  @Test func `a statement that takes too long is cancelled, and the connection goes on`() throws {
    let connection = try TestServer.connect()
    let options = PostgresRunOptions(timeout: .milliseconds(50))
    let failure = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT pg_sleep(600)", [], options)
    }
    #expect(failure.kind == .timeout)
    #expect(failure.outcome == .undone)
    #expect(!connection.isBroken)
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
    let error = PerennialError(failure, during: .reading, store: connection.location)
    #expect(error.code == .persistentStoreTimeout)
    #expect(error.recovery.contains("'timeout'"))
  }

  @Test func `the location's time-out holds for every statement`() throws {
    let connection = try TestServer.connect { $0.limits.statementTimeout = .seconds(1) }
    let calls = [PostgresCall("SELECT 1"), PostgresCall("SELECT pg_sleep(600)")]
    let first = try failure { () throws(PostgresFailure) in try connection.run(calls) }
    #expect(first.kind == .timeout)
    #expect(first.call == 1)
    let second = try failure { () throws(PostgresFailure) in
      try connection.execute("SELECT pg_sleep(600)")
    }
    #expect(second.kind == .timeout)
    #expect(!connection.isBroken)
  }

  @Test func `a statement is cancelled from another thread`() throws {
    let connection = try TestServer.connect()
    let process = connection.processID
    let cancellation = FetchCancellation()
    let thread = try meanwhile { watcher in
      try TestServer.awaitStatement(of: process, on: watcher)
      cancellation.cancel()
    }
    let options = PostgresRunOptions(cancellation: cancellation)
    let error = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT pg_sleep(600)", [], options)
    }
    withExtendedLifetime(thread) {}
    #expect(error.kind == .cancelled)
    #expect(
      PerennialError(error, during: .reading, store: connection.location).code == .fetchCancelled
    )
    #expect(!cancellation.isRunning)
    // Once cancelled, it does not even begin; others are not cancelled.
    let again = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT 1", [], options)
    }
    #expect(again.kind == .cancelled)
    #expect(again.outcome == .notSent)
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test func `what the server cancels by itself is no cancellation of ours`() throws {
    let connection = try TestServer.connect()
    try connection.execute("SET statement_timeout = 20")
    let failure = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT pg_sleep(600)")
    }
    #expect(failure.kind == .server)
    #expect(failure.state == .queryCancelled)
    let error = PerennialError(failure, during: .reading, store: connection.location)
    #expect(error.code == .persistentStoreTimeout)
    #expect(error.recovery.contains("statement_timeout"))
  }

  @Test func `a task that is cancelled ends its statement and gives the connection back`()
    async throws
  {
    let pool = PostgresPool(try TestServer.location { $0.limits.connectionCount = 1 })
    let process = try pool.use { (connection) throws(PostgresFailure) in connection.processID }
    let task = Task {
      try await pool.run { (connection, cancellation) throws(PostgresFailure) in
        let options = PostgresRunOptions(cancellation: cancellation)
        return try connection.run("SELECT pg_sleep(600)", [], options).count
      }
    }
    try TestServer.awaitStatement(of: process, on: watcher)
    task.cancel()
    let result = await task.result
    let error = #expect(throws: PostgresFailure.self) { try result.get() }
    #expect(error?.kind == .cancelled)
    #expect(
      try pool.use { (connection) throws(PostgresFailure) in connection.processID } == process
    )
  }

  @Test func `one of two serialisable transactions that need each other's rows has to begin anew`()
    throws
  {
    let table = TestServer.uniqueName("ward")
    try watcher.execute(
      "CREATE TABLE \(table) AS SELECT x AS id, true AS onduty FROM generate_series(1, 2) x"
    )
    defer { try? watcher.execute("DROP TABLE \(table)") }
    let first = try TestServer.connect()
    let second = try TestServer.connect()
    let look = "SELECT count(*) FROM \(table) WHERE onduty"
    let error = try failure { () throws(PostgresFailure) in
      try first.transaction(.serializable) { (first) throws(PostgresFailure) in
        _ = try first.run(look)
        try second.transaction(.serializable) { (second) throws(PostgresFailure) in
          _ = try second.run(look)
          _ = try second.run("UPDATE \(table) SET onduty = false WHERE id = 2")
        }
        _ = try first.run("UPDATE \(table) SET onduty = false WHERE id = 1")
      }
    }
    #expect(error.state == .serializationFailure)
    #expect(error.isRetryable)
    #expect(error.outcome == .undone)
    #expect(try watcher.run(look).integer(0, 0) == 1)
    let told = PerennialError(error, during: .saving, store: first.location)
    #expect(told.code == .persistentStoreTimeout)
  }

  @Test func `one of two transactions that wait for each other is told, and may begin anew`() throws
  {
    let table = TestServer.uniqueName("dead")
    try watcher.execute("CREATE TABLE \(table) AS SELECT x AS id FROM generate_series(1, 2) x")
    defer { try? watcher.execute("DROP TABLE \(table)") }
    let (lock, connection) = (
      "SELECT 1 FROM \(table) WHERE id = $1 FOR UPDATE", try TestServer.connect()
    )
    let process = connection.processID
    let other = Outcome()
    let isLocked = DispatchSemaphore(value: 0)
    let thread = try meanwhile { rival in
      do throws(PostgresFailure) {
        try rival.transaction { (rival) throws(PostgresFailure) in
          _ = try rival.run(lock, [.integer(2)])
          isLocked.signal()
          try Self.awaitLock(of: process)
          _ = try rival.run(lock, [.integer(1)])
        }
        other.set(nil)
      } catch {
        other.set(error)
      }
    }
    var ours: PostgresFailure?
    do throws(PostgresFailure) {
      try connection.transaction { (connection) throws(PostgresFailure) in
        _ = try connection.run(lock, [.integer(1)])
        isLocked.wait()
        _ = try connection.run(lock, [.integer(2)])
      }
    } catch {
      ours = error
    }
    withExtendedLifetime(thread) {}
    let loser = try #require([ours, other.wait()].compactMap { $0 }.first)
    #expect(loser.state == .deadlockDetected)
    #expect(loser.isRetryable)
  }

  private static func awaitLock(of process: Int) throws(PostgresFailure) {
    do {
      try TestServer.awaitStatement(of: process, on: TestServer.connect())
    } catch let failure as PostgresFailure {
      throw failure
    } catch {
      throw PostgresFailure(.connecting, "\(error)")
    }
  }

  @Test func `a connection that the server ends while idle is noticed before it is used`() throws {
    let pool = PostgresPool(try TestServer.location())
    let process = try pool.use { (connection) throws(PostgresFailure) in connection.processID }
    try TestServer.terminate(process, by: watcher)
    #expect(
      try pool.use { (connection) throws(PostgresFailure) in connection.processID } != process
    )
    #expect(pool.openedCount == 2)
    #expect(pool.count == 1)
  }

  @Test func `a transaction that is cut before its commit is undone, and the failure says so`()
    throws
  {
    let table = TestServer.uniqueName("cut")
    try watcher.execute("CREATE TABLE \(table) (id int8)")
    defer { try? watcher.execute("DROP TABLE \(table)") }
    let connection = try TestServer.connect()
    let killer = watcher
    let failure = try failure { () throws(PostgresFailure) in
      try connection.transaction { (connection) throws(PostgresFailure) in
        _ = try connection.run("INSERT INTO \(table) VALUES (1)")
        _ = try killer.run(
          "SELECT pg_terminate_backend($1::int, 60000)",
          [.integer(Int64(connection.processID))]
        )
        _ = try connection.run("INSERT INTO \(table) VALUES (2)")
      }
    }
    #expect(failure.kind == .connectionLost)
    #expect(failure.outcome == .undone)
    #expect(connection.isBroken)
    #expect(try watcher.run("SELECT count(*) FROM \(table)").integer(0, 0) == 0)
    let error = PerennialError(failure, during: .saving, store: connection.location)
    #expect(error.code == .connectionLost)
    let later = try lateFailure(on: connection)
    #expect(later.outcome == .notSent)
  }

  private func lateFailure(on connection: PostgresConnection) throws -> PostgresFailure {
    try failure { () throws(PostgresFailure) in try connection.run("SELECT 1") }
  }

  @Test func `a connection that is cut within the commit leaves it open whether it was done`()
    throws
  {
    let table = TestServer.uniqueName("doubt")
    // A commit that waits: a deferred trigger wants a lock that the watcher has.
    try watcher.execute(
      """
      CREATE TABLE \(table) (id int8);
      CREATE TABLE \(table)_gate (id int8);
      CREATE FUNCTION \(table)_wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN LOCK TABLE \(table)_gate; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION \(table)_wait();
      """
    )
    defer {
      try? watcher.execute("DROP TABLE \(table), \(table)_gate; DROP FUNCTION \(table)_wait")
    }
    for alone in [true, false] {
      let connection = try TestServer.connect()
      let process = connection.processID
      try watcher.execute("BEGIN; LOCK TABLE \(table)_gate")
      let thread = try meanwhile { killer in
        try TestServer.awaitStatement(of: process, on: killer)
        try TestServer.terminate(process, by: killer)
      }
      let insert = PostgresCall("INSERT INTO \(table) VALUES (1)")
      let error = try failure { () throws(PostgresFailure) in
        // Without a transaction, a statement is its own commit.
        if alone {
          _ = try connection.run([insert])
        } else {
          try connection.transaction { (connection) throws(PostgresFailure) in
            _ = try connection.run([insert])
          }
        }
      }
      withExtendedLifetime(thread) {}
      watcher.rollBack()
      #expect(error.kind == .connectionLost)
      #expect(error.state == .adminShutdown, "\(error)")
      #expect(error.outcome == .unknown)
      #expect(!error.isRetryable)
      let told = PerennialError(error, during: .saving, store: connection.location)
      #expect(told.code == .saveOutcomeUnknown)
      #expect(try watcher.run("SELECT count(*) FROM \(table)").integer(0, 0) == 0)
    }
  }

  @Test func `a network that is cut is given up in time, and leaves a save in doubt`() throws {
    let serverPort = try #require(try TestServer.location().hosts.first?.port)
    let proxy = try TestProxy(to: serverPort)
    let location = try TestServer.location {
      $0.hosts = [PostgresLocation.Host(name: "127.0.0.1", port: proxy.port)]
      $0.limits.statementTimeout = .seconds(1)
      $0.limits.cancelTimeout = .milliseconds(50)
    }
    let pool = PostgresPool(location)
    let error = try failure { () throws(PostgresFailure) in
      try pool.use { (connection) throws(PostgresFailure) in
        try connection.transaction { (connection) throws(PostgresFailure) in
          let one = try connection.run("SELECT 1").integer(0, 0)
          #expect(one == 1)
          proxy.cut()
        }
      }
    }
    #expect(error.kind == .timeout)
    #expect(error.outcome == .unknown)
    #expect(pool.count == 0)
    let told = PerennialError(error, during: .saving, store: location)
    #expect(told.code == .saveOutcomeUnknown)
  }

  @Test func `reading is never in doubt`() throws {
    let connection = try TestServer.connect()
    let process = connection.processID
    let thread = try meanwhile { killer in
      try TestServer.awaitStatement(of: process, on: killer)
      try TestServer.terminate(process, by: killer)
    }
    let error = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT pg_sleep(600)", [], PostgresRunOptions(isReading: true))
    }
    withExtendedLifetime(thread) {}
    #expect(error.kind == .connectionLost)
    #expect(error.outcome == .undone)
  }

  @Test func `a COPY that is cut leaves no rows`() throws {
    let table = TestServer.uniqueName("copy")
    try watcher.execute("CREATE TABLE \(table) (id int8)")
    defer { try? watcher.execute("DROP TABLE \(table)") }
    let connection = try TestServer.connect()
    let killer = watcher
    let error = try failure { () throws(PostgresFailure) in
      try connection.copy("COPY \(table) FROM STDIN (FORMAT binary)", columnCount: 1) {
        (rows) throws(PostgresFailure) in
        for id in 0..<1_000_000 {
          try rows.beginRow()
          rows.fields.append(Int64(id))
          if id == 50_000 {
            _ = try killer.run(
              "SELECT pg_terminate_backend($1::int, 60000)",
              [.integer(Int64(connection.processID))]
            )
          }
        }
      }
    }
    #expect(error.kind == .connectionLost)
    #expect(error.outcome == .undone)
    #expect(connection.isBroken)
    #expect(try watcher.run("SELECT count(*) FROM \(table)").integer(0, 0) == 0)
  }
}

/// What became of another thread's work.
private final class Outcome: Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private let failure = Mutex<PostgresFailure?>(nil)

  func set(_ failure: PostgresFailure?) {
    self.failure.withLock { $0 = failure }
    isThere.signal()
  }

  func wait() -> PostgresFailure? {
    isThere.wait()
    return failure.withLock { $0 }
  }
}
#endif
