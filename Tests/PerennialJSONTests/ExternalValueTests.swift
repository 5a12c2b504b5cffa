// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

@Suite("Large values in files of their own")
struct ExternalValueTests {
  private let folder: TemporaryFolder
  private let model: ModelLayout
  private let store: JSONStore

  init() throws {
    folder = try TemporaryFolder()
    model = try TestModels.types()
    store = try JSONStore(url: folder.file(), model: model)
  }

  private static let large = Data((0..<200_000).map { UInt8($0 * 7 & 255) })

  private func row(_ key: Int64, _ data: Data, version: UInt32 = 1) -> Row {
    Row(key, version: version, ["aFile": .value(.data(data)), "aString": "text"])
  }

  private func update(_ names: [String], _ row: Row) -> ChangeSet {
    var changes = ChangeSet()
    changes.updates = [model.update("Thing", names, [row])]
    return changes
  }

  /// The files of large values.
  private func files(_ name: String = "Store.json.values") throws -> Set<String> {
    let path = folder.file(name).path
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return Set(try FileManager.default.contentsOfDirectory(atPath: path))
  }

  private func values(_ url: URL? = nil) throws -> [PropertyValue] {
    try JSONStore(url: url ?? folder.file(), model: model).values("Thing", "aFile")
  }

  @Test func `a large value lies in a file, a small one in the text, and both come back`() throws {
    let small = Data([1, 2, 3])
    try store.save(model.insertion([("Thing", [row(1, Self.large), row(2, small)])]))
    let names = try files()
    #expect(names.count == 1)
    #expect(try Data(contentsOf: folder.file()).count < 20_000)
    #expect(try values() == [.data(Self.large), .data(small)])
    let text = try String(contentsOf: folder.file(), encoding: .utf8)
    #expect(names.allSatisfy { text.contains("\"aFile\":{\"file\":\"\($0)\",\"checksum\":\"") })
  }

  @Test func `a value that stays keeps its file, and a file that nobody names goes`() throws {
    try store.save(model.insertion([("Thing", [row(1, Self.large), row(2, Self.large)])]))
    let first = try files()
    #expect(first.count == 2)
    try store.save(update(["aString"], Row(1, version: 2, ["aString": "other"])))
    #expect(try files() == first)
    // Also through a store that has read them.
    let other = try JSONStore(url: folder.file(), model: model)
    try other.save(update(["aFile"], row(1, Self.large + [1], version: 3)))
    let second = try files()
    #expect(second.count == 2 && second.intersection(first).count == 1)
    #expect(try store.values("Thing", "aFile").first == .data(Self.large + [1]))
    var deletion = ChangeSet()
    deletion.deletions = [model.deletion("Thing", [(1, 3), (2, 1)])]
    try store.save(deletion)
    #expect(try files().isEmpty)
  }

  @Test func `a value whose file is missing or damaged is an error, not an empty value`() throws {
    try store.save(model.insertion([("Thing", [row(1, Self.large)])]))
    let name = try #require(try files().first)
    let file = folder.file("Store.json.values").appending(path: name)
    var damaged = Self.large
    damaged[1_000] ^= 1
    try damaged.write(to: file)
    #expect(thrown { _ = try values() }?.message.contains("'Thing.aFile' is damaged") == true)
    try FileManager.default.removeItem(at: file)
    #expect(thrown { _ = try values() }?.message.contains("'Thing.aFile' is missing") == true)
    // A link is not followed.
    try Self.large.write(to: folder.file("elsewhere"))
    try FileManager.default.createSymbolicLink(
      at: file,
      withDestinationURL: folder.file("elsewhere")
    )
    #expect(thrown { _ = try values() }?.message.contains("is missing") == true)
  }

  @Test func `a save that conflicts or fails leaves no file behind`() throws {
    try store.save(model.insertion([("Thing", [row(1, Self.large)])]))
    let names = try files()
    let stale = update(["aFile"], row(1, Self.large + [1], version: 7))
    #expect(throws: SaveFailure.self) { try store.save(stale) }
    #expect(try files() == names)
    try FileManager.default.createDirectory(
      at: folder.file("Store.json.new"),
      withIntermediateDirectories: false
    )
    let next = update(["aFile"], row(1, Self.large + [1], version: 2))
    #expect(thrown { try store.save(next) }?.code == .persistentStoreSave)
    #expect(try files() == names)
    try FileManager.default.removeItem(at: folder.file("Store.json.new"))
    try store.save(next)
    #expect(try values() == [.data(Self.large + [1])])
    #expect(try files().count == 1)
  }

  @Test func `a copy that fails leaves nothing`() throws {
    try store.save(model.insertion([("Thing", [row(1, Self.large)])]))
    // The text of the copy cannot be written where a folder is.
    let obstacle = folder.file("Copy.json.new")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
    let before = try folder.names
    let copy = folder.file("Copy.json")
    let failure = thrown {
      try JSONFiles(busyTimeout: .seconds(1)).copy(from: folder.file(), to: copy)
    }
    #expect(failure?.code == .persistentStoreSave)
    #expect(try folder.names == before)
  }

  @Test func `copying and destroying a store takes the files along`() throws {
    try store.save(model.insertion([("Thing", [row(1, Self.large)])]))
    let copy = folder.file("Copy.json")
    let files = JSONFiles(busyTimeout: .seconds(1))
    try files.replace(at: copy, from: folder.file())
    #expect(try values(copy) == [.data(Self.large)])
    try files.destroy(at: folder.file())
    #expect(try self.files().isEmpty)
    #expect(try values(copy) == [.data(Self.large)])
  }
}
