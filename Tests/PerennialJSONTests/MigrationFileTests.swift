// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// What else there is to a JSON store that is migrated: its model, its values, its history, its neighbours.
@Suite("Migrated files")
struct MigrationFileTests {
  private let fixture: MigrationFixture

  init() throws { fixture = try MigrationFixture() }

  private func text(_ files: ModelFiles) throws -> String {
    String(decoding: try #require(files.bytes("/store.json")), as: UTF8.self)
  }

  // MARK: The model

  @Test func `a store has the model that it was written with, a line for each property`() throws {
    let files = try fixture.makeFiles()
    let stored = try fixture.tools(files).storedModel(at: MigrationFixture.url, among: [])
    #expect(stored.model == fixture.old)
    #expect(stored.hashes == fixture.old.layout.versionHashes)
    let lines = try text(files).split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("\"schema\":{") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("\"nextKeys\":") })
    for name in ["text", "name", "kept", "dropped"] {
      let found = lines[start..<end].filter { $0.contains("\"name\":\"\(name)\"") }
      #expect(found.count == 1, "\(name)")
      #expect(found.first.map { $0.hasPrefix(" {") || $0.hasPrefix(",{") } == true, "\(name)")
    }
    #expect(try JSONSerialization.jsonObject(with: Data(text(files).utf8)) is [String: Any])
  }

  /// The text as versions before wrote it.
  ///
  /// Safe because the bytes are used within the call that lends them.
  private func withoutModel(_ files: ModelFiles) throws -> [UInt8] {
    let lines = try text(files).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("\"schema\":{") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("\"nextKeys\":") })
    var kept = Array(lines[..<start] + lines[end...])
    let checksum = try #require(kept.firstIndex { $0.hasPrefix("\"checksum\":") })
    let beginning = kept[..<checksum].joined(separator: "\n") + "\n\"checksum\":"
    var sum = CRC64()
    Array(beginning.utf8).withUnsafeBytes { sum.update($0) }
    kept[checksum] = "\"checksum\":\"\(String(decoding: sum.value.hexadecimal, as: UTF8.self))\""
    return Array(kept.joined(separator: "\n").utf8)
  }

  @Test func `a file of an earlier version has no model, opens, and has one after a save`() throws {
    let files = try fixture.makeFiles()
    files.put(try withoutModel(files), at: "/store.json")
    let stored = try fixture.tools(files).storedModel(at: MigrationFixture.url, among: [])
    #expect(stored.model == nil)
    #expect(stored.hashes == fixture.old.layout.versionHashes)
    #expect(try fixture.isOld(files))
    try fixture.open(fixture.old, files).setMetadata(["a": .integer(1)])
    #expect(
      try fixture.tools(files).storedModel(at: MigrationFixture.url, among: []).model == fixture.old
    )
    #expect(try fixture.isOld(files))
  }

  @Test func `a file of an earlier version is migrated by whoever has its model`() throws {
    let files = try fixture.makeFiles()
    files.put(try withoutModel(files), at: "/store.json")
    try fixture.migrate(files)
    #expect(try fixture.isNew(files))
    #expect(
      try fixture.tools(files).storedModel(at: MigrationFixture.url, among: []).model == fixture.new
    )
  }

  @Test func `a model that somebody has changed by hand is not believed`() throws {
    let files = try fixture.makeFiles()
    let edited = try text(files).replacing("\"name\":\"kept\"", with: "\"name\":\"other\"")
      .replacing(/"checksum":"[0-9a-f]{16}"\n}/, with: "\"checksum\":null\n}")
    files.put(Array(edited.utf8), at: "/store.json")
    #expect(try fixture.tools(files).storedModel(at: MigrationFixture.url, among: []).model == nil)
    #expect(try fixture.open(fixture.old, files).values("Note", "text") == [.string("x")])
  }

  @Test func `metadata that are set in place leave the model as it is`() throws {
    let files = try fixture.makeFiles()
    let tools = fixture.tools(files)
    var metadata = try tools.metadata(at: MigrationFixture.url)
    metadata["b"] = .string("\n\"metadata\":")
    try tools.setMetadata(metadata, at: MigrationFixture.url)
    #expect(try tools.storedModel(at: MigrationFixture.url, among: []).model == fixture.old)
    #expect(try fixture.isOld(files))
  }

  @Test func `a store of another model is refused with 134100, as before and after`() throws {
    let files = try fixture.makeFiles()
    let before = files.bytes("/store.json")
    #expect(thrown { _ = try fixture.open(fixture.new, files) }?.code == .incompatibleVersionHash)
    #expect(files.bytes("/store.json") == before)
    try fixture.migrate(files)
    #expect(thrown { _ = try fixture.open(fixture.old, files) }?.code == .incompatibleVersionHash)
  }

  // MARK: What stays

  @Test func `the identifier, keys that were given, and the files of values that stay are kept`()
    throws
  {
    let files = try fixture.makeFiles()
    let old = try fixture.open(fixture.old, files)
    // A key that no object has any more.
    try old.save(fixture.old.layout.insertion([("Thing", [Row(9)])]))
    var deletion = ChangeSet()
    deletion.deletions = [fixture.old.layout.deletion("Thing", [(9, 1)])]
    try old.save(deletion)
    let values = fixture.valueFiles(files)
    try fixture.migrate(files)
    let new = try fixture.open(fixture.new, files)
    #expect(new.identifier == old.identifier)
    #expect(try new.reserveKeys(root: 0, count: 1) == 10)
    #expect(try new.rows("Item").map(\.version) == [2, 1])
    #expect(fixture.valueFiles(files).isSubset(of: values))
    #expect(fixture.valueFiles(files).count == 2)
  }

  @Test func `the history goes on, with the new names and without what is gone`() throws {
    let files = try fixture.makeFiles()
    let old = try fixture.open(fixture.old, files)
    let transactions = try old.history(HistoryQuery())
    #expect(transactions.count == 2)
    try fixture.migrate(files)
    let new = try fixture.open(fixture.new, files)
    let history = try new.history(HistoryQuery())
    #expect(history.map(\.token) == transactions.map(\.token))
    #expect(history.map(\.timestamp) == transactions.map(\.timestamp))
    #expect(history[0].changes.map(\.changedObjectID.entityName) == ["Item", "Item"])
    #expect(history[0].changes.map(\.changedObjectID.key) == [1, 4])
    #expect(history[1].changes.map(\.updatedProperties) == [["name"]])
    var change = ChangeSet()
    change.updates = [
      fixture.new.layout.update("Item", ["rank"], [Row(4, version: 2, ["rank": 5])])
    ]
    try new.save(change)
    #expect(try new.history(HistoryQuery()).count == 3)
  }

  // MARK: Neighbours

  @Test func `a store that somebody saves is not migrated meanwhile, nor saved while it is`() throws
  {
    let files = try fixture.makeFiles()
    let tools = fixture.tools(files)
    let store = try JSONStore(
      StoreFile(MigrationFixture.url, files),
      model: fixture.old.layout,
      busyTimeout: .zero,
      files: files
    )
    do {
      let lock = try tools.lockForMigration(at: MigrationFixture.url)
      defer { withExtendedLifetime(lock) {} }
      #expect(
        thrown { _ = try tools.lockForMigration(at: MigrationFixture.url) }?.code
          == .persistentStoreTimeout
      )
      #expect(thrown { try store.setMetadata(["a": .null]) }?.code == .persistentStoreTimeout)
    }
    try store.setMetadata(["a": .integer(1)])
  }

  @Test func `who has the old store open finds out that it is another one, and changes nothing`()
    throws
  {
    let files = try fixture.makeFiles()
    let store = try fixture.open(fixture.old, files)
    try fixture.migrate(files)
    let text = files.bytes("/store.json")
    #expect(thrown { _ = try store.values("Thing", "name") }?.code == .incompatibleVersionHash)
    #expect(thrown { try store.setMetadata(["a": .integer(1)]) }?.code == .incompatibleVersionHash)
    #expect(files.bytes("/store.json") == text)
  }

  @Test func `no lock is made beside what is no store`() throws {
    let files = ModelFiles()
    files.put(Array("hello".utf8), at: "/store.json")
    let error = thrown { _ = try fixture.tools(files).lockForMigration(at: MigrationFixture.url) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(
      thrown { _ = try fixture.tools(files).storedModel(at: MigrationFixture.url, among: []) }
        != nil
    )
    #expect(files.names == ["/store.json"])
  }

  /// A draft of the old model, which a program changes before it is put in place.
  private func changedDraft(_ files: ModelFiles) throws -> (StoreDraft, any MigrationLock) {
    let draft = StoreDraft(of: MigrationFixture.url)
    let tools = fixture.tools(files)
    let lock = try tools.lockForMigration(at: MigrationFixture.url)
    try fixture.makeFolder(of: draft, files)
    try tools.makeDraft(of: MigrationFixture.url, in: draft, lock)
    let store = try fixture.open(fixture.old, files, draft.url)
    var change = ChangeSet()
    change.updates = [
      fixture.old.layout.update(
        "Thing",
        ["kept"],
        [Row(1, version: 3, ["kept": .value(MigrationFixture.large(9))])]
      )
    ]
    try store.save(change)
    return (draft, lock)
  }

  @Test func `a draft is a store that shares the values, and removes none of the store's`() throws {
    let files = try fixture.makeFiles()
    let values = fixture.valueFiles(files)
    let (draft, lock) = try changedDraft(files)
    #expect(fixture.valueFiles(files).isSuperset(of: values))
    #expect(fixture.valueFiles(files).count == 4)
    #expect(try fixture.isOld(files))
    try fixture.tools(files).destroy(at: draft.url)
    #expect(try fixture.isOld(files))
    withExtendedLifetime(lock) {}
  }

  @Test func `a changed draft is put in place: then only the values that it names are there`()
    throws
  {
    let files = try fixture.makeFiles()
    let (draft, lock) = try changedDraft(files)
    try fixture.tools(files).put(
      draft.url,
      over: MigrationFixture.url,
      previous: nil,
      lock
    )
    let store = try fixture.open(fixture.old, files)
    #expect(
      try store.values("Thing", "kept") == [MigrationFixture.large(9), MigrationFixture.large(3)]
    )
    #expect(fixture.valueFiles(files).count == 3)
  }

  @Test func `a state of the store in the draft's folder shares the values, and can be put back`()
    throws
  {
    let files = try fixture.makeFiles()
    let tools = fixture.tools(files)
    let values = fixture.valueFiles(files)
    let draft = StoreDraft(of: MigrationFixture.url)
    let previous = draft.folder.appending(path: "before").appending(path: "store.json")
    let lock = try tools.lockForMigration(at: MigrationFixture.url)
    try fixture.makeFolder(of: draft, files)
    try tools.makeDraft(of: MigrationFixture.url, in: draft, lock)
    try tools.migrate(draft.url, fixture.mapping, MigrationMonitor(nil, stepCount: 1))
    try tools.put(draft.url, over: MigrationFixture.url, previous: previous, lock)
    #expect(try fixture.isNew(files))
    // All values are still there, and no copies of them.
    #expect(files.names.filter { $0.contains(".values/") } == values)
    #expect(try fixture.isOld(files, previous))
    try tools.replace(at: MigrationFixture.backup, from: previous)
    #expect(try fixture.isOld(files, MigrationFixture.backup))
    try files.rename(previous.path, to: MigrationFixture.url.path)
    #expect(try fixture.isOld(files))
  }

  @Test func `a save removes values of attributes that the model has no more`() throws {
    let files = try fixture.makeFiles()
    let plain = try ManagedObjectModel(
      EntityDescription("Thing", properties: [.attribute("name", .string, optional: true)])
    )
    let mapping = MigrationPlan(from: fixture.old, to: plain).mapping
    let tools = fixture.tools(files)
    try tools.migrate(MigrationFixture.url, mapping, MigrationMonitor(nil, stepCount: 1))
    #expect(fixture.valueFiles(files).count == 3)
    try fixture.open(plain, files).setMetadata(["a": .integer(1)])
    #expect(fixture.valueFiles(files).isEmpty)
  }

  @Test func `values are removed beside a store's file, and nowhere else`() throws {
    let files = try fixture.makeFiles()
    let tools = fixture.tools(files)
    let names = try #require(try tools.largeValues(beside: MigrationFixture.url))
    #expect(names.count == 3)
    tools.removeLargeValues(names, beside: try #require(URL(string: "https://host/store.json")))
    #expect(try tools.largeValues(beside: MigrationFixture.url) == names)
    tools.removeLargeValues(names, beside: MigrationFixture.url)
    #expect(fixture.valueFiles(files).isEmpty)
  }

  @Test func `a draft that is not beside its store is refused`() throws {
    let files = try fixture.makeFiles()
    let draft = StoreDraft(of: URL(filePath: "/other.json"))
    let tools = fixture.tools(files)
    let lock = try tools.lockForMigration(at: MigrationFixture.url)
    try fixture.makeFolder(of: draft, files)
    let error = thrown { try tools.makeDraft(of: MigrationFixture.url, in: draft, lock) }
    #expect(error?.code == .migration)
  }
}
