// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

@Suite("Opening a JSON file")
struct OpeningTests {
  private let folder: TemporaryFolder
  private let model: ModelLayout

  init() throws {
    folder = try TemporaryFolder()
    model = try TestModels.people()
  }

  private func open(_ url: URL? = nil, readOnly isReadOnly: Bool = false) throws -> JSONStore {
    try JSONStore(url: url ?? folder.file(), model: model, isReadOnly: isReadOnly)
  }

  private func failure(_ url: URL, readOnly isReadOnly: Bool = false) -> PerennialError? {
    thrown { _ = try open(url, readOnly: isReadOnly) }
  }

  @Test func `a new store is a file and a lock, and opens again as itself`() throws {
    let identifier = try open().identifier
    #expect(try folder.names == ["Store.json", "Store.json.lock"])
    #expect(try open().identifier == identifier)
  }

  @Test func `a store that is only read leaves no trace, and refuses to be written`() throws {
    try open().save(model.insertion([("Person", [Row(1, ["name": "a"])])]))
    try FileManager.default.removeItem(at: folder.file("Store.json.lock"))
    let store = try open(readOnly: true)
    #expect(try store.rows("Person").count == 1)
    #expect(try folder.names == ["Store.json"])
    let refusals = [
      thrown { try store.save(model.insertion([("Person", [Row(2)])])) },
      thrown { _ = try store.reserveKeys(root: model.index("Person"), count: 1) },
      thrown { try store.setMetadata(["a": .integer(1)]) },
    ]
    for error in refusals {
      #expect(error?.code == .persistentStoreSave)
      #expect(error?.recovery == "open it without 'isReadOnly'")
    }
    #expect(try folder.names == ["Store.json"])
  }

  @Test func `what is no place for a store is named`() throws {
    let missing = folder.url.appending(path: "no/Store.json")
    #expect(failure(missing)?.message == "The folder of the store 'Store.json' does not exist.")
    #expect(failure(folder.url)?.message.hasSuffix("is a folder.") == true)
    #expect(failure(folder.file(), readOnly: true)?.message.hasSuffix("does not exist.") == true)
    let web = try #require(URL(string: "https://example.com/a.json"))
    #expect(failure(web)?.message.contains("not that of a file") == true)
    #expect(failure(URL(filePath: "/dev/null"))?.message.contains("not an ordinary file") == true)
    #expect(try folder.names.isEmpty)
  }

