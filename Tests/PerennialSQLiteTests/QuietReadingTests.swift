// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// What a crash may leave beside a store stays as it is.
@Suite("Reading without a trace")
struct QuietReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let store = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    try store.save(store.model.insertion([("Post", [Row(1)])]))
  }

  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.file($0))) }
    )
  }

  /// Everything that reads a store for which nobody asked by opening it.
  private func readAll() throws {
    let files = SQLiteFiles(busyTimeout: .zero, leavesNoTrace: true)
    #expect(try files.metadata(at: folder.file()).storeType == "SQLite")
    let inspection = try SQLiteInspector.inspect(folder.file())
    #expect(inspection.entities.map(\.rowCount) == [0, 1])
    #expect(inspection.problems == [])
    var options = StoreOptions()
    options.leavesNoTrace = true
    let store = try SQLiteStore(
      url: folder.file(),
      model: TestModels.blog(),
      isReadOnly: true,
      options: options
    )
    #expect(try store.rows("Post").count == 1)
    let copy = try TemporaryFolder()
    try files.copy(from: folder.file(), to: copy.file())
    #expect(try SQLiteInspector.inspect(copy.file()).entities.map(\.rowCount) == [0, 1])
  }

  /// SQLite: "Database File Format", 4.1: a log begins with 32 bytes, a frame with 24.
  @Test(arguments: ["header", "half a frame", "garbage", "nothing"])
  func `a log without one whole frame stays`(_ kind: String) throws {
    var log = Data([0x37, 0x7F, 0x06, 0x82, 0x00, 0x2D, 0xE2, 0x18, 0, 0, 0x10, 0])
    log += Data(count: 20)
    switch kind {
    case "half a frame": log += Data(repeating: 7, count: 2_000)
    case "garbage": log = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 37) })
    case "nothing": log = Data()
    default: break
    }
    try log.write(to: folder.file("Store.sqlite-wal"))
    let before = try contents()
    try readAll()
    #expect(try contents() == before)
  }

  /// A process ended when it had begun a log, and before it had written anything to it; or a loss of power has
  /// garbled the log's beginning.
  @Test(
    arguments: [Data(count: 32_768), Data(repeating: 0xA5, count: 32_768), Data()],
    [false, true]
  )
  func `a quick look at a store with a log and its shared memory finds nothing in them`(
    _ memory: Data,
    _ isGarbled: Bool
  ) throws {
    var log = Data([0x37, 0x7F, 0x06, 0x82, 0x00, 0x2D, 0xE2, 0x18, 0, 0, 0x10, 0, 0, 0, 0, 0])
    // The salts, which are of the log's own time, and the checksum.
    log += Data(1...16)
    if isGarbled { log = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }) }
    try log.write(to: folder.file("Store.sqlite-wal"))
    try memory.write(to: folder.file("Store.sqlite-shm"))
    let before = try contents()
    let files = SQLiteFiles(busyTimeout: .zero)
    #expect(try files.metadata(at: folder.file()).storeType == "SQLite")
    #expect(try files.storedModel(at: folder.file(), among: []).model != nil)
    #expect(try contents() == before)
    let options = StoreOptions()
    let store = try SQLiteStore(url: folder.file(), model: TestModels.blog(), options: options)
    #expect(try store.rows("Post").count == 1)
  }

  @Test(arguments: [0, 32_768])
  func `shared memory without a log gets none`(_ byteCount: Int) throws {
    try Data(count: byteCount).write(to: folder.file("Store.sqlite-shm"))
    let before = try contents()
    try readAll()
    #expect(try contents() == before)
  }
}
