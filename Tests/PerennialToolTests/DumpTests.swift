// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

@Suite struct `Rows that perennial dumps` {
  let folder: ToolFolder
  let model: String

  init() throws {
    folder = try ToolFolder()
    model = try folder.copyModel()
  }

  private func items(_ store: String, _ options: String...) async throws -> [PrintedItem] {
    let arguments = ["dump", store, "--model", model, "--entity", "Item", "--json"] + options
    let result = try await folder.program.run(arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded()
  }

  @Test(arguments: ["Library.sqlite", "Library.json"])
  func `every type has its form in JSON`(_ name: String) async throws {
    let store = try LibraryStore.make(name, in: folder)
    let items = try await items(store)
    try #require(items.map(\._entity) == ["Item", "Item", "Magazine"])
    let identifier = try #require(items[0]._id.split(separator: "/").dropFirst().first)
    func uri(_ entity: String, _ key: Int) -> String {
      "x-coredata://\(identifier)/\(entity)/p\(key)"
    }
    let tags = [uri("Tag", 1), uri("Tag", 2)]
    #expect(
      items[0]
        == PrintedItem(
          _id: uri("Item", 1),
          _entity: "Item",
          added: "2016-01-26T19:46:18Z",
          count: 3,
          isRead: true,
          price: 12.5,
          rating: 4.5,
          title: "Dune",
          author: uri("Author", 2),
          shelf: uri("Shelf", 1),
          tags: [tags[1]]
        )
    )
    #expect(
      items[1]
        == PrintedItem(
          _id: uri("Item", 2),
          _entity: "Item",
          added: "1970-01-01T00:00:00.25Z",
          cover: "AP8Q",
          home: "https://example.org/emma?a=1&b=2",
          isbn: LibraryStore.isbn,
          isRead: false,
          title: "Emma \u{1B}[31m\n\"é\"",
          author: uri("Author", 1),
          shelf: uri("Shelf", 1),
          tags: tags
        )
    )
    #expect(
      items[2]
        == PrintedItem(
          _id: uri("Magazine", 3),
          _entity: "Magazine",
          title: "Wired",
          shelf: uri("Shelf", 1),
          tags: [],
          issue: 7
        )
    )
  }

  @Test func `a transient attribute is no part of a row, and null is written`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let result = try await folder.run("dump", store, "--model", model, "--entity", "Item", "--json")
    let line = try #require(result.lines.first { $0.contains("\"Dune\"") })
    #expect(!line.contains("mood"))
    #expect(line.contains("\"cover\": null"))
    #expect(line.contains("\"price\": 12.5,"))
    #expect(!result.text.contains("\u{1B}"))
  }

  @Test(arguments: ["Library.sqlite", "Library.json"])
  func `an ordered relationship keeps its order`(_ name: String) async throws {
    struct Shelf: Decodable { var items: [String] }
    let store = try LibraryStore.make(name, in: folder)
    let result = try await folder.run(
      "dump",
      store,
      "--model",
      model,
      "--entity",
      "Shelf",
      "--json"
    )
    let shelves: [Shelf] = try result.decoded()
    let names = shelves.map {
      $0.items.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
    }
    #expect(names == [["Item/p2", "Item/p1", "Magazine/p3"]])
  }

  @Test func `subentities, conditions, sorts and limits choose rows`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    #expect(try await items(store, "--exact-entity").map(\._entity) == ["Item", "Item"])
    #expect(
      try await items(store, "--where", "author.name BEGINSWITH 'Frank'").map(\.title) == ["Dune"]
    )
    #expect(try await items(store, "--where", "ANY tags.name == 'old'").map(\.count) == [nil])
    #expect(try await items(store, "--sort", "-title").map(\.title.first) == ["W", "E", "D"])
    #expect(try await items(store, "--sort=-isRead,title").map(\.title.first) == ["D", "E", "W"])
    #expect(
      try await items(store, "--sort", "-isRead", "--sort", "-title").map(\.title.first)
        == ["D", "E", "W"]
    )
    #expect(
      try await items(store, "--sort", "author.name", "--limit", "2").map(\.title) == [
        "Wired", "Dune",
      ]
    )
    #expect(try await items(store, "--limit", "0").count == 3)
    #expect(try await items(store, "--where", "title == 'none'").isEmpty)
  }

  @Test func `a table has a line for each row, and notes what it leaves out`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let all = try await folder.run("dump", store, "--model", model, "--entity", "Author")
    #expect(
      all.lines == [
        "id  name           items", "p1  Jane Austen    Item/p2", "p2  Frank Herbert  Item/p1",
      ]
    )
    #expect(all.errors.isEmpty)
    let one = try await folder.run(
      "dump",
      store,
      "--model",
      model,
      "--entity",
      "Author",
      "--limit",
      "1"
    )
    #expect(one.lines.count == 2)
    #expect(one.errors == "1 of 2 rows. Add '--limit 0' to see all.\n")
    let items = try await folder.run("dump", store, "--model", model, "--entity", "Item")
    #expect(items.text.contains("Emma \\u{1B}[31m\\n\"é\""))
    #expect(items.text.contains("<3 bytes>"))
    let none = try await folder.run(
      "dump",
      store,
      "--model",
      model,
      "--entity",
      "Tag",
      "--where",
      "FALSEPREDICATE"
    )
    #expect(none.status == 0)
    #expect(none.text.isEmpty)
    #expect(none.errors == "No rows.\n")
  }

  @Test func `a table is as wide as the terminal`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let arguments = ["dump", store, "--model", model, "--entity", "Author", "--color", "never"]
    let terminal = try PseudoTerminal(folder.program, arguments, columns: 12)
    let shown = try await terminal.screen { $0.text.contains { $0.hasPrefix("p2") } }
    #expect(shown.text.prefix(3) == ["id  name   …", "p1  Jane Au…", "p2  Frank H…"])
    #expect(await terminal.status() == 0)
  }

  @Test(arguments: ["users", "bookmarks"])
  func `a store of Core Data needs no model file`(_ name: String) async throws {
    try folder.copy(name)
    let entity = name == "users" ? "User" : "BookmarkEntity"
    let store = "\(name)/store.sqlite"
    let own = try await folder.run("dump", store, "--entity", entity, "--json")
    try #require(own.status == 0, "\(own.errors)")
    let given = try await folder.run(
      "dump",
      store,
      "--entity",
      entity,
      "--json",
      "--model",
      "\(name)/model.xcdatamodel"
    )
    #expect(try Self.rows(own.output) == Self.rows(given.output))
    #expect(try Self.rows(own.output).count == (name == "users" ? 12 : 10))
  }

  /// The rows, whose members may stand in any order.
  private static func rows(_ output: Data) throws -> [NSDictionary] {
    try #require(JSONSerialization.jsonObject(with: output) as? [NSDictionary])
  }

  @Test func `our own store needs no model file`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let result = try await folder.run("dump", store, "--entity", "Tag")
    #expect(result.lines == ["id  name  items", "p1  old   Item/p2", "p2  long  Item/p1 Item/p2"])
    let copied = try await folder.run("convert", store, "Copy.json")
    #expect(copied.status == 0, "\(copied.errors)")
    let equal = try await folder.run("diff", store, "Copy.json")
    #expect(equal.text == "The stores are equal: 8 rows.\n")
  }

  @Test func `rows of a store of Core Data are read, those in its log too`() async throws {
    struct Bookmark: Decodable {
      var title: String
      var isFolder: Bool
      var modifiedAt: String?
      var favorites: [String]
    }
    try folder.copy("bookmarks")
    let result = try await folder.run(
      "dump",
      "bookmarks/store.sqlite",
      "--model",
      "bookmarks/model.xcdatamodel",
      "--entity",
      "BookmarkEntity",
      "--json"
    )
    let bookmarks: [Bookmark] = try result.decoded()
    // As `sqlite3` tells of the store and its log.
    #expect(
      bookmarks.map(\.title)
        == ["4", "1", "favorites_root", "3", "bookmarks_root", "31", "32", "5", "2", "33"]
    )
    #expect(bookmarks.filter(\.isFolder).count == 4)
    #expect(bookmarks.first?.modifiedAt == "2023-12-05T16:05:58.135948Z")
    let keys = bookmarks.map { $0.favorites.compactMap { $0.split(separator: "/").last } }
    #expect(keys[2] == ["p8", "p1", "p10", "p7", "p9"])
    #expect(keys.filter { !$0.isEmpty }.count == 1)
  }
}
