// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// A store with large values and a history, and a model that it is migrated to: an entity is renamed, one is
/// removed, attributes change.
struct MigrationFixture {
  static let url = URL(filePath: "/store.json")
  static let backup = URL(filePath: "/store~.json")
  /// What is large here, so that the checksums do not take the time.
  static let threshold = 1_000

  let old: ManagedObjectModel
  let new: ManagedObjectModel
  var mapping: ModelMapping { MigrationPlan(from: old, to: new).mapping }

  init() throws {
    old = try ManagedObjectModel(
      EntityDescription("Note", properties: [.attribute("text", .string, optional: true)]),
      EntityDescription(
        "Thing",
        properties: [
          .attribute("name", .string, optional: true),
          Self.file("kept"), Self.file("dropped"),
        ]
      )
    )
    var item = EntityDescription(
      "Item",
      properties: [
        .attribute("name", .string, optional: true), .attribute("rank", .int64, default: 3),
        Self.file("kept"),
      ]
    )
    item.renamingIdentifier = "Thing"
    new = try ManagedObjectModel(item)
  }

  private static func file(_ name: String) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name,
        .binaryData,
        isOptional: true,
        allowsExternalBinaryDataStorage: true
      )
    )
  }

  static func large(_ seed: UInt8) -> PropertyValue {
    .data(Data(repeating: seed, count: threshold + 1))
  }

  func open(_ model: ManagedObjectModel, _ files: ModelFiles, _ url: URL = url) throws -> JSONStore
  {
    try JSONStore(
      StoreFile(url, files),
      model: model.layout,
      files: files,
      history: HistoryOptions(isOn: true, keepsOldValues: true),
      largestInlineCount: Self.threshold
    )
  }

  /// Two objects with large values, then a change of one, and a note.
  func makeFiles() throws -> ModelFiles {
    let files = ModelFiles()
    let store = try open(old, files)
    let rows = [
      Row(1, ["name": "a", "kept": .value(Self.large(1)), "dropped": .value(Self.large(2))]),
      Row(4, ["name": "b", "kept": .value(Self.large(3))]),
    ]
    try store.save(old.layout.insertion([("Thing", rows), ("Note", [Row(1, ["text": "x"])])]))
    var change = ChangeSet()
    change.updates = [old.layout.update("Thing", ["name"], [Row(1, version: 2, ["name": "c"])])]
    try store.save(change)
    try store.setMetadata(["who": .string("me")])
    return files
  }

  func tools(_ files: ModelFiles) -> JSONFiles {
    JSONFiles(busyTimeout: .zero, files: files, largestInlineCount: Self.threshold)
  }

  /// All steps of a migration.
  func migrate(
    _ files: ModelFiles,
    backup: URL? = nil,
    along mapping: ModelMapping? = nil,
    _ monitor: MigrationMonitor = MigrationMonitor(nil, stepCount: 1)
  ) throws {
    let draft = StoreDraft(of: Self.url)
    let tools = tools(files)
    let lock = try tools.lockForMigration(at: Self.url)
    try makeFolder(of: draft, files)
    try tools.makeDraft(of: Self.url, in: draft, lock)
    try tools.migrate(draft.url, mapping ?? self.mapping, monitor)
    try tools.put(draft.url, over: Self.url, previous: backup, lock)
  }

  /// Makes the folder of a draft, as whoever leads a migration does.
  func makeFolder(of draft: StoreDraft, _ files: ModelFiles) throws {
    do throws(FileFailure) {
      try files.folder("/").makeFolder(draft.folder.lastPathComponent, permissions: nil)
    } catch {
      throw PerennialError(error, during: .saving, store: "store.json")
    }
  }

  /// Whether the files have the old store, whole.
  func isOld(_ files: ModelFiles, _ url: URL = url) throws -> Bool {
    let store = try open(old, files, url)
    return try store.values("Thing", "name") == [.string("c"), .string("b")]
      && store.values("Thing", "kept") == [Self.large(1), Self.large(3)]
      && store.values("Thing", "dropped") == [Self.large(2), .null]
      && store.values("Note", "text") == [.string("x")]
  }

  /// Whether the files have the new store, whole.
  func isNew(_ files: ModelFiles, _ url: URL = url) throws -> Bool {
    let store = try open(new, files, url)
    return try store.values("Item", "name") == [.string("c"), .string("b")]
      && store.values("Item", "kept") == [Self.large(1), Self.large(3)]
      && store.values("Item", "rank") == [.integer(3), .integer(3)]
      && store.metadata() == ["who": .string("me")]
  }

  /// The files of large values of a store.
  func valueFiles(_ files: ModelFiles, _ url: URL = url) -> Set<String> {
    files.names.filter { $0.hasPrefix(url.path + ".values/") }
  }
}
