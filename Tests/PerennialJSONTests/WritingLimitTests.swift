// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// What is written exactly at a limit, and what is done beside a store's text.
///
/// Safe because bytes are used within the calls that lend them.
@Suite("Limits of what is written")
struct WritingLimitTests {
  private let files = ModelFiles()
  private let file = StoreFile(path: "/store.json")
  private let url = URL(filePath: "/store.json")
  private let types: ModelLayout
  private let people: ModelLayout

  init() throws {
    types = try TestModels.types()
    people = try TestModels.people()
  }

  private func open(_ model: ModelLayout) throws -> JSONStore {
    try JSONStore(file, model: model, files: files)
  }

  private func person(_ key: Int64) -> ChangeSet {
    people.insertion([("Person", [Row(key, ["name": .value(.string("p\(key)"))])])])
  }

  // MARK: Sizes

  @Test func `a value of the largest size stays in the text, one byte more lies in a file`() throws
  {
    func opened() throws -> JSONStore {
      try JSONStore(file, model: types, files: files, largestInlineCount: 1_000)
    }
    let inline = Data(repeating: 7, count: 1_000)
    let large = Data(repeating: 7, count: 1_001)
    let rows = [Row(1, ["aFile": .value(.data(inline))]), Row(2, ["aFile": .value(.data(large))])]
    try opened().save(types.insertion([("Thing", rows)]))
    let text = String(decoding: try #require(files.bytes("/store.json")), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("\"_key\":") }
    #expect(lines.count == 2)
    let line = " {\"_key\":1,\"_version\":1,\"aFile\":\"\(inline.base64EncodedString())\"}"
    #expect(lines.first.map(String.init) == line)
    #expect(files.names.filter { $0.hasPrefix("/store.json.values/") }.count == 1)
    #expect(try opened().values("Thing", "aFile") == [.data(inline), .data(large)])
  }

  @Test func `a text is given to its file by the mebibyte, and its end with the checksum`() throws {
    let piece = 1 << 20
    var output = JSONOutput(try files.create("/text", permissions: nil))
    output.write([UInt8](repeating: 0x20, count: piece - 1))
    try output.flushIfLarge()
    #expect(files.byteCount == 0)
    output.write(UInt8(ascii: " "))
    try output.flushIfLarge()
    #expect(files.byteCount == piece)
    try output.flushIfLarge()
    try output.finish()
    let bytes = try #require(files.bytes("/text"))
    let text = [UInt8](repeating: 0x20, count: piece) + Array("\"checksum\":".utf8)
    var checksum = CRC64()
    text.withUnsafeBytes { checksum.update($0) }
    let end = Array("\"".utf8) + checksum.value.hexadecimal + Array("\"\n}\n".utf8)
    let isWhole = bytes == text + end
    #expect(isWhole)
  }

  @Test func `objects of a mebibyte are given to the file one by one`() throws {
    let store = try open(types)
    let text = String(repeating: "x", count: 1 << 20)
    let rows = [1, 2].map { Row($0, ["aString": .value(.string(text))]) }
    files.begin(nil)
    try store.save(types.insertion([("Thing", rows)]))
    // Each of them, what follows up to the checksum, and that.
    #expect(files.steps.filter { $0 == .write }.count == 4)
    let isWhole = try open(types).values("Thing", "aString") == [.string(text), .string(text)]
    #expect(isWhole)
  }

  @Test(
    arguments: [
      ([0x61, 0x80, 0x62], "a\u{FFFD}b"), ([0x80], "\u{FFFD}"), ([0xFF], "\u{FFFD}"),
      ([0xC2, 0x80], "\u{80}"), ([0xC3, 0xA9], "\u{E9}"), ([0x7F], "\u{7F}"), ([], ""),
    ] as [([UInt8], String)]
  )
  func `bytes of text are written as UTF-8, whatever they are`(
    _ bytes: [UInt8],
    _ expected: String
  ) throws {
    var output = JSONOutput(try files.create("/text", permissions: nil))
    bytes.withUnsafeBytes { output.write(quoted: $0) }
    try output.finish()
    let written = try #require(files.bytes("/text"))
    let beginning = Array("\"\(expected)\"\"checksum\":".utf8)
    #expect(Array(written.prefix(beginning.count)) == beginning)
  }

  // MARK: Saves

  /// The number of conflicts of a save.
  private func conflictCount(_ body: () throws -> Void) throws -> Int {
    do {
      try body()
      return 0
    } catch SaveFailure.conflicts(let conflicts) {
      return conflicts.count
    }
  }

  /// A save that fails when all is written may be repeated, for as long as the store remembers it.
  @Test(arguments: [(64, 0), (65, 1)])
  func `of the sets that may have been written the last 64 can be saved again`(
    _ count: Int,
    _ conflicts: Int
  ) throws {
    let store = try open(people)
    let keys = (1...count).map { Int64($0) }
    let rows = keys.map { Row($0, ["name": .value(.string("p\($0)"))]) }
    files.begin(nil)
    try store.save(people.insertion([("Person", rows)]))
    let confirmation = try #require(files.steps.lastIndex(of: .syncFolder))
    let changes = keys.map { key -> ChangeSet in
      var changes = ChangeSet()
      let row = Row(key, version: 2, ["name": .value(.string("q\(key)"))])
      changes.updates = [people.update("Person", ["name"], [row])]
      return changes
    }
    for change in changes {
      files.begin(.failure(step: confirmation, code: 5))
      let error = thrown { try store.save(change) }
      #expect(error?.code == .persistentStoreSave)
    }
    files.begin(nil)
    let found = try conflictCount { try store.save(changes[0]) }
    #expect(found == conflicts)
  }

  @Test func `who watches a store hears of each save once, and of none that fails`() throws {
    let store = try open(people)
    #expect(files.told.isEmpty)
    files.begin(nil)
    try store.save(person(1))
    var told = ["/store.json.lock"]
    #expect(files.told == told)
    for (number, step) in files.steps.enumerated() {
      let change = person(Int64(number) + 2)
      files.begin(.failure(step: number, code: 5))
      let error = thrown { try store.save(change) }
      #expect(error?.code == .persistentStoreSave, "\(step)")
      #expect(files.told == told, "\(step)")
      files.begin(nil)
      try store.save(change)
      told.append("/store.json.lock")
      #expect(files.told == told, "\(step)")
    }
    #expect(told.count == 11)
  }

  @Test func `a save is one request`() throws {
    let store = try open(people)
    let before = store.tally.counters.statements
    try store.save(person(1))
    #expect(store.tally.counters.statements == before + 1)
  }

  @Test func `a history of which nothing is deleted is not written again`() throws {
    let store = try JSONStore(
      file,
      model: people,
      files: files,
      history: HistoryOptions(isOn: true)
    )
    try store.save(person(1))
    files.begin(nil)
    let long = Date(timeIntervalSinceReferenceDate: 0)
    #expect(try store.deleteHistory(before: .date(long)) == 0)
    #expect(files.steps == [.lock, .look])
    #expect(try store.history(HistoryQuery()).count == 1)
  }

  // MARK: Copies and migrations

  @Test func `a backup is its text alone: no lock's file stays beside it`() throws {
    let folder = try TemporaryFolder()
    let store = try JSONStore(url: folder.file(), model: people)
    try store.save(person(1))
    let backup = folder.file("Backup.json")
    let tools = JSONFiles(busyTimeout: .zero)
    let lock = try tools.lockForMigration(at: folder.file())
    try tools.keep(folder.file(), as: backup, lock)
    let kept = try JSONStore(url: backup, model: people, isReadOnly: true)
    #expect(try kept.values("Person", "name") == [.string("p1")])
    #expect(try folder.names == ["Backup.json", "Store.json", "Store.json.lock"])
  }

  @Test func `what is no store is not copied, neither over one nor to where none is`() throws {
    try open(people).save(person(1))
    let source = URL(filePath: "/source.json")
    files.put(Array("{ \"a\": 1 }".utf8), at: "/source.json")
    let (names, text) = (files.names, files.bytes("/store.json"))
    let closed = JSONFiles(busyTimeout: .zero, files: files)
    for target in [url, URL(filePath: "/new.json")] {
      let error = thrown { try closed.replace(at: target, from: source) }
      #expect(error?.code == .persistentStoreOpen, "\(target)")
      #expect(files.names == names, "\(target)")
    }
    #expect(files.bytes("/store.json") == text)
  }

  /// All rows are there by then: only the draft's text is about to get its name.
  @Test func `a migration that is cancelled at its last step leaves the old store`() throws {
    let fixture = try MigrationFixture()
    let files = try fixture.makeFiles()
    let before = files.bytes("/store.json")
    let monitor = MigrationMonitor(nil, stepCount: 1)
    files.begin(nil)
    files.interrupt(before: .rename) { monitor.cancellation.cancel() }
    let error = thrown { try fixture.migrate(files, backup: nil, monitor) }
    #expect(error?.code == .migrationCancelled)
    #expect(files.steps.contains(.rename))
    #expect(files.bytes("/store.json") == before)
    #expect(try fixture.isOld(files))
  }
}
