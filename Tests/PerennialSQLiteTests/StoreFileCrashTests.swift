// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Synchronization
import Testing

@testable import PerennialSQLite

/// What a process leaves that ends in the middle of copying, replacing or deleting a store.
@Suite("Crashes between the files of a SQLite store")
struct StoreFileCrashTests {
  /// The state of the store that is replaced or deleted.
  enum Destination: String, CaseIterable {
    case closed
    /// As a process leaves it that has ended: what was saved last lies in the log.
    case withLog
    case missing
    /// Only a log is left of it.
    case logOnly
    case damaged
  }

  /// Ends at a step: that one fails, and all that follow.
  private final class Ending: Sendable {
    private let rest: Atomic<Int>

    init(after count: Int) { rest = Atomic(count) }

    var hasHappened: Bool { rest.load(ordering: .relaxed) < 0 }

    var steps: FileSteps {
      FileSteps { [self] () throws(FileFailure) in
        if rest.wrappingSubtract(1, ordering: .relaxed).newValue < 0 {
          throw FileFailure(.write, 5)
        }
      }
    }
  }

  private static let large = Data(repeating: 7, count: ExternalData.threshold + 1)

  private func open(_ url: URL) throws -> SQLiteStore {
    try SQLiteStore(url: url, model: TestModels.types())
  }

  private func fill(_ store: SQLiteStore, _ names: [String]) throws {
    let rows = names.enumerated().map { number, name in
      Row(
        Int64(number) + 1,
        ["aString": .value(.string(name)), "aFile": .value(.data(Self.large + Data(name.utf8)))]
      )
    }
    try store.save(store.model.insertion([("Thing", rows)]))
  }

