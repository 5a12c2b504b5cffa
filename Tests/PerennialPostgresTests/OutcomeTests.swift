// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialPostgres
import Synchronization
import Testing

@Suite("What is known after a connection was lost", .needsServer)
struct OutcomeTests {
  /// What became of the rows that somebody tried to insert.
  private final class Log: Sendable {
    struct Entries {
      var done: Set<Int64> = []
      var undone: Set<Int64> = []
      var unknown: Set<Int64> = []
      var running = 0
    }

    private let stored = Mutex(Entries())

    var entries: Entries { stored.withLock { $0 } }

    func note(_ id: Int64, _ failure: PostgresFailure?) {
      stored.withLock { entries in
        switch failure?.outcome {
        case nil: _ = entries.done.insert(id)
        case .unknown: _ = entries.unknown.insert(id)
        case .undone, .notSent: _ = entries.undone.insert(id)
        }
      }
    }

    func begin() { stored.withLock { $0.running += 1 } }

    func end() { stored.withLock { $0.running -= 1 } }
  }

  /// Connections are cut at any moment: what is said to be done is there, what is said to be undone is
  /// not, and what is unknown may be either.
  @Test func `whenever a connection is cut, the outcome is the truth`() throws {
    let watcher = try TestServer.connect()
    let table = TestServer.uniqueName("truth")
    try watcher.execute("CREATE TABLE \(table) (id int8 PRIMARY KEY)")
    defer { try? watcher.execute("DROP TABLE \(table)") }
    let pool = PostgresPool(
      try TestServer.location {
        $0.parameters["application_name"] = table
        $0.limits.connectionCount = 3
      }
    )
    let log = Log()
    for worker in 0..<4 {
      log.begin()
      Thread.detachNewThread {
        for number in 0..<250 { Self.insert(Int64(worker * 1000 + number), into: table, pool, log) }
        log.end()
      }
    }
    let kill = """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1
      ORDER BY random() LIMIT 1
      """
    var cutAt = 0
    while log.entries.running > 0 {
      // Not so often that nothing is ever done.
      guard log.entries.done.count >= cutAt + 10 else { continue }
      cutAt = log.entries.done.count
      _ = try watcher.run(kill, [.text(table)])
    }
    let result = try watcher.run("SELECT id FROM \(table)")
    let stored = Set((0..<result.count).map { result.integer($0, 0) })
    let entries = log.entries
    #expect(entries.done.count + entries.undone.count + entries.unknown.count == 1000)
    #expect(entries.done.isSubset(of: stored))
    #expect(entries.undone.isDisjoint(with: stored))
    #expect(entries.undone.count + entries.unknown.count > 0)
    #expect(pool.openedCount > 3)
  }

  /// One row, in each of the ways that there are.
  private static func insert(_ id: Int64, into table: String, _ pool: PostgresPool, _ log: Log) {
    let call = PostgresCall("INSERT INTO \(table) VALUES ($1)", [.integer(id)])
    do throws(PostgresFailure) {
      try pool.use { (connection) throws(PostgresFailure) in
        switch id % 4 {
        case 0: _ = try connection.run(call.statement, call.parameters)
        case 1: _ = try connection.run([call, PostgresCall("SELECT 1")])
        case 2:
          try connection.transaction { (connection) throws(PostgresFailure) in
            _ = try connection.run(call.statement, call.parameters)
            _ = try connection.run("SELECT 1")
          }
        default:
          try connection.transaction { (connection) throws(PostgresFailure) in
            _ = try connection.run([call], PostgresRunOptions(commits: true))
          }
        }
      }
      log.note(id, nil)
    } catch {
      log.note(id, error)
    }
  }
}
#endif
