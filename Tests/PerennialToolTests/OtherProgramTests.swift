// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles
import ProgramTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Stores that other programs write to, with `sqlite3` for example.
@Suite struct `Stores that others write to` {
  let folder: ToolFolder
  let model: String
  let store: String

  init() throws {
    folder = try ToolFolder()
    model = try folder.copyModel()
    store = try LibraryStore.make("Library.sqlite", in: folder)
  }

  private func open() throws -> SQLiteDatabase { try SQLiteDatabase(folder.file(store)) }

  /// Adds items to the store: with a key from 101 on, by some authors in turn.
  private func addItems(_ count: Int, authors: Int = 1, title: String = "title") throws {
    try open().run(
      """
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR)
      SELECT 101 + i, (SELECT Z_ENT FROM ZITEM WHERE Z_PK = 1), 1, '\(title)', i % \(authors) + 1 FROM n
      """
    )
  }

  @Test func `a journal that a crash has left is played back in a copy`() async throws {
    let cover = Data(repeating: 7, count: 300_000)
    try {
      let container = try PersistentContainer(
        name: "Library",
        model: ManagedObjectModel(contentsOf: folder.file(model)),
        store: .sqlite(folder.file(store))
      )
      let context = container.newBackgroundContext()
      let request = FetchRequest<ManagedObject>(entityName: "Item").filter("title == 'Dune'")
      try #require(try context.first(request)).setValue(cover, forKey: "cover")
      try context.save()
    }()
    try addItems(1_000)
    let database = try open()
    // Pages go to the file before the end of the transaction, so that the journal is needed.
    try database.run(
      "PRAGMA wal_checkpoint(TRUNCATE)",
      "PRAGMA journal_mode = DELETE",
      "PRAGMA cache_size = 1",
      "BEGIN",
      "UPDATE ZITEM SET ZTITLE = 'written by who crashed'"
    )
    for end in ["", "-journal"] {
      let bytes = try Data(contentsOf: URL(filePath: folder.file(store).path + end))
      #expect(!bytes.isEmpty)
      try bytes.write(to: folder.file("Crashed.sqlite\(end)"))
    }
    try database.run("ROLLBACK")
    let values = try #require(
      FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .first { $0.hasPrefix(".Library") }
    )
    try FileManager.default.copyItem(
      at: folder.file(values),
      to: folder.file(values.replacing("Library", with: "Crashed"))
    )
    let before = try folder.contents(of: ".")
    let dump = try await folder.run(
      "dump",
      "Crashed.sqlite",
      "--model",
      model,
      "--entity",
      "Item",
      "--json"
    )
    try #require(dump.status == 0, "\(dump.errors)")
    let items: [PrintedItem] = try dump.decoded()
    #expect(items.count == 1_003)
    #expect(!items.contains { $0.title == "written by who crashed" })
    #expect(items.first?.cover == cover.base64EncodedString())
    let diff = try await folder.run("diff", "Crashed.sqlite", store, "--model", model)
    #expect(diff.text == "The stores are equal: 1,008 rows.\n")
    #expect(try folder.temporaryFiles().isEmpty)
    #expect(try folder.contents(of: ".") == before)
  }

  @Test func `a store with a journal cannot be read where no copy can be made`() async throws {
    try Data("journal".utf8).write(to: folder.file("\(store)-journal"))
    var program = folder.program
    program.environment["TMPDIR"] = folder.file(store).path
    let result = try await program.run("inspect", store)
    #expect(result.status == 1)
    #expect(result.errors.contains("the journal of 'Library.sqlite' cannot be read: no copy"))
    #expect(result.errorLines.last == "Free some space there, or set TMPDIR to another folder.")
  }

  @Test func `who writes while a store is read is noticed`() async throws {
    try addItems(5_000, title: String(repeating: "long ", count: 20))
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let shell = Program(
      executable: URL(filePath: "/bin/sh"),
      folder: folder.url,
      environment: folder.program.environment
    )
    let command = "exec \"$@\" > pipe"
    let run = try shell.start(
      [
        "-c", command, "sh", folder.program.executable.path, "dump", store, "--model", model,
        "--entity", "Item", "--json",
      ]
    )
    // The pipe has no room for all rows, so that the program is still reading.
    let reader = try FileHandle(forReadingFrom: pipe)
    _ = try reader.read(upToCount: 1)
    try open().run("UPDATE ZITEM SET ZTITLE = 'new' WHERE Z_PK = 1")
    _ = try reader.readToEnd()
    let result = try await run.result()
    #expect(result.status == 75)
    #expect(
      result.errorLines == [
        "perennial: error: somebody has written to 'Library.sqlite' while it was read",
        "Run the command again.",
      ]
    )
  }

  @Test func `rows and members are read some at a time`() async throws {
    try addItems(1_300, authors: 2)
    let before = folder.file("Before.sqlite")
    let copied = try await folder.run("backup", store, before.lastPathComponent)
    #expect(copied.status == 0, "\(copied.errors)")
    try open().run("DELETE FROM ZITEM WHERE Z_PK BETWEEN 300 AND 899")
    let diff = try await folder.run("diff", "Before.sqlite", store, "--model", model)
    #expect(diff.status == 1)
    #expect(diff.lines.filter { $0.hasPrefix("- Item/p") }.count == 600)
    // Eight rows were there, and the authors' items follow from the items.
    #expect(diff.lines.last == "600 only in A, 0 only in B, 0 changed, 708 equal")
    let table = try await folder.run(
      "dump",
      store,
      "--model",
      model,
      "--entity",
      "Item",
      "--limit",
      "250"
    )
    #expect(table.lines.count == 251)
    #expect(table.errors == "250 of 703 rows. Add '--limit 0' to see all.\n")
  }

  @Test(arguments: [(1, 20_001), (2, 30_000)])
  func `an object with many members names the first ones`(_ authors: Int, _ count: Int)
    async throws
  {
    try addItems(count, authors: authors)
    try open().run("UPDATE ZITEM SET ZAUTHOR = NULL WHERE Z_PK < 100")
    let dump = try await folder.run("dump", store, "--model", model, "--entity", "Author", "--json")
    try #require(dump.status == 0, "\(dump.errors)")
    struct Author: Decodable { var items: [String] }
    let found: [Author] = try dump.decoded()
    for (index, author) in found.enumerated() {
      let keys = author.items.compactMap { Int($0.split(separator: "/p").last ?? "") }
      #expect(
        keys == (101..<101 + count).filter { ($0 - 101) % authors == index && index < authors }
      )
    }
    #expect(found.count == 2)
  }

  @Test func `a list of members is cut in a table`() async throws {
    try addItems(30)
    try open().run("UPDATE ZITEM SET ZAUTHOR = 2 WHERE Z_PK < 100")
    let table = try await folder.run("dump", store, "--model", model, "--entity", "Author")
    let line = try #require(table.lines.dropFirst().first)
    #expect(line.hasPrefix("p1  Jane Austen    Item/p101 Item/p102"))
    let diff = try await folder.run("diff", store, store, "--model", model)
    #expect(diff.text == "The stores are equal: 38 rows.\n")
  }

  @Test func `an index of an expression has no column`() async throws {
    try open().run("CREATE INDEX Other ON ZTAG (lower(ZNAME), ZNAME)")
    let result = try await folder.run("inspect", store)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("(expression), ZNAME"))
  }

  @Test func `an index in an order of another program is told, as it cannot be checked`()
    async throws
  {
    let database = try open()
    database.addOrder(named: "theirs")
    try database.run("CREATE INDEX Other ON ZTAG (ZNAME COLLATE theirs)")
    let result = try await folder.run("inspect", store)
    #expect(result.status == 1)
    #expect(
      result.errorLines.first?.hasPrefix(
        "perennial: error: the store 'Library.sqlite' cannot be checked: "
      ) == true,
      "\(result.errors)"
    )
    #expect(
      result.errorLines.last == "Look at it with the program that made what is named."
    )
    #expect(result.text.contains("Author"))
  }

  @Test func `a store without its metadata is shown all the same`() async throws {
    try open().run("DELETE FROM Z_METADATA")
    let version = "\(model)/Library 2.xcdatamodel"
    let result = try await folder.run("inspect", store, "--model", version)
    #expect(result.text.contains("missing or unreadable"), "\(result.errors)")
    #expect(
      result.text.contains("written with another version: Author, Item, Magazine, Shelf, Tag"),
      "\(result.errors)"
    )
  }

  @Test func `notes, history, free pages and large values are told`() async throws {
    var description = StoreDescription.sqlite(folder.file(store))
    description.historyTracking = true
    try {
      let container = try PersistentContainer(
        name: "Library",
        model: ManagedObjectModel(contentsOf: folder.file(model)),
        store: description
      )
      let context = container.newBackgroundContext()
      let request = FetchRequest<ManagedObject>(entityName: "Item").filter("title == 'Dune'")
      let dune = try #require(try context.first(request))
      try dune.setValue(Data(repeating: 1, count: 300_000), forKey: "cover")
      try context.save()
    }()
    var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: description)
    metadata["colour"] = .string("green")
    metadata["author"] = .string("Ada")
    try PersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreAt: description)
    try addItems(2_000)
    try open().run("DELETE FROM ZITEM WHERE Z_PK > 100")
    let result = try await folder.run("inspect", store)
    #expect(result.status == 0, "\(result.errors)")
    let facts = result.lines.reduce(into: [String: String]()) { facts, line in
      let words = line.split(separator: "  ", maxSplits: 1)
      if words.count == 2 {
        facts[String(words[0])] = words[1].trimmingCharacters(in: .whitespaces)
      }
    }
    #expect(facts["colour"] == "green" && facts["author"] == "Ada")
    #expect(facts["History"] == "1 transaction")
    #expect(facts["Pages"]?.contains(" of them free") == true)
    #expect(facts["Size"]?.contains("1 large value 293.0 KiB") == true)
    struct Found: Decodable {
      var metadata: [String: String]
      var transactions: Int
      var freePages: Int
      var externalFiles: Int
      var externalBytes: Int
    }
    let found: Found = try await folder.run("inspect", store, "--json").decoded()
    #expect(found.metadata == ["author": "Ada", "colour": "green"])
    #expect(found.transactions == 1)
    #expect(found.freePages > 0)
    #expect(found.externalFiles == 1 && found.externalBytes == 300_000)
  }
}
