// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles
import ProgramTesting
import Testing

@Suite struct `Stores that perennial compares and copies` {
  struct Difference: Decodable {
    /// The values of a property, if they are texts.
    struct Values: Decodable {
      let a: String?
      let b: String?

      enum CodingKeys: CodingKey { case a, b }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try? container.decode(String.self, forKey: .a)
        b = try? container.decode(String.self, forKey: .b)
      }
    }
    var entity: String
    var key: Int
    var difference: String
    var values: [String: Values]?
  }

  let folder: ToolFolder
  let model: String

  init() throws {
    folder = try ToolFolder()
    model = try folder.copyModel()
  }

  private func change(_ name: String, _ body: (ManagedObjectContext) throws -> Void) throws {
    let url = folder.file(name)
    let container = try PersistentContainer(
      name: "Library",
      model: ManagedObjectModel(contentsOf: folder.file(model)),
      store: url.pathExtension == "json" ? .json(url) : .sqlite(url)
    )
    let context = container.newBackgroundContext()
    try body(context)
    try context.save()
  }

  private func object(_ entity: String, _ name: String, _ context: ManagedObjectContext) throws
    -> ManagedObject
  {
    let request = FetchRequest<ManagedObject>(entityName: entity).filter("name == \(name)")
    return try #require(try context.first(request))
  }

  @Test(arguments: ["Copy.json", "Copy.sqlite"], ["Library.sqlite", "Library.json"])
  func `a store converted is equal to its source`(_ copy: String, _ name: String) async throws {
    let store = try LibraryStore.make(name, in: folder)
    let converted = try await folder.run("convert", store, copy, "--model", model)
    try #require(converted.status == 0, "\(converted.errors)")
    let result = try await folder.run("diff", store, copy, "--model", model)
    #expect(result.status == 0)
    #expect(result.text == "The stores are equal: 8 rows.\n")
    let json = try await folder.run("diff", store, copy, "--model", model, "--json")
    #expect(json.text == "[]\n")
  }

  @Test func `a conversion in a terminal shows how far it is, and then nothing of that`()
    async throws
  {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let arguments = ["convert", store, "Copy.json", "--model", model, "--color", "never"]
    let terminal = try PseudoTerminal(folder.program, arguments)
    let end = try await terminal.screen { $0.text.contains("SQLite to JSON: Copy.json") }
    #expect(end.text.filter { !$0.isEmpty } == ["SQLite to JSON: Copy.json"])
    #expect(await terminal.status() == 0)
  }

  @Test func `rows that came, went or changed are told`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let copied = try await folder.run("convert", store, "Other.json", "--model", model)
    try #require(copied.status == 0, "\(copied.errors)")
    try change("Other.json") { context in
      try object("Author", "Jane Austen", context).setValue("J. Austen", forKey: "name")
      context.delete(try object("Tag", "old", context))
      try context.insert(entityNamed: "Tag").setValue("new", forKey: "name")
      let shelf = try object("Shelf", "Top", context)
      let emma = FetchRequest<ManagedObject>(entityName: "Item").filter("title BEGINSWITH 'Emma'")
      let first = try #require(try context.first(emma))
      try first.setObject(nil, forKey: "shelf")
      try context.save()
      try first.setObject(shelf, forKey: "shelf")
    }
    let result = try await folder.run("diff", store, "Other.json", "--model", model, "--json")
    #expect(result.status == 1)
    #expect(result.errors.isEmpty)
    let differences: [Difference] = try result.decoded()
    #expect(
      differences.map { "\($0.entity)/\($0.key) \($0.difference)" }
        == [
          "Author/1 changed", "Item/2 changed", "Shelf/1 changed", "Tag/1 onlyInA", "Tag/3 onlyInB",
        ]
    )
    #expect(differences.first?.values?["name"]?.a == "Jane Austen")
    #expect(differences.first?.values?["name"]?.b == "J. Austen")
    let text = try await folder.run("diff", "Other.json", store, "--model", model)
    #expect(text.status == 1)
    #expect(text.lines.first == "~ Author/p1")
    #expect(text.lines.contains("    name: 'J. Austen' -> 'Jane Austen'"))
    #expect(text.lines.contains("+ Tag/p1"))
    #expect(text.lines.last == "1 only in A, 1 only in B, 3 changed, 4 equal")
  }

  @Test(arguments: ["Library.sqlite", "Library.json"])
  func `a backup has the rows of the moment and the large values`(_ name: String) async throws {
    let store = try LibraryStore.make(name, in: folder)
    let cover = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try change(store) { context in
      let request = FetchRequest<ManagedObject>(entityName: "Item").filter("title == 'Dune'")
      try #require(try context.first(request)).setValue(cover, forKey: "cover")
    }
    try FileManager.default.createDirectory(
      at: folder.file("backups"),
      withIntermediateDirectories: true
    )
    let backup = "backups/\(name)"
    // Somebody has the store open, and has just saved.
    let container = try PersistentContainer(
      name: "Library",
      model: ManagedObjectModel(contentsOf: folder.file(model)),
      store: name.hasSuffix("json") ? .json(folder.file(store)) : .sqlite(folder.file(store))
    )
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Tag").setValue("last", forKey: "name")
    try context.save()
    let result = try await folder.run("backup", store, backup)
    try #require(result.status == 0, "\(result.errors)")
    let equal = try await folder.run("diff", store, backup, "--model", model)
    #expect(equal.text == "The stores are equal: 9 rows.\n")
    let dump = try await folder.run("dump", backup, "--model", model, "--entity", "Item", "--json")
    let items: [PrintedItem] = try dump.decoded()
    #expect(items.first?.cover == cover.base64EncodedString())
    let again = try await folder.run("backup", store, backup)
    #expect(again.status == 1)
    #expect(again.errors.contains("there is a file '\(backup)' already"))
    withExtendedLifetime(container) {}
  }

  @Test(arguments: ["Copy.json", "Copy.sqlite"])
  func `a conversion that is cancelled leaves nothing`(_ copy: String) async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let (source, target) = (folder.file(store), folder.file(copy))
    let url = folder.file(model)
    let task = Task { () -> PerennialError.Code? in
      // Safe because the task is only cancelled, within the call.
      withUnsafeCurrentTask { $0?.cancel() }
      var description = StoreDescription.sqlite(source)
      description.isReadOnly = true
      let coordinator = try PersistentStoreCoordinator(
        model: ManagedObjectModel(contentsOf: url)
      )
      let opened = try coordinator.addPersistentStore(description)
      do {
        let new: StoreDescription = copy.hasSuffix("json") ? .json(target) : .sqlite(target)
        try coordinator.copyPersistentStore(opened, to: new)
        return nil
      } catch let error as PerennialError {
        return error.code
      }
    }
    #expect(try await task.value == .fetchCancelled)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains("Copy") })
  }

  @Test func `a store of Core Data with a log is backed up with what the log holds`() async throws {
    try folder.copy("bookmarks")
    let result = try await folder.run("backup", "bookmarks/store.sqlite", "copy.sqlite")
    try #require(result.status == 0, "\(result.errors)")
    let equal = try await folder.run(
      "diff",
      "bookmarks/store.sqlite",
      "copy.sqlite",
      "--model",
      "bookmarks/model.xcdatamodel"
    )
    #expect(equal.text == "The stores are equal: 10 rows.\n")
  }

  @Test func `a vacuum gives back the room of deleted rows`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    try change(store) { context in
      for number in 0..<2_000 {
        try context.insert(entityNamed: "Tag").setValue("tag \(number)", forKey: "name")
      }
    }
    try change(store) { context in
      let tags = FetchRequest<ManagedObject>(entityName: "Tag").filter("name BEGINSWITH 'tag '")
      for tag in try context.fetch(tags) { context.delete(tag) }
    }
    struct Sizes: Decodable {
      var before: Int
      var after: Int
    }
    let result = try await folder.run("vacuum", store, "--json")
    try #require(result.status == 0, "\(result.errors)")
    let sizes: Sizes = try result.decoded()
    #expect(sizes.after < sizes.before)
    let size = try folder.file(store).resourceValues(forKeys: [.fileSizeKey]).fileSize
    #expect(size == sizes.after)
    let inspection = try await folder.run("inspect", store)
    #expect(inspection.status == 0)
  }

  @Test func `stores are equal whose models declare the sides of a pair in another order`()
    async throws
  {
    let follows = PropertyDescription.toMany("follows", "Person", inverse: "followers")
    let followers = PropertyDescription.toMany("followers", "Person", inverse: "follows")
    for (store, sides) in [
      (StoreDescription.sqlite(folder.file("Old.sqlite")), [follows, followers]),
      (StoreDescription.json(folder.file("New.json")), [followers, follows]),
    ] {
      let container = try PersistentContainer(
        name: "People",
        model: ManagedObjectModel(EntityDescription("Person", properties: sides)),
        store: store
      )
      let context = container.newBackgroundContext()
      let first = try context.insert(entityNamed: "Person")
      try context.save()
      let second = try context.insert(entityNamed: "Person")
      try second.objects(forKey: "follows").insert(first)
      try context.save()
    }
    let result = try await folder.run("diff", "Old.sqlite", "New.json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text == "The stores are equal: 2 rows.\n")
  }

  @Test func `an order counts that both stores keep`() async throws {
    for (name, isOrdered, keys) in [
      ("Loose.sqlite", false, [1, 0]), ("Ordered.sqlite", true, [1, 0]),
      ("Turned.sqlite", true, [0, 1]),
    ] {
      let container = try PersistentContainer(
        name: "Shelves",
        model: ManagedObjectModel(
          EntityDescription(
            "Shelf",
            properties: [.toMany("books", "Book", inverse: "shelf", ordered: isOrdered)]
          ),
          EntityDescription("Book", properties: [.toOne("shelf", "Shelf", inverse: "books")])
        ),
        store: .sqlite(folder.file(name))
      )
      let context = container.newBackgroundContext()
      let shelf = try context.insert(entityNamed: "Shelf")
      var books: [ManagedObject] = []
      for _ in keys {
        books.append(try context.insert(entityNamed: "Book"))
        try context.save()
      }
      for key in keys {
        try books[key].setObject(shelf, forKey: "shelf")
        try context.save()
      }
    }
    let equal = try await folder.run("diff", "Loose.sqlite", "Ordered.sqlite")
    #expect(equal.text == "The stores are equal: 3 rows.\n", "\(equal.errors)")
    let turned = try await folder.run("diff", "Ordered.sqlite", "Turned.sqlite")
    #expect(turned.lines.last == "0 only in A, 0 only in B, 1 changed, 2 equal")
  }

  /// Makes a store in which one item has a large value, and gives its name.
  private func makeLarge(_ name: String) throws -> String {
    let store = try LibraryStore.make(name, in: folder)
    try change(store) { context in
      let request = FetchRequest<ManagedObject>(entityName: "Item").filter("title == 'Dune'")
      let cover = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try #require(try context.first(request)).setValue(cover, forKey: "cover")
    }
    return store
  }

  @Test func `a JSON store that lacks a large value is not copied`() async throws {
    let store = try makeLarge("Library.json")
    try FileManager.default.removeItem(at: folder.file("Library.json.values"))
    for arguments in [
      ["inspect", store], ["backup", store, "b.json"], ["convert", store, "c.json"],
    ] {
      let result = try await folder.program.run(arguments)
      #expect(result.status == 1, "\(arguments)")
      #expect(result.errors.contains("is missing"), "\(arguments): \(result.errors)")
      #expect(!result.lines.contains { $0.hasPrefix("Integrity") && $0.hasSuffix("ok") })
    }
    for name in ["b.json", "c.json"] {
      #expect(!FileManager.default.fileExists(atPath: folder.file(name).path))
    }
  }

  @Test func `a SQLite store that lacks a large value is backed up with a note, and not converted`()
    async throws
  {
    let store = try makeLarge("Library.sqlite")
    try FileManager.default.removeItem(at: folder.file(".Library_SUPPORT"))
    let convert = try await folder.run("convert", store, "Copy.json")
    #expect(convert.status == 1)
    #expect(
      convert.errorLines.first == "perennial: error: the store 'Library.sqlite' lacks 1 large value"
    )
    #expect(!FileManager.default.fileExists(atPath: folder.file("Copy.json").path))
    let backup = try await folder.run("backup", store, "Copy.sqlite")
    #expect(backup.status == 0)
    #expect(
      backup.errorLines.first == "note: the store 'Library.sqlite' lacks 1 large value"
    )
  }

  @Test func `a file beside a copy stays, although its name is that of a lock`() async throws {
    let store = try LibraryStore.make("Library.json", in: folder)
    for command in ["convert", "backup"] {
      let lock = folder.file("\(command).json.lock")
      try Data("mine".utf8).write(to: lock)
      let result = try await folder.run(command, store, "\(command).json")
      try #require(result.status == 0, "\(result.errors)")
      #expect(try Data(contentsOf: lock) == Data("mine".utf8))
    }
  }

  @Test func `a list of one object has a place in what is converted to SQLite`() async throws {
    let store = try LibraryStore.make("Library.json", in: folder)
    try change(store) { context in
      let items = FetchRequest<ManagedObject>(entityName: "Item").filter("title != 'Dune'")
      for item in try context.fetch(items) { try item.setObject(nil, forKey: "shelf") }
    }
    let result = try await folder.run("convert", store, "Copy.sqlite")
    try #require(result.status == 0, "\(result.errors)")
    // The column of places is not NULL beside a shelf.
    let database = try SQLiteDatabase(folder.file("Copy.sqlite"))
    try database.run(
      "CREATE TEMP TABLE places (place INTEGER NOT NULL)",
      "INSERT INTO places SELECT Z_FOK_SHELF FROM ZITEM WHERE ZSHELF IS NOT NULL"
    )
  }
}
