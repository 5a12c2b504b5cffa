// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(CSQLite)

import CSQLite
import Foundation
import PerennialCoreDataNames
import Testing

/// What the types, configurations and options of Core Data's names do to a store.
@Suite struct `Stores that are added by type and options` {
  private let folder: Folder
  private var url: URL { folder.url.appending(path: "Project38.sqlite") }

  init() throws { folder = try Folder() }

  private func add(
    _ options: [String: Any]? = nil,
    type: String = NSSQLiteStoreType
  ) throws -> NSPersistentContainer {
    let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
    return try coordinator.addPersistentStore(
      ofType: type,
      configurationName: nil,
      at: type == NSInMemoryStoreType ? nil : url,
      options: options
    )
  }

  private func commit(_ shas: String..., in container: NSPersistentContainer) throws {
    let context = container.newBackgroundContext()
    for sha in shas {
      let commit = Commit(context: context)
      commit.sha = sha
      commit.message = String(repeating: "A long message. ", count: 500)
      commit.date = Date(timeIntervalSinceReferenceDate: 0)
    }
    try context.save()
  }

  private func code(_ body: () throws -> Void) -> PerennialError.Code? {
    #expect(throws: PerennialError.self, performing: body)?.code
  }

  /// A connection of somebody else, closed after the closure.
  private func withSQLite<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    var opened: OpaquePointer?
    #expect(sqlite3_open(url.path, &opened) == SQLITE_OK)
    defer { sqlite3_close(opened) }
    return try body(#require(opened))
  }

  /// The number that a statement gives.
  private func number(_ sql: String) throws -> Int64 {
    try withSQLite { database in
      var statement: OpaquePointer?
      #expect(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
      defer { sqlite3_finalize(statement) }
      #expect(sqlite3_step(statement) == SQLITE_ROW)
      return sqlite3_column_int64(statement, 0)
    }
  }

  @Test func `NSReadOnlyPersistentStoreOption refuses saves`() throws {
    try commit("a", in: add())
    let container = try add([NSReadOnlyPersistentStoreOption: true])
    #expect(code { try commit("b", in: container) } == .persistentStoreSave)
    try commit("b", in: add([NSReadOnlyPersistentStoreOption: false]))
  }

  @Test func `NSPersistentStoreTimeoutOption says how long to wait for a lock`() throws {
    let container = try add([NSPersistentStoreTimeoutOption: 0.05])
    #expect(container.storeDescription.busyTimeout == .milliseconds(50))
    try withSQLite { database in
      #expect(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
      #expect(code { try commit("a", in: container) } == .persistentStoreTimeout)
    }
    #expect(code { _ = try add([NSPersistentStoreTimeoutOption: "soon"]) } == .persistentStoreOpen)
    #expect(
      code { _ = try add([NSPersistentStoreTimeoutOption: Double.nan]) } == .persistentStoreOpen
    )
    _ = try add([NSPersistentStoreTimeoutOption: Double.infinity])
  }

  @Test func `NSSQLitePragmasOption reaches SQLite`() throws {
    let container = try add([NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    try commit("a", in: container)
    #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
    let wrong = code { _ = try add([NSSQLitePragmasOption: ["synchronous": "OFF"]]) }
    #expect(wrong == .persistentStoreOpen)
  }

  @Test func `NSSQLiteAnalyzeOption counts what the indexes hold`() throws {
    let analysed = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
    try commit("a", in: add())
    #expect(try number(analysed) == 0)
    _ = try add([NSSQLiteAnalyzeOption: true])
    #expect(try number(analysed) == 1)
  }

  @Test func `NSSQLiteManualVacuumOption writes the file anew`() throws {
    do {
      let container = try add()
      try commit("a", "b", "c", "d", in: container)
      let context = container.newBackgroundContext()
      for commit in try context.fetch(Commit.createFetchRequest()) { context.delete(commit) }
      try context.save()
    }
    #expect(try number("PRAGMA freelist_count") > 0)
    _ = try add([NSSQLiteManualVacuumOption: true])
    #expect(try number("PRAGMA freelist_count") == 0)
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func `NSPersistentHistoryTrackingKey keeps a history`(_ type: String) throws {
    let container = try add([NSPersistentHistoryTrackingKey: true as NSNumber], type: type)
    try commit("a", in: container)
    #expect(try container.currentPersistentHistoryToken()?.transactionNumber == 1)
    let without = try add([NSPersistentHistoryTrackingKey: false], type: NSInMemoryStoreType)
    #expect(try without.currentPersistentHistoryToken() == nil)
  }

  @Test(.timeLimit(.minutes(30)))
  func `NSPersistentStoreRemoteChangeNotificationPostOptionKey tells what others write`()
    async throws
  {
    let near = try add([NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    let changes = near.remoteChanges
    try commit("a", in: add())
    for await change in changes {
      #expect(change.url == url)
      break
    }
    let deaf = try add([NSPersistentStoreRemoteChangeNotificationPostOptionKey: false])
    #expect(deaf.storeDescription.remoteChangeInterval == nil)
  }

  @Test func `the options for migration leave a store of another version as it is`() throws {
    try commit("a", in: add())
    let before = try Data(contentsOf: url)
    let coordinator = NSPersistentStoreCoordinator(entities: FamilyMember.self, Movie.self)
    let failure = code {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: url,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ]
      )
    }
    #expect(failure == .incompatibleVersionHash)
    #expect(try Data(contentsOf: url) == before)
    #expect(coordinator.persistentStores.isEmpty)
  }

  @Test func `a description takes a file and options`() throws {
    var description = NSPersistentStoreDescription(url: url)
    try description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    try description.setOption(2 as NSNumber, forKey: NSPersistentStoreTimeoutOption)
    #expect(description.url == url && description.historyTracking)
    #expect(description.busyTimeout == .seconds(2))
    #expect(code { try description.setOption(true, forKey: "nothing") } == .persistentStoreOpen)
    let container = try NSPersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: description
    )
    try commit("a", in: container)
    #expect(try container.currentPersistentHistoryToken()?.transactionNumber == 1)
  }

  @Test func `a JSON file is a type of store`() throws {
    try commit("a", in: add(type: NSJSONStoreType))
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.contains("\"format\"") && text.contains("A long message."))
    let reader = try add(type: NSJSONStoreType).newBackgroundContext()
    #expect(try reader.fetch(Commit.createFetchRequest()).map(\.sha) == ["a"])
  }

  @Test func `a coordinator has several stores, each with its configuration`() throws {
    let coordinator = NSPersistentStoreCoordinator(
      entities: FamilyMember.self,
      Movie.self,
      configurations: ["People": [FamilyMember.self], "Films": [Movie.self]]
    )
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: "People",
      at: url
    )
    let container = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: "Films",
      at: nil
    )
    #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType, NSInMemoryStoreType])
    #expect(coordinator.persistentStores.map(\.configurationName) == ["People", "Films"])
    let context = container.newBackgroundContext()
    FamilyMember(context: context).name = "Ada"
    Movie(context: context).title = "Metropolis"
    try context.save()
    #expect(try number("SELECT COUNT(*) FROM ZFAMILYMEMBER") == 1)
    #expect(try number("SELECT COUNT(*) FROM ZMOVIE") == 0)
    let failure = code {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType,
        configurationName: "Cloud",
        at: nil
      )
    }
    #expect(failure == .persistentStoreOpen)
  }
}

/// A folder of a test's own, removed with the value.
private final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

#endif
