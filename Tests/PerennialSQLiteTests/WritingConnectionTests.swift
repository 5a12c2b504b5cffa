// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("The write-ahead log is moved into the file after a save, not in it")
struct WritingConnectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func openWriter(gate: CheckpointGate = CheckpointGate(nil)) throws -> WritingConnection {
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .create,
      busyTimeout: .zero
    )
    _ = try connection.texts("PRAGMA journal_mode = WAL")
    try connection.execute("CREATE TABLE t (x BLOB)")
    let first = FirstConnection(ConfinedConnection(connection: connection))
    return WritingConnection(gate: gate) { () throws(SQLiteFailure) in
      guard let connection = first.take() else { throw SQLiteFailure(code: 1, message: "again") }
      return connection
    }
  }

  private func size(_ file: URL) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int ?? 0
  }

  /// Commits so many pages; gives the length of the log and the size of the file right after it.
  private func write(
    pages: Int,
    _ writer: WritingConnection
  ) throws -> (logPageCount: Int, fileSize: Int) {
    let count = pages - pages / 100
    let result = try writer.use { connection throws(SQLiteFailure) in
      try connection.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO t SELECT zeroblob(4000) FROM n
        """
      )
      return connection.logPageCount
    }
    return (try #require(result), size(folder.file()))
  }

  @Test func `a short log stays`() throws {
    let writer = try openWriter()
    let before = size(folder.file())
    let (logPageCount, fileSize) = try write(pages: WritingConnection.logPageLimit / 2, writer)
    #expect(logPageCount > 0 && fileSize == before)
    #expect(try writer.use { $0.logPageCount } == logPageCount)
  }

  @Test func `a long log is moved by itself once the save has returned`() throws {
    let writer = try openWriter()
    let pages = WritingConnection.logPageLimit * 2
    let inSave = try writer.use { connection throws(SQLiteFailure) in
      try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (zeroblob(\(pages * 4096)))")
      try connection.execute("COMMIT")
      return (connection.logPageCount, size(folder.file()))
    }
    let (logPageCount, fileSize) = try #require(inSave)
    #expect(logPageCount >= pages && fileSize < pages * 4096)
    let deadline = ContinuousClock.now + .seconds(600)
    while try writer.use({ $0.logPageCount }) != 0, ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.001)
    }
    #expect(size(folder.file()) >= pages * 4096)
  }

  @Test func `a log that grows faster than it is moved is moved by a save`() throws {
    let writer = try openWriter()
    let pages = WritingConnection.logPageLimit * 2
    var longest = 0
    for _ in 0..<30 { longest = max(longest, try write(pages: pages, writer).logPageCount) }
    #expect(longest <= WritingConnection.logPageHardLimit + 2 * pages)
  }

  /// The lock of writers, as another process has it.
  private func lockingConnection() throws -> SQLiteConnection {
    let other = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .zero
    )
    try other.execute("BEGIN IMMEDIATE")
    return other
  }

  @Test func `where SQLite may lose commits, the log is moved only while nobody else can commit`()
    throws
  {
    let path = folder.file().path
    let gate = CheckpointGate { () throws(SQLiteFailure) in
      ConfinedConnection(
        connection: try SQLiteConnection(path: path, access: .write, busyTimeout: .zero)
      )
    }
    let writer = try openWriter(gate: gate)
    _ = try write(pages: WritingConnection.logPageLimit / 2, writer)
    let before = size(folder.file())
    var closed = gate
    do {
      let other = try lockingConnection()
      closed.whileClosed { Issue.record("another connection could commit") }
      try other.execute("ROLLBACK")
    }
    var callCount = 0
    closed.whileClosed {
      callCount += 1
      let failure = #expect(throws: SQLiteFailure.self) { try lockingConnection() }
      #expect(failure?.primaryCode == SQLiteFailure.busy)
    }
    #expect(callCount == 1)
    // And it lets go.
    try lockingConnection().execute("ROLLBACK")
    closed = CheckpointGate(nil)
    #expect(size(folder.file()) == before)

    // A long log that cannot be moved now is moved after a later save.
    let pages = WritingConnection.logPageLimit * 2
    let deadline = ContinuousClock.now + .seconds(600)
    while size(folder.file()) < pages * 4096, ContinuousClock.now < deadline {
      _ = try write(pages: pages, writer)
    }
    #expect(size(folder.file()) >= pages * 4096)
    writer.close()
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func `closing waits for what is in the queue, and leaves no log`() throws {
    let writer = try openWriter()
    _ = try write(pages: WritingConnection.logPageLimit * 2, writer)
    writer.close()
    #expect(!FileManager.default.fileExists(atPath: folder.file().path + "-wal"))
    #expect(try writer.use { $0.logPageCount } == nil)
  }

  @Test(arguments: [SQLiteConnection.Access.create, .write, .read])
  func `no connection moves the log in a commit`(_ access: SQLiteConnection.Access) throws {
    _ = try openWriter()
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: access,
      busyTimeout: .zero
    )
    #expect(try connection.integers("PRAGMA wal_autocheckpoint") == [0])
  }
}
