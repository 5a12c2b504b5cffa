// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import ProgramTesting
import Testing

@Suite struct `Stores that perennial inspects` {
  struct Inspection: Decodable {
    struct Entity: Decodable {
      var name: String
      var rows: Int
      var superentity: String?
      var table: String?
      var versionHash: String?
    }
    struct Table: Decodable {
      var name: String
      var rows: Int
    }
    struct Index: Decodable {
      var name: String
      var columns: [String]
      var isUnique: Bool
    }
    struct Model: Decodable {
      var name: String
      var matches: Bool
      var differences: [String]
    }
    var type: String
    var identifier: String?
    var frameworkVersion: Int?
    var versionIdentifiers: [String]?
    var hasModelCache: Bool?
    var holdsModel: Bool
    var bytes: Int
    var logBytes: Int
    var externalFiles: Int
    var missingExternalFiles: Int?
    var isIntact: Bool
    var problems: [String]?
    var model: Model?
    var entities: [Entity]
    var tables: [Table]?
    var indexes: [Index]?
  }

  let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private func inspection(_ arguments: String...) async throws -> Inspection {
    let result = try await folder.program.run(["inspect", "--json"] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded()
  }

  @Test func `a store of Core Data is described without its model`() async throws {
    try folder.copy("users")
    let found = try await inspection("users/store.sqlite")
    // What INDEX.md of the fixtures and `sqlite3` say.
    #expect(found.type == "SQLite")
    #expect(found.identifier == "5443A63D-EF0E-44C2-B216-AE8B5ED2FD09")
    #expect(found.frameworkVersion == 1344)
    #expect(found.versionIdentifiers == ["1"])
    #expect(found.hasModelCache == true && found.holdsModel)
    #expect(found.bytes == 24_576)
    #expect(found.entities.map(\.name) == ["User"])
    #expect(found.entities.map(\.rows) == [12])
    #expect(found.entities.map(\.table) == ["ZUSER"])
    #expect(found.isIntact)
    #expect(found.problems == [])
  }

  @Test func `a log that nobody has open counts`() async throws {
    try folder.copy("bookmarks")
    let found = try await inspection("bookmarks/store.sqlite")
    #expect(found.logBytes == 41_232)
    #expect(found.entities.map(\.rows) == [10])
    #expect(found.tables?.first { $0.name == "Z_1FAVORITES" }?.rows == 5)
  }

  @Test func `a model is compared with the store`() async throws {
    try folder.copy("users")
    try folder.copy("bookmarks")
    let same = try await inspection("users/store.sqlite", "--model", "users/model.xcdatamodel")
    #expect(same.model?.matches == true)
    let other = try await inspection("users/store.sqlite", "--model", "bookmarks/model.xcdatamodel")
    #expect(other.model?.matches == false)
    #expect(other.model?.differences == ["BookmarkEntity", "User"])
  }

  @Test func `entities, indexes and large values are told`() async throws {
    _ = try folder.copyModel()
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let found = try await inspection(store, "--model", "Library.xcdatamodeld")
    #expect(found.entities.map(\.name) == ["Author", "Item", "Magazine", "Shelf", "Tag"])
    #expect(found.entities.map(\.rows) == [2, 2, 1, 1, 2])
    #expect(found.entities.map(\.superentity) == [nil, nil, "Item", nil, nil])
    #expect(found.model?.name == "Library 2")
    #expect(found.model?.matches == true)
    #expect(found.externalFiles == 0)
    let unique = found.indexes?.filter { $0.isUnique && $0.columns == ["ZNAME"] }
    #expect(unique?.count == 1)
  }

  @Test func `large values whose files are missing are told, and end with 1`() async throws {
    let cover = AttributeDescription(
      "cover",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: true
    )
    let url = folder.file("Books.sqlite")
    do {
      let container = try PersistentContainer(
        name: "Books",
        model: ManagedObjectModel(EntityDescription("Book", properties: [.attribute(cover)])),
        store: .sqlite(url)
      )
      let context = container.newBackgroundContext()
      let book = try context.insert(entityNamed: "Book")
      try book.setValue(Data(count: 300_000), forKey: "cover")
      try context.save()
    }
    #expect(try await inspection("Books.sqlite").missingExternalFiles == 0)
    try FileManager.default.removeItem(at: folder.file(".Books_SUPPORT"))
    let result = try await folder.run("inspect", "Books.sqlite")
    #expect(result.status == 1)
    #expect(result.errors.contains("lacks 1 large value"))
    #expect(result.lines.contains { $0.hasPrefix("Missing") && $0.hasSuffix("1 large value") })
    #expect(result.lines.contains { $0.hasPrefix("Integrity") && $0.hasSuffix("ok") })
  }

  @Test func `a JSON store is described without its model`() async throws {
    _ = try folder.copyModel()
    let store = try LibraryStore.make("Library.json", in: folder)
    let found = try await inspection(store)
    #expect(found.type == "JSON")
    #expect(found.entities.map(\.name) == ["Author", "Item", "Magazine", "Shelf", "Tag"])
    #expect(found.entities.map(\.rows) == [2, 2, 1, 1, 2])
    #expect(found.isIntact)
    let text = try await folder.run("inspect", store)
    #expect(text.lines.contains("Item         2"))
  }

  @Test func `a damaged store is shown, and ends with 1`() async throws {
    _ = try folder.copyModel()
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    var bytes = try Data(contentsOf: folder.file(store))
    // The name is in the table and in the index of unique names: now they say different things.
    let name = try #require(bytes.range(of: Data("Frank Herbert".utf8)))
    try #require(
      bytes.range(of: Data("Frank Herbert".utf8), in: name.upperBound..<bytes.count) != nil
    )
    bytes.replaceSubrange(name, with: Data("Franz Herbert".utf8))
    try bytes.write(to: folder.file(store))
    let result = try await folder.run("inspect", store)
    #expect(result.status == 1)
    #expect(result.errors.contains("is damaged"))
    #expect(result.lines.contains { $0.hasPrefix("Integrity") && $0.contains("index") })
    #expect(result.lines.contains { $0.contains("Item") })
    #expect(try Data(contentsOf: folder.file(store)) == bytes)
  }
}
