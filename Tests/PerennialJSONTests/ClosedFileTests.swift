// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// What is done to the files of closed stores, and what is no store.
@Suite("Closed JSON files")
struct ClosedFileTests {
  private static let url = URL(filePath: "/store.json")

  private let model: ModelLayout
  private let files = ModelFiles()
  private var closed: JSONFiles { JSONFiles(busyTimeout: .zero, files: files) }

  init() throws { model = try TestModels.people() }

  /// Makes a store with a person.
  @discardableResult
  private func make(_ url: URL = url, name: PropertyValue = .string("Ann")) throws -> JSONStore {
    let store = try JSONStore(StoreFile(url, files), model: model, files: files)
    try store.save(model.insertion([("Person", [Row(1, ["name": .value(name)])])]))
    return store
  }

  /// Edits a store as somebody does by hand, who writes no checksum.
  private func edit(_ old: String, _ new: String) throws {
    let text = String(decoding: try #require(files.bytes("/store.json")), as: UTF8.self)
    #expect(text.contains(old))
    let edited = text.replacing(old, with: new)
      .replacing(/"checksum":"[0-9a-f]{16}"/, with: "\"checksum\":null")
    files.put(Array(edited.utf8), at: "/store.json")
  }

  @Test(arguments: [("\n\"metadata\":", " \"metadata\":"), ("Ann", "Bob"), ("{\n", "{ ")])
  func `metadata of a text that was edited by hand are set by the open store only`(
    old: String,
    new: String
  ) throws {
    try make()
    try edit(old, new)
    let text = files.bytes("/store.json")
    var metadata = try closed.metadata(at: Self.url)
    metadata["a"] = .integer(1)
    let error = thrown { try closed.setMetadata(metadata, at: Self.url) }
    #expect(error?.code == .persistentStoreSave)
    #expect(error?.message.contains("edited by hand") == true)
    #expect(files.bytes("/store.json") == text)
    let store = try JSONStore(StoreFile(Self.url, files), model: model, files: files)
    try store.setMetadata(["a": .integer(1)])
    #expect(try closed.metadata(at: Self.url).values == ["a": .integer(1)])
  }

  @Test func `a store that was edited by hand is a store, and is deleted`() throws {
    try make()
    try edit("{\n", "{ ")
    try closed.destroy(at: Self.url)
    #expect(files.names.isEmpty)
  }

  @Test func `what is no store is neither deleted nor replaced`() throws {
    let source = URL(filePath: "/source.json")
    try make(source)
    files.put(Array("{ \"a\": 1 }".utf8), at: "/store.json")
    let names = files.names
    #expect(thrown { try closed.destroy(at: Self.url) }?.code == .persistentStoreOpen)
    #expect(thrown { try closed.replace(at: Self.url, from: source) } != nil)
    #expect(files.bytes("/store.json") == Array("{ \"a\": 1 }".utf8))
    #expect(files.names == names)
  }

  @Test func `where no file can be nothing is deleted`() throws {
    try make()
    let names = files.names
    try closed.destroy(at: try #require(URL(string: "https://example.com/store.json")))
    #expect(files.names == names)
  }

  @Test func `a store that cannot be looked at is not taken for none by who deletes it`() throws {
    try make()
    let draft = StoreDraft(of: Self.url)
    files.begin(.failure(step: 0, code: 5))
    #expect(thrown { try closed.destroy(at: draft.url) }?.underlying != nil)
    for number in 0..<2 {
      files.begin(.failure(step: number, code: 5))
      #expect(thrown { try closed.destroy(at: Self.url) } != nil, "step \(number)")
    }
    files.begin(nil)
    #expect(try closed.metadata(at: Self.url).storeType == "JSON")
  }

  @Test func `a store is not replaced with itself`() throws {
    try make()
    let text = files.bytes("/store.json")
    let error = thrown { try closed.replace(at: Self.url, from: Self.url) }
    #expect(error?.code == .persistentStoreSave && error?.recovery == "name two stores")
    #expect(files.bytes("/store.json") == text)
  }

  @Test(arguments: [true, false])
  func `what a copy that failed leaves of its lock is what was there`(_ isThere: Bool) throws {
    let source = URL(filePath: "/source.json")
    try make(source)
    let lock = isThere ? Array("mine".utf8) : nil
    files.put(lock, at: "/store.json.lock")
    files.begin(nil)
    try closed.replace(at: Self.url, from: source)
    let write = try #require(files.steps.firstIndex(of: .write))
    files.put(nil, at: "/store.json")
    files.put(lock, at: "/store.json.lock")
    files.begin(.failure(step: write, code: 28))
    #expect(thrown { try closed.replace(at: Self.url, from: source) } != nil)
    #expect(files.bytes("/store.json") == nil)
    #expect(files.bytes("/store.json.lock") == lock)
  }

  @Test func `a copy that has no folder is said to be no copy, not a store that is gone`() throws {
    let folder = try TemporaryFolder()
    let store = try JSONStore(url: folder.file(), model: model)
    try store.save(model.insertion([("Person", [Row(1, ["name": "Ann"])])]))
    let missing = folder.file("no/copy.json")
    for error in [
      thrown { try store.copy(to: missing) },
      thrown { try JSONFiles(busyTimeout: .zero).replace(at: missing, from: folder.file()) },
    ] {
      #expect(error?.code == .persistentStoreSave)
      #expect(error?.message == "The copy 'copy.json' cannot be written.")
    }
    #expect(try store.rows("Person").count == 1)
  }

  @Test func `a copy gives up when the store is saved again and again`() throws {
    let types = try TestModels.types()
    let source = try JSONStore(
      StoreFile(Self.url, files),
      model: types,
      files: files,
      largestInlineCount: 10
    )
    @Sendable func value(_ number: Int) -> Row.Value {
      .value(.data(Data(repeating: UInt8(number), count: 20)))
    }
    try source.save(types.insertion([("Thing", [Row(1, ["aFile": value(0)])])]))
    let saver = Saver(files) { number in
      var changes = ChangeSet()
      let row = Row(1, version: UInt32(number + 1), ["aFile": value(number)])
      changes.updates = [types.update("Thing", ["aFile"], [row])]
      try source.save(changes)
    }
    saver.start()
    let copy = URL(filePath: "/copy.json")
    let error = thrown { try closed.replace(at: copy, from: Self.url) }
    #expect(error?.code == .persistentStoreTimeout)
    #expect(error?.recovery == "copy it when nobody saves it")
    #expect(files.bytes("/copy.json") == nil)
    // What waits there would keep the files, and they it.
    files.interrupt(before: .list) {}
  }

  /// Saves a store whenever its values are listed.
  private final class Saver: Sendable {
    private let files: ModelFiles
    private let save: @Sendable (Int) throws -> Void

    init(_ files: ModelFiles, _ save: @escaping @Sendable (Int) throws -> Void) {
      self.files = files
      self.save = save
    }

    func start(_ number: Int = 1) {
      files.interrupt(before: .list) { [self] in
        #expect(throws: Never.self) { try save(number) }
        if number < 20 { start(number + 1) }
      }
    }
  }

  // MARK: Links, with files of the system

  @Test func `links that lead in circles are no stores`() throws {
    let folder = try TemporaryFolder()
    for (name, target) in [("a.json", "b.json"), ("b.json", "a.json"), ("c.json", "c.json")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name).path,
        withDestinationPath: target
      )
    }
    for name in ["a.json", "c.json"] {
      let error = thrown { _ = try JSONStore(url: folder.file(name), model: model) }
      #expect(error?.code == .persistentStoreOpen)
      #expect(error?.message.contains("leads nowhere") == true)
    }
    #expect(try folder.names == ["a.json", "b.json", "c.json"])
  }

  @Test func `a name that no system takes is an error with the system's`() throws {
    let folder = try TemporaryFolder()
    let url = folder.file(String(repeating: "n", count: 5_000))
    let error = thrown { _ = try JSONStore(url: url, model: model) }
    #expect(error?.code == .persistentStoreOpen && error?.underlying != nil)
    #expect(try folder.names.isEmpty)
  }
}
