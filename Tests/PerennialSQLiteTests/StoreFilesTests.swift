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

@Suite("The files of a SQLite store, read, copied and deleted as a whole")
struct StoreFilesTests {
  private let folder: TemporaryFolder
  private let files = SQLiteFiles(busyTimeout: .zero)

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func open(_ url: URL) throws -> SQLiteStore {
    try SQLiteStore(url: url, model: TestModels.blog())
  }

  /// A store with a value in its metadata, closed.
  @discardableResult
  private func make(_ name: String, noting value: String = "") throws -> UUID {
    let store = try open(folder.file(name))
    try store.setMetadata(.string(value), forKey: "note")
    return store.identifier
  }

  private func code(_ body: () throws -> Void) -> PerennialError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? PerennialError)?.code
    }
  }

  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }
  }

  private func addLargeValue(to store: String, named name: UUID) throws {
    let support = ".\((store as NSString).deletingPathExtension)_SUPPORT/_EXTERNAL_DATA"
    let place = folder.url.appending(path: support)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data([1]).write(to: place.appending(path: name.uuidString))
  }

  // MARK: Metadata

  @Test func `1I.3 metadata are read and written without opening the store`() throws {
    let url = folder.file()
    let identifier = try make("Store.sqlite", noting: "one")
    var metadata = try files.metadata(at: url)
    #expect(metadata.storeID == identifier && metadata.storeType == "SQLite")
    #expect(metadata.modelVersionHashes["Post"]?.count == 32)
    #expect(metadata.values == ["note": .string("one")])
    metadata["note"] = nil
    metadata["count"] = .integer(7)
    metadata["when"] = .date(Date(timeIntervalSinceReferenceDate: 5))
    try files.setMetadata(metadata, at: url)
    #expect(try files.metadata(at: url) == metadata)
    let store = try open(url)
    #expect(try store.storeMetadata() == metadata)
    metadata["NSStoreUUID"] = .string("x")
    #expect(code { try files.setMetadata(metadata, at: url) } == .unknownName)
    #expect(code { try store.setStoreMetadata(metadata) } == .unknownName)
  }

  @Test func `1I.3 metadata of another store are refused`() throws {
    try make("A.sqlite")
    try make("B.sqlite")
    let metadata = try files.metadata(at: folder.file("A.sqlite"))
    let failure = code { try files.setMetadata(metadata, at: folder.file("B.sqlite")) }
    #expect(failure == .persistentStoreSave)
  }

  @Test func `1I.3 reading metadata of what is no store makes nothing`() throws {
    #expect(code { _ = try files.metadata(at: folder.file()) } == .persistentStoreOpen)
    #expect(try names.isEmpty)
    try Data("hello, this is text".utf8).write(to: folder.file())
    #expect(code { _ = try files.metadata(at: folder.file()) } == .persistentStoreOpen)
    #expect(try names == ["Store.sqlite"])
  }

  // MARK: Destroying

  @Test func `1I.3 destroying takes every file of the store and no other`() throws {
    try make("Store.sqlite")
    try make("Store2.sqlite")
    try addLargeValue(to: "Store.sqlite", named: UUID())
    for end in ["-wal", "-shm", "-journal"] {
      let path = folder.file("Gone.sqlite\(end)")
      try Data([1]).write(to: path)
    }
    try files.destroy(at: folder.file())
    try files.destroy(at: folder.file("Gone.sqlite"))
    #expect(try names == ["Store2.sqlite"])
    try files.destroy(at: folder.file())
    _ = try open(folder.file())
  }

  @Test func `1I.3 a store that is open is not destroyed, nor replaced`() throws {
    let store = try open(folder.file())
    try store.setMetadata(.string("kept"), forKey: "note")
    try make("Other.sqlite")
    #expect(code { try files.destroy(at: folder.file()) } == .persistentStoreTimeout)
    #expect(
      code { try files.replace(at: folder.file(), from: folder.file("Other.sqlite")) }
        == .persistentStoreTimeout
    )
    #expect(try store.metadata(forKey: "note") == .string("kept"))
    try store.setMetadata(.string("more"), forKey: "note")
    #expect(try open(folder.file()).metadata(forKey: "note") == .string("more"))
  }

  /// Without a log, nobody can tell that an idle connection has the file open.
  @Test func `1I.3 a store without a log that is deleted while open refuses to save`() throws {
    var options = StoreOptions()
    options.pragmas = ["journal_mode": "DELETE"]
    let store = try SQLiteStore(url: folder.file(), model: TestModels.blog(), options: options)
    try store.setMetadata(.string("old"), forKey: "note")
    try files.destroy(at: folder.file())
    #expect(code { try store.setMetadata(.string("lost"), forKey: "note") } == .persistentStoreSave)
    try make("Store.sqlite", noting: "new")
    #expect(code { try store.setMetadata(.string("lost"), forKey: "note") } == .persistentStoreSave)
    #expect(try files.metadata(at: folder.file())["note"] == .string("new"))
  }

  @Test(arguments: ["text", "page", "foreign"])
  func `1I.3 what is no store is not destroyed`(_ kind: String) throws {
    if kind == "text" {
      try Data("hello, this is text".utf8).write(to: folder.file())
    } else if kind == "page" {
      try Data(repeating: 65, count: 10_000).write(to: folder.file())
    } else {
      let connection = try SQLiteConnection(
        path: folder.file().path,
        access: .create,
        busyTimeout: .zero
      )
      try connection.execute("CREATE TABLE theirs (x)")
    }
    let before = try Data(contentsOf: folder.file())
    #expect(code { try files.destroy(at: folder.file()) } == .persistentStoreOpen)
    #expect(try Data(contentsOf: folder.file()) == before)
  }

  @Test func `1I.3 a log beside a store that is gone does not come back in a new one`() throws {
    let url = folder.file()
    let log = URL(filePath: url.path + "-wal")
    let kept = folder.file("kept")
    do {
      let store = try open(url)
      try store.setMetadata(.string("old"), forKey: "note")
      try FileManager.default.copyItem(at: log, to: kept)
    }
    try FileManager.default.removeItem(at: url)
    try FileManager.default.copyItem(at: kept, to: log)
    let store = try open(url)
    #expect(try store.metadata(forKey: "note") == nil)
    #expect(try store.texts("PRAGMA integrity_check") == ["ok"])
  }

  // MARK: Copying

  @Test func `1I.3 a store is copied while it is used`() throws {
    let store = try open(folder.file())
    try store.setMetadata(.string("in the log"), forKey: "note")
    try addLargeValue(to: "Store.sqlite", named: UUID())
    let copy = folder.file("Copy.sqlite")
    try store.copy(to: copy)
    #expect(code { try store.copy(to: copy) } == .persistentStoreSave)
    try store.setMetadata(.string("later"), forKey: "note")
    let opened = try open(copy)
    #expect(opened.identifier == store.identifier)
    #expect(try opened.metadata(forKey: "note") == .string("in the log"))
    #expect(try opened.texts("PRAGMA integrity_check") == ["ok"])
    #expect(try names.contains(".Copy_SUPPORT"))
    #expect(try names.allSatisfy { !$0.contains("copy-") })
  }

  /// The folder of large values has the store's name without its extension.
  @Test func `1I.3 a copy leaves the large values of other stores`() throws {
    try make("Store.sqlite")
    try addLargeValue(to: "Store.sqlite", named: UUID())
    let (theirs, left) = (UUID(), UUID())
    try make("Copy.db")
    try addLargeValue(to: "Copy.db", named: theirs)
    try files.copy(from: folder.file(), to: folder.file("Copy.sqlite"))
    let folders = folder.url.appending(path: ".Copy_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders).contains("\(theirs)"))
    // Of a store whose file is elsewhere for a while.
    try addLargeValue(to: "Away.sqlite", named: left)
    try files.copy(from: folder.file(), to: folder.file("Away.sqlite"))
    try open(folder.file()).copy(to: folder.file("Away2.sqlite"))
    let away = folder.url.appending(path: ".Away_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: away).contains("\(left)"))
  }

  @Test func `1I.3 what is no file among the large values is not copied`() throws {
    try make("Store.sqlite")
    try addLargeValue(to: "Store.sqlite", named: UUID())
    let values = folder.url.appending(path: ".Store_SUPPORT/_EXTERNAL_DATA")
    try #require(mkfifo(values.appending(path: UUID().uuidString).path, 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      at: values.appending(path: UUID().uuidString),
      withDestinationURL: folder.file()
    )
    try files.copy(from: folder.file(), to: folder.file("Copy.sqlite"))
    let copied = folder.url.appending(path: ".Copy_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: copied).count == 1)
  }

  @Test func `1I.3 a copy that cannot be written leaves nothing`() throws {
    let store = try open(folder.file())
    let missing = folder.url.appending(path: "missing/Copy.sqlite")
    #expect(code { try store.copy(to: missing) } != nil)
    #expect(try names.allSatisfy { $0.hasPrefix("Store.sqlite") })
  }

  @Test func `1I.3 replacing puts a whole store in the place of another`() throws {
    let old = try make("Store.sqlite", noting: "old")
    let oldValue = UUID()
    try addLargeValue(to: "Store.sqlite", named: oldValue)
    let new = try make("New.sqlite", noting: "new")
    let newValue = UUID()
    try addLargeValue(to: "New.sqlite", named: newValue)
    try files.replace(at: folder.file(), from: folder.file("New.sqlite"))
    let metadata = try files.metadata(at: folder.file())
    #expect(metadata.storeID == new && metadata.storeID != old)
    #expect(metadata["note"] == .string("new"))
    let values = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.appending(path: ".Store_SUPPORT/_EXTERNAL_DATA").path
    )
    #expect(values == [newValue.uuidString])
    _ = try open(folder.file())
    try files.replace(at: folder.file("Third.sqlite"), from: folder.file())
    #expect(try files.metadata(at: folder.file("Third.sqlite")).storeID == new)
  }

  @Test func `1I.3 a store stays when the one that should replace it is none`() throws {
    try make("Store.sqlite", noting: "old")
    try Data("hello, this is text".utf8).write(to: folder.file("New.sqlite"))
    for name in ["New.sqlite", "Missing.sqlite", "Store.sqlite"] {
      #expect(code { try files.replace(at: folder.file(), from: folder.file(name)) } != nil)
    }
    #expect(try files.metadata(at: folder.file())["note"] == .string("old"))
  }
}