  @Test func `an empty file is not taken for a new store`() throws {
    try Data().write(to: folder.file())
    let error = try #require(failure(folder.file()))
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery == "restore it from a copy, or remove it to begin a new store")
    #expect(try Data(contentsOf: folder.file()).isEmpty)
  }

  @Test func `what may not be written is refused, and is read, whoever runs the test`() throws {
    let file = StoreFile(path: "/store.json")
    let files = ModelFiles()
    func failure(readOnly isReadOnly: Bool = false) -> PerennialError? {
      thrown { _ = try JSONStore(file, model: model, isReadOnly: isReadOnly, files: files) }
    }
    files.forbid(.folder)
    #expect(failure()?.message == "The folder of the store 'store.json' cannot be written.")
    #expect(files.names.isEmpty)
    files.forbid(nil)
    let store = try JSONStore(file, model: model, files: files)
    let text = files.bytes("/store.json")
    files.forbid(.file)
    #expect(failure()?.message == "The store 'store.json' cannot be written.")
    files.forbid(.folder)
    #expect(failure()?.message.contains("The folder of the store") == true)
    #expect(failure(readOnly: true) == nil)
    // A folder that is closed to a store that is open.
    let change = model.insertion([("Person", [Row(1, ["name": "a"])])])
    let error = thrown { try store.save(change) }
    #expect(error?.code == .persistentStoreSave)
    #expect(error?.recovery.contains("allow writing") == true)
    #expect(files.bytes("/store.json") == text && files.names == ["/store.json"])
    files.forbid(nil)
    try store.save(change)
    #expect(try store.rows("Person").count == 1)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/sys/kernel")))
  func `a folder that nobody may write is refused by name`() throws {
    let error = try #require(failure(URL(filePath: "/sys/kernel/Store.json")))
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message == "The folder of the store 'Store.json' cannot be written.")
  }

  @Test(.disabled(if: geteuid() == 0, "an administrator may do everything"))
  func `what may not be written is refused by the system, and is read`() throws {
    let manager = FileManager.default
    _ = try open()
    try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: folder.file().path)
    #expect(failure(folder.file())?.recovery.contains("isReadOnly") == true)
    #expect(failure(folder.file(), readOnly: true) == nil)
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file().path)
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    defer {
      try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }
    #expect(failure(folder.file())?.message.contains("folder of the store") == true)
    #expect(failure(folder.file("New.json"))?.message.contains("cannot be written") == true)
    #expect(failure(folder.file(), readOnly: true) == nil)
  }

  @Test func `a save keeps permissions that were set while the store is open`() throws {
    let manager = FileManager.default
    let store = try open(folder.file())
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file().path)
    try store.save(model.insertion([("Person", [Row(1, ["name": "a"])])]))
    let file = try manager.attributesOfItem(atPath: folder.file().path)
    #expect(file[.posixPermissions] as? Int == 0o640)
  }

  @Test func `a save keeps permissions and follows a symbolic link`() throws {
    let manager = FileManager.default
    let real = folder.file("Real.json")
    _ = try open(real)
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real.path)
    try manager.createSymbolicLink(at: folder.file("Link.json"), withDestinationURL: real)
    let store = try open(folder.file("Link.json"))
    try store.save(model.insertion([("Person", [Row(1, ["name": "a"])])]))
    let link = try manager.attributesOfItem(atPath: folder.file("Link.json").path)
    #expect(link[.type] as? FileAttributeType == .typeSymbolicLink)
    let file = try manager.attributesOfItem(atPath: real.path)
    #expect(file[.posixPermissions] as? Int == 0o640)
    #expect(try open(real).rows("Person").count == 1)
    let nowhere = folder.file("Nowhere.json")
    try manager.createSymbolicLink(at: nowhere, withDestinationURL: folder.file("None.json"))
    #expect(failure(nowhere)?.message.contains("leads nowhere") == true)
  }

  @Test func `a file beside the store that a crash has left is replaced, a link is not followed`()
    throws
  {
    let store = try open()
    let other = folder.file("other")
    try Data("keep".utf8).write(to: other)
    try FileManager.default.createSymbolicLink(
      at: folder.file("Store.json.new"),
      withDestinationURL: other
    )
    try store.save(model.insertion([("Person", [Row(1, ["name": "a"])])]))
    #expect(try Data(contentsOf: other) == Data("keep".utf8))
    #expect(try open().rows("Person").count == 1)
    #expect(try folder.names == ["Store.json", "Store.json.lock", "other"])
  }

  @Test func `a closed file tells its identifier, its versions and its metadata`() throws {
    let store = try open()
    try store.setMetadata(["owner": .string("Ann")])
    let files = JSONFiles(busyTimeout: .zero)
    let metadata = try files.metadata(at: folder.file())
    #expect(metadata.storeID == store.identifier)
    #expect(metadata.values == ["owner": .string("Ann")])
    #expect(metadata.modelVersionHashes == model.versionHashes.byEntity)
    let file = try StoreFile(folder.file())
    let companions = [file.lockPath, file.nextPath].map { URL(filePath: $0).lastPathComponent }
    #expect(companions == ["Store.json.lock", "Store.json.new"])
    let lock = try SystemFiles().lock(file, patience: .zero)
    let count = try withExtendedLifetime(lock) {
      let other = try JSONStore(url: folder.file(), model: model, busyTimeout: .zero)
      #expect(thrown { try other.setMetadata(["a": .null]) }?.code == .persistentStoreTimeout)
      return try files.metadata(at: folder.file()).values.count
    }
    #expect(count == 1)
    try Data("{".utf8).write(to: folder.file())
    #expect(thrown { _ = try files.metadata(at: folder.file()) }?.code == .persistentStoreOpen)
  }

  @Test func `metadata that are set to null without opening the store go`() throws {
    let store = try open()
    try store.setMetadata(["owner": .string("Ann"), "kept": .integer(1)])
    let files = JSONFiles(busyTimeout: .zero)
    var metadata = try files.metadata(at: folder.file())
    metadata["owner"] = .null
    try files.setMetadata(metadata, at: folder.file())
    #expect(try open().metadata() == ["kept": .integer(1)])
    #expect(try store.metadata() == ["kept": .integer(1)])
  }
}
