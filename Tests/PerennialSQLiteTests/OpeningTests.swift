// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

@Suite("Opening")
struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ url: URL,
    _ model: ModelLayout? = nil,
    readOnly isReadOnly: Bool = false
  ) throws -> SQLiteStore {
    try SQLiteStore(
      url: url,
      model: model ?? TestModels.blog(),
      isReadOnly: isReadOnly,
      busyTimeout: .milliseconds(50)
    )
  }

  private func files() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path))
  }

  @Test func `a new store has the settings and the tables of Core Data`() throws {
    let store = try open(folder.file())
    #expect(try store.integers("PRAGMA page_size") == [4096])
    #expect(try store.integers("PRAGMA auto_vacuum") == [2])
    #expect(try store.texts("PRAGMA journal_mode") == ["wal"])
    #expect(
      try store.texts("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT") == ["Author", "Post"]
    )
    #expect(try store.texts("SELECT Z_UUID FROM Z_METADATA") == [store.identifier.uuidString])
  }

  @Test func `closing leaves one file`() throws {
    do {
      let store = try open(folder.file())
      try store.save(store.model.insertion([("Post", [Row(1)])]))
      #expect(try store.rows("Post").count == 1)
    }
    #expect(try files() == ["Store.sqlite"])
  }

  @Test func `what was saved is there after a reopening`() throws {
    try open(folder.file()).save(TestModels.blog().insertion([("Post", [Row(1, ["slug": "a"])])]))
    let store = try open(folder.file())
    #expect(try store.value(store.row("Post", 1), "slug") == .string("a"))
  }

  @Test func `a store of another model is left as it is`() throws {
    let url = try folder.copy(ofFixture: "Cars")
    let before = try Data(contentsOf: url)
    do {
      _ = try open(url, FixtureModels.cars(adding: "colour"))
      Issue.record("it opened")
    } catch let error as PerennialError {
      #expect(error.code == .incompatibleVersionHash)
      #expect(error.message.contains("'Car', 'LuxuryCar', 'SportCar'"))
    }
    #expect(try Data(contentsOf: url) == before)
    #expect(try files() == ["Cars.sqlite"])
  }

  @Test func `a store of another model keeps its write-ahead log`() throws {
    let url = try folder.copy(ofFixture: "Bookmarks")
    let log = folder.file("Bookmarks.sqlite-wal")
    let before = try [Data(contentsOf: url), Data(contentsOf: log)]
    #expect(code { _ = try open(url) } == .incompatibleVersionHash)
    #expect(try [Data(contentsOf: url), Data(contentsOf: log)] == before)
  }

  @Test(arguments: ["", "text", "SQLite format 3", String(repeating: "no database ", count: 500)])
  func `a file that is no database is left as it is`(content: String) throws {
    let url = folder.file()
    try Data(content.utf8).write(to: url)
    if content.isEmpty {
      #expect(code { _ = try open(url) } == nil)
      return
    }
    #expect(code { _ = try open(url) } == .persistentStoreOpen)
    #expect(try Data(contentsOf: url) == Data(content.utf8))
    #expect(try files() == ["Store.sqlite"])
  }

  @Test func `a damaged header is an error`() throws {
    let url = folder.file()
    try (Data("SQLite format 3\0".utf8) + Data(repeating: 9, count: 5_000)).write(to: url)
    #expect(code { _ = try open(url) } == .persistentStoreOpen)
  }

  @Test func `a database of another program is left as it is`() throws {
    let url = folder.file()
    do {
      let other = try SQLiteConnection(path: url.path, access: .create, busyTimeout: .zero)
      try other.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    }
    let before = try Data(contentsOf: url)
    #expect(code { _ = try open(url) } == .persistentStoreOpen)
    #expect(try Data(contentsOf: url) == before)
    #expect(try files() == ["Store.sqlite"])
  }

  @Test func `a fetch index that the model has gained is made`() throws {
    func model(_ indexes: [[String]]) throws -> ModelLayout {
      try ManagedObjectModel(
        EntityDescription(
          "Note",
          indexes: indexes,
          properties: [.attribute("text", .string), .attribute("day", .date)]
        )
      ).layout
    }
    _ = try open(folder.file(), model([["text"]]))
    let store = try open(folder.file(), model([["text"], ["day", "text"]]))
    #expect(
      try store.texts("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name")
        == ["Z_Note_day_text", "Z_Note_text"]
    )
  }

  @Test func `a store whose table is missing is an error that names it`() throws {
    let url = folder.file()
    _ = try open(url)
    do {
      let other = try SQLiteConnection(path: url.path, access: .write, busyTimeout: .zero)
      try other.execute("DROP TABLE ZPOST")
    }
    do {
      _ = try open(url)
      Issue.record("it opened")
    } catch let error as PerennialError {
      #expect(error.message.contains("'ZPOST'"))
    }
  }

  @Test func `a folder, a missing folder and a wrong URL are errors`() throws {
    #expect(code { _ = try open(folder.url) } == .persistentStoreOpen)
    #expect(code { _ = try open(folder.file("none/Store.sqlite")) } == .persistentStoreOpen)
    let web = try #require(URL(string: "https://example.org/Store.sqlite"))
    #expect(code { _ = try open(web) } == .persistentStoreOpen)
    #expect(try files() == [])
  }

  @Test func `a pipe is an error and does not block`() throws {
    #expect(mkfifo(folder.file().path, 0o600) == 0)
    #expect(code { _ = try open(folder.file()) } == .persistentStoreOpen)
  }

  @Test func `a symbolic link is followed, one that leads nowhere is an error`() throws {
    let target = folder.file("Target.sqlite")
    let link = folder.file("Link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    #expect(code { _ = try open(link) } == .persistentStoreOpen)
    #expect(try files() == ["Link.sqlite"])
    let identifier = try open(target).identifier
    #expect(try open(link).identifier == identifier)
  }

  @Test func `the log of a store is seen through a symbolic link to the store`() throws {
    let target = folder.file("Target.sqlite")
    let link = folder.file("Link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    let store = try open(target)
    try store.save(store.model.insertion([("Post", [Row(1)])]))
    let metadata = try SQLiteFiles(busyTimeout: .zero).metadata(at: link)
    #expect(metadata.storeID == store.identifier)
    let reader = try open(link, readOnly: true)
    #expect(try reader.rows("Post").count == 1)
    let version = try reader.foreignDataVersion()
    try store.save(store.model.insertion([("Post", [Row(2)])]))
    #expect(try reader.foreignDataVersion() != version)
    let watched = try #require(reader.watchedPath)
    #expect(FileManager.default.fileExists(atPath: watched))
  }

  @Test func `any file name will do, also for a file that does not change`() throws {
    let url = folder.file("a b%20?#ä'.sqlite")
    do {
      let store = try open(url)
      try store.save(store.model.insertion([("Post", [Row(1)])]))
    }
    #expect(try open(url).rows("Post").count == 1)
    let connection = try SQLiteConnection(
      path: url.path(percentEncoded: false),
      access: .immutable,
      busyTimeout: .zero
    )
    #expect(try connection.integers("SELECT COUNT(*) FROM ZPOST") == [1])
  }

  @Test func `a connection is hardened`() throws {
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .create,
      busyTimeout: .zero
    )
    #expect(throws: SQLiteFailure.self) { try connection.execute("SELECT \"text\"") }
    #expect(throws: SQLiteFailure.self) {
      try connection.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_master")
    }
    #expect(throws: SQLiteFailure.self) { try connection.execute("SELECT load_extension('x')") }
  }

  @Test func `a missing store cannot be opened for reading only`() throws {
    #expect(code { _ = try open(folder.file(), readOnly: true) } == .persistentStoreOpen)
    #expect(try files() == [])
  }

  @Test func `a store that is only read reads and does not save`() throws {
    try open(folder.file()).save(TestModels.blog().insertion([("Post", [Row(1)])]))
    let store = try open(folder.file(), readOnly: true)
    #expect(try store.rows("Post").count == 1)
    #expect(
      code { try store.save(store.model.insertion([("Post", [Row(2)])])) } == .persistentStoreSave
    )
    #expect(code { _ = try store.reserveKeys(root: 1, count: 1) } == .persistentStoreSave)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read and write everything"))
  func `rights that are missing are errors`() throws {
    let url = folder.file()
    _ = try open(url)
    chmod(url.path, 0o444)
    #expect(code { _ = try open(url) } == .persistentStoreOpen)
    #expect(code { _ = try open(url, readOnly: true) } == nil)
    chmod(url.path, 0)
    #expect(code { _ = try open(url) } == .persistentStoreOpen)
    chmod(url.path, 0o644)
    chmod(folder.url.path, 0o555)
    #expect(code { _ = try open(folder.file("New.sqlite")) } == .persistentStoreOpen)
    #expect(code { _ = try open(url, readOnly: true) } == nil)
    chmod(folder.url.path, 0o755)
  }

  @Test func `a lock that is held too long is a timeout`() throws {
    let store = try open(folder.file())
    let other = try SQLiteConnection(path: folder.file().path, access: .write, busyTimeout: .zero)
    try other.execute("BEGIN IMMEDIATE")
    let changes = store.model.insertion([("Post", [Row(1)])])
    #expect(code { try store.save(changes) } == .persistentStoreTimeout)
    #expect(code { _ = try store.reserveKeys(root: 1, count: 1) } == .persistentStoreTimeout)
    #expect(try store.rows("Post").isEmpty)
    try other.execute("ROLLBACK")
    try store.save(changes)
    #expect(try store.rows("Post").count == 1)
  }

  @Test func `a new store is made as soon as another connection lets go of the file`() async throws
  {
    let url = folder.file()
    let other = try SQLiteConnection(path: url.path, access: .create, busyTimeout: .zero)
    try other.execute("BEGIN IMMEDIATE")
    #expect(
      code {
        _ = try SQLiteStore(url: url, model: TestModels.blog(), busyTimeout: .milliseconds(20))
      } == .persistentStoreTimeout
    )
    // A busy machine may let this test sleep for long.
    let opening = Task.detached {
      try SQLiteStore(url: url, model: TestModels.blog(), busyTimeout: .seconds(120)).identifier
    }
    try await Task.sleep(for: .milliseconds(50))
    try other.execute("ROLLBACK")
    #expect(try await opening.value == (try open(url)).identifier)
  }

  @Test func `a full disk is an error, and the same save works later`() throws {
    let store = try open(folder.file())
    func limit(_ pages: Int) throws {
      try store.write { connection throws(SQLiteFailure) in
        _ = try connection.integers("PRAGMA max_page_count = \(pages)")
      }
    }
    let changes = store.model.insertion([
      ("Post", (1...2_000).map { Row($0, ["slug": .value(.string("slug number \($0)"))]) })
    ])
    try limit(20)
    #expect(code { try store.save(changes) } == .persistentStoreSave)
    #expect(try store.rows("Post").isEmpty)
    try limit(100_000)
    try store.save(changes)
    #expect(try store.count(StoreQuery(entity: store.model.index("Post"))) == 2_000)
  }

  @Test(
    arguments: [
      (5, PerennialError.Code.persistentStoreTimeout), (13, .persistentStoreSave),
      (1034, .sqlite), (11, .sqlite), (8, .persistentStoreSave), (26, .persistentStoreOpen),
      (14, .persistentStoreOpen),
    ]
  )
  func `every failure of SQLite has a code, a message and a cure`(
    code: Int,
    expected: PerennialError.Code
  ) {
    let failure = SQLiteFailure(code: Int32(code), message: "message")
    let error = PerennialError(failure, during: .saving, store: "Store.sqlite")
    #expect(error.code == expected)
    #expect(error.message.contains("'Store.sqlite'"))
    #expect(!error.recovery.isEmpty)
    #expect(error.underlying as? SQLiteFailure == failure)
  }

  @Test(arguments: [(EMFILE, "open"), (ENAMETOOLONG, "name"), (EFBIG, "larger"), (EDQUOT, "quota")])
  func `what the system has no more of is told with its cure`(_ number: Int32, _ cure: String) {
    for (code, activity) in [(Int32(14), StoreActivity.opening), (1034, .saving)] {
      let failure = SQLiteFailure(code: code, message: "message", systemCode: number)
      let error = PerennialError(failure, during: activity, store: "Store.sqlite")
      #expect(error.code == (activity == .opening ? .persistentStoreOpen : .sqlite))
      #expect(error.message.contains(String(cString: strerror(number))))
      #expect(error.recovery.contains(cure))
    }
  }

  @Test func `a name that leaves no room for the log's is told`() throws {
    let name = String(repeating: "n", count: 254)
    let error = try #require(throws: PerennialError.self) { try open(folder.file(name)) }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("a shorter name"), "\(error)")
  }

  @Test func `no file stays open once a store is gone`() throws {
    guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return }
    func open(below path: String) -> Int {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return names.filter {
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\($0)"
        )
        return target?.hasPrefix(path) ?? false
      }.count
    }
    let path = folder.url.path
    for _ in 0..<3 {
      let store = try self.open(folder.file())
      #expect(try store.rows("Post").isEmpty)
      #expect(open(below: path) > 0)
    }
    #expect(
      code { _ = try self.open(folder.file(), TestModels.links()) } == .incompatibleVersionHash
    )
    #expect(open(below: path) == 0)
  }
}
