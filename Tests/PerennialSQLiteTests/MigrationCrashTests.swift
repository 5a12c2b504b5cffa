// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Synchronization
import Testing

@testable import PerennialSQLite

#if canImport(Glibc)
import Glibc
#endif

/// What a process leaves that ends in the middle of a migration.
@Suite("RELIABILITY R7: crashes within a migration of a SQLite store")
struct MigrationCrashTests {
  private static func model(isNew: Bool) throws -> ManagedObjectModel {
    let large = AttributeDescription(
      "file",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: true
    )
    let thing = EntityDescription(
      "Thing",
      properties: [.attribute("name", .string), .attribute(large)]
        + (isNew ? [.attribute("size", .int64, default: 5)] : [])
    )
    let added = EntityDescription("Another", properties: [.attribute("name", .string)])
    return try ManagedObjectModel(entities: isNew ? [thing, added] : [thing])
  }

  private static let large = Data(repeating: 7, count: ExternalData.threshold + 1)

  /// A folder with a store of three things, of which the last one lies in the log only, as of a process that
  /// has ended.
  private func makeFolder(_ old: ManagedObjectModel) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    let kept = try TemporaryFolder(inMemory: true)
    let log = folder.file("Store.sqlite-wal")
    do {
      let store = try SQLiteStore(url: folder.file(), model: old.layout)
      let rows = ["a", "b", "c"].enumerated().map { number, name in
        Row(
          Int64(number) + 1,
          ["name": .value(.string(name)), "file": .value(.data(Self.large + Data(name.utf8)))]
        )
      }
      try store.save(store.model.insertion([("Thing", rows)]))
      try FileManager.default.copyItem(at: log, to: kept.file("log"))
      try FileManager.default.copyItem(at: folder.file(), to: kept.file("main"))
    }
    try FileManager.default.removeItem(at: folder.file())
    try FileManager.default.copyItem(at: kept.file("log"), to: log)
    try FileManager.default.copyItem(at: kept.file("main"), to: folder.file())
    return folder
  }

  /// Migrates as the coordinator does; the error of the step that fails, if one does.
  private func migrate(_ url: URL, _ steps: FileSteps, _ mapping: ModelMapping) throws {
    let files = SQLiteFiles(busyTimeout: .seconds(5), steps: steps)
    let lock = try files.lockForMigration(at: url)
    let draft = StoreDraft(of: url)
    try FileManager.default.createDirectory(at: draft.folder, withIntermediateDirectories: false)
    try files.makeDraft(of: url, in: draft, lock)
    try files.migrate(draft.url, mapping, MigrationMonitor(nil, stepCount: 1))
    let backup = draft.folder.appending(path: "before")
    try files.put(draft.url, over: url, previous: backup, lock)
  }

  /// The names of the things of a store, which must be whole.
  private func names(_ url: URL, _ model: ManagedObjectModel) throws -> [String] {
    let store = try SQLiteStore(url: url, model: model.layout)
    #expect(try store.texts("PRAGMA integrity_check") == ["ok"])
    return try (1...3).map { (key: Int64) in
      let row = try store.row("Thing", key)
      guard case .string(let name) = try store.value(row, "name") else { return "?" }
      #expect(try store.value(row, "file") == .data(Self.large + Data(name.utf8)))
      return name
    }
  }

  @Test func `a store is wholly the old one or wholly the new one`() throws {
    let old = try Self.model(isNew: false)
    let new = try Self.model(isNew: true)
    let mapping = MigrationPlan(from: old, to: new).mapping
    var olds = 0
    for count in 0... {
      let folder = try makeFolder(old)
      let rest = Atomic(count)
      let steps = FileSteps { () throws(FileFailure) in
        if rest.wrappingSubtract(1, ordering: .relaxed).newValue < 0 {
          throw FileFailure(.write, 5)
        }
      }
      let hasEnded = (try? migrate(folder.file(), steps, mapping)) == nil
      let hashes = try SQLiteFiles(busyTimeout: .seconds(5)).storedModel(
        at: folder.file(),
        among: []
      ).hashes
      let isOld = hashes == old.layout.versionHashes
      #expect(isOld || hashes == new.layout.versionHashes)
      olds += isOld ? 1 : 0
      #expect(try names(folder.file(), isOld ? old : new) == ["a", "b", "c"])
      if !hasEnded {
        #expect(!isOld && count > 5 && olds > 3)
        break
      }
      // Whoever tries again is not hindered by what is left.
      if isOld { try migrate(folder.file(), FileSteps(), mapping) }
      #expect(try names(folder.file(), new) == ["a", "b", "c"])
    }
  }

  #if canImport(Glibc)
  /// Whether somebody, in this process or another one, has a lock on an open file (`F_OFD_GETLK`).
  private static func isLocked(_ descriptor: Int32) -> Bool {
    var lock: flock = .init()
    lock.l_type = Int16(F_WRLCK)
    return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  @Test func `where a file has one name only, a store that is kept stays locked`() throws {
    let old = try Self.model(isNew: false)
    let new = try Self.model(isNew: true)
    let folder = try makeFolder(old)
    // Closed last: closing a descriptor ends the locks that the process has on the file.
    let descriptor = open(folder.file().path, O_RDWR)
    defer { close(descriptor) }
    let wasLocked = Mutex<[Bool]>([])
    let steps = FileSteps(
      willTake: { () throws(FileFailure) in
        wasLocked.withLock { $0.append(Self.isLocked(descriptor)) }
      },
      canLink: false
    )
    try migrate(folder.file(), steps, MigrationPlan(from: old, to: new).mapping)
    let answers = wasLocked.withLock { $0 }
    #expect(answers.count > 5 && !answers.contains(false), "\(answers)")
    #expect(try names(folder.file(), new) == ["a", "b", "c"])
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    let kept = try #require(paths.first { $0.hasSuffix("/before") })
    let stored = try SQLiteFiles(busyTimeout: .zero).storedModel(at: folder.file(kept), among: [])
    #expect(stored.hashes == old.layout.versionHashes)
  }
  #endif

  @Test func `while a store is migrated nobody else opens it, and nobody may have it open`() throws
  {
    let old = try Self.model(isNew: false)
    let folder = try makeFolder(old)
    let files = SQLiteFiles(busyTimeout: .zero)
    do {
      let store = try SQLiteStore(url: folder.file(), model: old.layout)
      let error = #expect(throws: PerennialError.self) {
        try files.lockForMigration(at: folder.file())
      }
      #expect(error?.code == .persistentStoreTimeout)
      withExtendedLifetime(store) {}
    }
    let lock = try files.lockForMigration(at: folder.file())
    let error = #expect(throws: PerennialError.self) {
      try SQLiteStore(url: folder.file(), model: old.layout, busyTimeout: .zero)
    }
    #expect(error?.code == .persistentStoreTimeout)
    withExtendedLifetime(lock) {}
  }

  @Test func `who waited for a file's lock does nothing to another that has its name by then`()
    async throws
  {
    let old = try Self.model(isNew: false)
    let folder = try makeFolder(old)
    let source = try makeFolder(old)
    let url = folder.file()
    var lock: (any MigrationLock)? = try SQLiteFiles(busyTimeout: .zero).lockForMigration(at: url)
    let next = folder.file("Next.sqlite")
    try FileManager.default.copyItem(at: url, to: next)
    let (from, files) = (source.file(), SQLiteFiles(busyTimeout: .seconds(30)))
    let (hasBegun, begins) = AsyncStream<Void>.makeStream()
    let waiting = Task.detached { () -> PerennialError.Code? in
      begins.yield()
      do throws(PerennialError) {
        try files.replace(at: url, from: from)
        return nil
      } catch {
        return error.code
      }
    }
    for await _ in hasBegun { break }
    // Time enough to meet the lock.
    try await Task.sleep(for: .seconds(1))
    try SystemFiles().rename(next.path, to: url.path)
    let bytes = try Data(contentsOf: url)
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(await waiting.value == .persistentStoreTimeout)
    #expect(try Data(contentsOf: url) == bytes)
  }
}
