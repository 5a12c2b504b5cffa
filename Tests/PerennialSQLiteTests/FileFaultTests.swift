// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Synchronization
import Testing

@testable import PerennialSQLite

/// Single calls that fail where a store could mistake that for an answer.
///
/// `make faults` lets all of them fail.
@Suite("Files of a SQLite store that fail")
struct FileFaultTests {
  /// Lets one step fail.
  private final class Failing: Sendable {
    private let rest: Atomic<Int>

    init(at number: Int) { rest = Atomic(number) }

    var hasHappened: Bool { rest.load(ordering: .relaxed) < 0 }

    var files: SQLiteFiles {
      let steps = FileSteps { [self] () throws(FileFailure) in
        if rest.wrappingSubtract(1, ordering: .relaxed).newValue == -1 {
          throw FileFailure(.look, 5)
        }
      }
      return SQLiteFiles(busyTimeout: .zero, steps: steps)
    }
  }

  private static let large = Data(repeating: 7, count: ExternalData.threshold + 1)

  private func open(_ url: URL) throws -> SQLiteStore {
    try SQLiteStore(url: url, model: TestModels.types())
  }

  /// Makes a store with a large value.
  private func make(_ url: URL) throws {
    let store = try open(url)
    let row = Row(1, ["aFile": .value(.data(Self.large))])
    try store.save(store.model.insertion([("Thing", [row])]))
  }

  private func isWhole(_ url: URL) throws -> Bool {
    let store = try open(url)
    return try store.value(store.row("Thing", 1), "aFile") == .data(Self.large)
  }

  /// What a closure throws.
  private func failure(_ body: () throws -> Void) -> (any Error)? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func isThere(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test
  func `a store that could not be deleted is whole or gone, and no error says that it is gone`()
    throws
  {
    for number in 0... {
      let folder = try TemporaryFolder(inMemory: true)
      try make(folder.file())
      let failing = Failing(at: number)
      let error = failure { try failing.files.destroy(at: folder.file()) }
      if error == nil { #expect(!isThere(folder.file()), "step \(number)") }
      if isThere(folder.file()) { #expect(try isWhole(folder.file()), "step \(number)") }
      if !failing.hasHappened { return #expect(number > 5) }
    }
  }

  @Test func `a copy that failed is not there, and can be made again`() throws {
    for number in 0... {
      let folder = try TemporaryFolder(inMemory: true)
      try make(folder.file())
      let target = folder.file("Copy.sqlite")
      let failing = Failing(at: number)
      let error = failure { try failing.files.copy(from: folder.file(), to: target) }
      if error != nil {
        #expect(!isThere(target), "step \(number)")
        let values = StoreNames(target).externalFolder.deletingLastPathComponent()
        #expect(!isThere(values), "step \(number)")
        try SQLiteFiles(busyTimeout: .zero).copy(from: folder.file(), to: target)
      }
      #expect(try isWhole(target), "step \(number)")
      if !failing.hasHappened { return #expect(number > 5) }
    }
  }

  /// Makes a store that stays open, with a row in its log.
  private static func makeOther(_ url: URL, _ model: ModelLayout) throws -> SQLiteStore {
    let store = try SQLiteStore(url: url, model: model)
    try store.save(model.insertion([("Thing", [Row(2, ["aString": "theirs"])])]))
    return store
  }

  @Test func `a store that somebody makes while another one is copied to its place stays`() throws {
    let model = try TestModels.types()
    for number in 0... {
      let folder = try TemporaryFolder(inMemory: true)
      try make(folder.file())
      let target = folder.file("Copy.sqlite")
      let rest = Atomic(number)
      let theirs = Mutex<SQLiteStore?>(nil)
      let steps = FileSteps { () throws(FileFailure) in
        guard rest.wrappingSubtract(1, ordering: .relaxed).oldValue == 0,
          !FileManager.default.fileExists(atPath: target.path)
        else { return }
        theirs.withLock { $0 = try? Self.makeOther(target, model) }
      }
      let files = SQLiteFiles(busyTimeout: .zero, steps: steps)
      let found = code { try files.copy(from: folder.file(), to: target) }
      if let store = theirs.withLock({ $0 }) {
        #expect(found == .persistentStoreSave, "step \(number)")
        #expect(try open(target).identifier == store.identifier, "step \(number)")
        #expect(try store.value(store.row("Thing", 2), "aString") == .string("theirs"))
      } else {
        // The copy has its name by then.
        #expect(found == nil, "step \(number)")
        #expect(try isWhole(target), "step \(number)")
      }
      if rest.load(ordering: .relaxed) >= 0 { return #expect(number > 5) }
    }
  }

  @Test func `a store is also copied where a file has one name only, but over no file`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try make(folder.file())
    let target = folder.file("Copy.sqlite")
    let files = SQLiteFiles(busyTimeout: .zero, steps: FileSteps(canLink: false))
    try files.copy(from: folder.file(), to: target)
    #expect(try isWhole(target))
    #expect(code { try files.copy(from: folder.file(), to: target) } == .persistentStoreSave)
    #expect(try isWhole(target))
  }

  @Test func `a store is not copied without its large values when they cannot be listed`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try make(folder.file())
    let values = StoreNames(folder.file()).externalFolder
    try FileManager.default.removeItem(at: values)
    try Data("no folder".utf8).write(to: values)
    let files = SQLiteFiles(busyTimeout: .zero)
    let target = folder.file("Copy.sqlite")
    #expect(throws: PerennialError.self) { try files.copy(from: folder.file(), to: target) }
    #expect(throws: PerennialError.self) { try files.replace(at: target, from: folder.file()) }
    #expect(!isThere(target))
    #expect(throws: PerennialError.self) { try files.largeValues(beside: folder.file()) }
  }

  @Test func `a transaction that could not be undone is undone before the next use`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try make(folder.file())
    let store = try open(folder.file())
    let row = Row(2, ["aString": "second"])
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute("BEGIN IMMEDIATE; DELETE FROM ZTHING")
    }
    try store.save(store.model.insertion([("Thing", [row])]))
    #expect(try store.rows("Thing").count == 2)
    // A reader that is left in a transaction would go on seeing what there was.
    let before = try store.read { connection throws(SQLiteFailure) in
      try connection.execute("BEGIN")
      return try connection.integers("SELECT COUNT(*) FROM ZTHING")
    }
    #expect(before == [2])
    try store.save(store.model.insertion([("Thing", [Row(3, ["aString": "third"])])]))
    #expect(try store.rows("Thing").count == 3)
  }
}