  /// A folder with a store in a state, and another one that is to take its place.
  private func makeFolder(_ destination: Destination) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    try fill(open(folder.file("New.sqlite")), ["new", "newer", "newest"])
    if destination == .missing { return folder }
    let logURL = folder.file("Store.sqlite-wal")
    let kept = try TemporaryFolder(inMemory: true)
    do {
      let store = try open(folder.file())
      try fill(store, ["old"])
      try FileManager.default.copyItem(at: logURL, to: kept.file("log"))
      try FileManager.default.copyItem(at: folder.file(), to: kept.file("main"))
    }
    if destination == .closed { return folder }
    try FileManager.default.copyItem(at: kept.file("log"), to: logURL)
    try FileManager.default.removeItem(at: folder.file())
    if destination == .logOnly { return folder }
    try FileManager.default.copyItem(at: kept.file("main"), to: folder.file())
    if destination == .damaged { try damage(folder.file(), logURL) }
    return folder
  }

  /// Makes a file SQLite's in name only; its log stays a whole one.
  private func damage(_ url: URL, _ log: URL) throws {
    var bytes = Data("SQLite format 3\0".utf8)
    bytes += Data([0x10, 0, 2, 2, 0, 64, 32, 32]) + Data(repeating: 0xA5, count: 8192 - 24)
    try bytes.write(to: url)
    try Data(repeating: 0xA5, count: 4096).write(to: log)
  }

  /// The values of a store, which must be whole; `nil` when there is none, or where there may be a damaged one.
  private func contents(_ url: URL, mayBeDamaged: Bool = false) throws -> [String]? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    if mayBeDamaged, (try? open(url)) == nil { return nil }
    let store = try open(url)
    #expect(try store.texts("PRAGMA integrity_check") == ["ok"])
    return try store.texts("SELECT Z_PK FROM ZTHING ORDER BY 1").map { key in
      let row = try store.row("Thing", try #require(Int64(key)))
      guard case .string(let name) = try store.value(row, "aString") else { return "?" }
      #expect(try store.value(row, "aFile") == .data(Self.large + Data(name.utf8)))
      return name
    }
  }

  private static let new = ["new", "newer", "newest"]
  /// Replacing and deleting take more steps than this.
  private static let leastStepCount = 4

  @Test(arguments: Destination.allCases)
  func `1I.3 a store that is being replaced is wholly the old one or wholly the new one`(
    _ destination: Destination
  ) throws {
    let old: [String]? = destination == .closed || destination == .withLog ? ["old"] : nil
    for count in 0... {
      let folder = try makeFolder(destination)
      let url = folder.file()
      let source = folder.file("New.sqlite")
      let before = try Data(contentsOf: source)
      let ending = Ending(after: count)
      let files = SQLiteFiles(busyTimeout: .zero, steps: ending.steps)
      try? files.replace(at: url, from: source)
      #expect(try Data(contentsOf: source) == before)
      let found = try lookingAtACopy(of: folder) {
        try contents($0, mayBeDamaged: destination == .damaged)
      }
      #expect(ending.hasHappened || found == Self.new)
      #expect(found == old || found == Self.new, "step \(count): \(String(describing: found))")

      try SQLiteFiles(busyTimeout: .zero).replace(at: url, from: source)
      #expect(try contents(url) == Self.new)
      try SQLiteFiles(busyTimeout: .zero).destroy(at: source)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(
        Set(names).isSubset(of: [".Store_SUPPORT", "Store.sqlite"]),
        "step \(count): \(names)"
      )
      if !ending.hasHappened { return #expect(count > Self.leastStepCount) }
    }
  }

  /// Opening a store changes it: what a repeated call finds must be what the crash has left.
  private func lookingAtACopy<Result>(
    of folder: TemporaryFolder,
    _ body: (URL) throws -> Result
  ) throws -> Result {
    let copy = try TemporaryFolder(inMemory: true)
    try FileManager.default.removeItem(at: copy.url)
    try FileManager.default.copyItem(at: folder.url, to: copy.url)
    return try body(copy.file())
  }

  @Test(arguments: Destination.allCases)
  func `1I.3 a store that is being deleted is there or not, and goes at the next attempt`(
    _ destination: Destination
  ) throws {
    for count in 0... {
      let folder = try makeFolder(destination)
      let ending = Ending(after: count)
      try? SQLiteFiles(busyTimeout: .zero, steps: ending.steps).destroy(at: folder.file())
      let found = try lookingAtACopy(of: folder) {
        try contents($0, mayBeDamaged: destination == .damaged)
      }
      #expect(ending.hasHappened || found == nil)
      #expect(found == nil || found == ["old"], "step \(count)")
      // Whoever makes a store there now gets nothing of the old one.
      try lookingAtACopy(of: folder) { url in
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        _ = try open(url)
        #expect(try contents(url) == [])
      }
      try SQLiteFiles(busyTimeout: .zero).destroy(at: folder.file())
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(names.allSatisfy { $0.contains("New") }, "step \(count): \(names)")
      if !ending.hasHappened { return #expect(count > Self.leastStepCount) }
    }
  }

  @Test func `1I.3 a copy under the name of a store that has gone has nothing of its log`() throws {
    let folder = try makeFolder(.logOnly)
    let source = try open(folder.file("New.sqlite"))
    try source.copy(to: folder.file())
    #expect(try contents(folder.file()) == Self.new)
  }

  @Test func `1I.3 stores of one folder and name keep each their large values`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try fill(open(folder.file("Store.db")), ["db"])
    try fill(open(folder.file("New.sqlite")), Self.new)
    let files = SQLiteFiles(busyTimeout: .zero)
    // Not there, but its folder of large values is that of the other one.
    try files.destroy(at: folder.file())
    #expect(try contents(folder.file("Store.db")) == ["db"])
    try files.replace(at: folder.file(), from: folder.file("New.sqlite"))
    #expect(try contents(folder.file("Store.db")) == ["db"])
    try files.destroy(at: folder.file())
    #expect(try contents(folder.file("Store.db")) == ["db"])
    try files.destroy(at: folder.file("Store.db"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.allSatisfy { $0.contains("New") })
  }

  @Test func `1I.3 a copy may be read by the same users as the store`() throws {
    let folder = try makeFolder(.closed)
    func permissions(_ name: String) throws -> Int? {
      let path = folder.file(name).path
      return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600],
      ofItemAtPath: folder.file().path
    )
    try open(folder.file()).copy(to: folder.file("Copy.sqlite"))
    #expect(try permissions("Copy.sqlite") == 0o600)
    try SQLiteFiles(busyTimeout: .zero).replace(
      at: folder.file(),
      from: folder.file("New.sqlite")
    )
    #expect(try permissions("Store.sqlite") == 0o600)
  }
}
