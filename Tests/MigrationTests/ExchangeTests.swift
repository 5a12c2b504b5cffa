// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQLite
import PerennialStore
import Synchronization
import Testing

/// What becomes of a store when its draft cannot take its place, or cannot be opened there.
@Suite("RELIABILITY R7: the exchange of a store for its draft")
struct ExchangeTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "perennial-\(UUID().uuidString)")
  private let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel(EntityDescription("A", properties: [.attribute("b", .int64)]))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private var url: URL { folder.appending(path: "Store.sqlite") }

  private static let failure = PerennialError(.persistentStoreSave, "No.", recovery: "none")

  /// Makes a store and a draft that is another one, and exchanges them.
  ///
  /// - Returns: The identifiers of the store, of the draft and of what is the store in the end, the error, and whether
  ///   the draft's folder is there.
  private func exchange(
    _ failing: FailingFiles.Failing,
    opens: Bool
  ) throws -> (old: UUID, new: UUID, found: UUID, error: PerennialError?, draft: StoreDraft) {
    defer { try? FileManager.default.removeItem(at: url) }
    let draft = StoreDraft(of: url)
    let inner = draft.previous.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    func make(_ url: URL) throws -> UUID {
      try SQLiteStore(url: url, model: model.layout).identifier
    }
    let old = try make(url)
    let new = try make(draft.url)
    let files = FailingFiles(failing)
    var caught: PerennialError?
    do throws(PerennialError) {
      let lock = try files.lockForMigration(at: url)
      try StoreExchange(of: url, for: draft, files, lock) { _ in }.run {
        () throws(PerennialError) in
        if !opens { throw Self.failure }
      }
    } catch {
      caught = error
    }
    return (old, new, try make(url), caught, draft)
  }

  private func exists(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
  }

  @Test func `a draft that opens is the store`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try exchange(.nothing, opens: true)
    #expect(result.found == result.new && result.error == nil)
  }

  @Test(arguments: [FailingFiles.Failing.nothing, .firstBefore, .firstMiddle, .firstAfter])
  func `the store that there was is back after an error`(_ failing: FailingFiles.Failing) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try exchange(failing, opens: false)
    #expect(result.found == result.old)
    #expect(result.error?.code == .persistentStoreSave)
    #expect(!exists(result.draft.folder))
  }

  @Test func `a store that cannot be put back is kept, and the error says where`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try exchange(.second, opens: false)
    #expect(result.found == result.new)
    #expect(result.error?.code == .migration)
    let path = result.draft.previous.path(percentEncoded: false)
    #expect(result.error?.recovery.contains(path) == true)
    #expect(
      try SQLiteStore(url: result.draft.previous, model: model.layout).identifier == result.old
    )
  }
}

/// SQLite's files, of which giving a store another file fails.
struct FailingFiles: MigratableFiles {
  enum Failing: Sendable { case nothing, firstBefore, firstMiddle, firstAfter, second }

  private final class Count: Sendable { let value = Atomic(0) }

  private let files = SQLiteFiles(busyTimeout: .zero)
  private let failing: Failing
  private let count = Count()
  private let failure = PerennialError(.persistentStoreSave, "No.", recovery: "none")

  init(_ failing: Failing) { self.failing = failing }

  func put(
    _ file: URL,
    over url: URL,
    previous: URL?,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    let number = count.value.wrappingAdd(1, ordering: .relaxed).newValue
    if number == 1 && failing == .firstBefore || number == 2 && failing == .second { throw failure }
    if number == 1, failing == .firstMiddle, let previous {
      // What lies there is not what the store was.
      try? Data("a part".utf8).write(to: previous)
      throw failure
    }
    try files.put(file, over: url, previous: previous, lock)
    if number == 1 && failing == .firstAfter { throw failure }
  }

  func storedModel(
    at url: URL,
    among known: [ManagedObjectModel]
  ) throws(PerennialError) -> StoredModel { try files.storedModel(at: url, among: known) }

  func lockForMigration(at url: URL) throws(PerennialError) -> any MigrationLock {
    try files.lockForMigration(at: url)
  }

  func makeDraft(
    of url: URL,
    in draft: StoreDraft,
    _ lock: any MigrationLock
  ) throws(PerennialError) { try files.makeDraft(of: url, in: draft, lock) }

  func migrate(
    _ url: URL,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor
  ) throws(PerennialError) { try files.migrate(url, mapping, monitor) }

  func keep(_ url: URL, as backup: URL, _ lock: any MigrationLock) throws(PerennialError) {
    try files.keep(url, as: backup, lock)
  }

  func metadata(at url: URL) throws(PerennialError) -> PersistentStoreMetadata {
    try files.metadata(at: url)
  }

  func setMetadata(_ metadata: PersistentStoreMetadata, at url: URL) throws(PerennialError) {
    try files.setMetadata(metadata, at: url)
  }

  func destroy(at url: URL) throws(PerennialError) { try files.destroy(at: url) }

  func replace(at url: URL, from source: URL) throws(PerennialError) {
    try files.replace(at: url, from: source)
  }
}
