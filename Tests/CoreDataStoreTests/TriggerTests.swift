// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelCache
import PerennialSQL
import Testing

@testable import PerennialSQLite

@Suite("Derived attributes and history of a store that Core Data wrote")
struct TriggerTests {
  private let copy: StoreFolder

  init() throws { copy = try StoreFolder(.named("coredataplus-sample2-v2")) }

  private func open() throws -> PersistentContainer {
    let model = try ManagedObjectModel(cachedIn: copy.store)
    return try PersistentContainer(name: "Books", model: model, store: .sqlite(copy.store))
  }

  private func books(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    var request = FetchRequest<ManagedObject>(entityName: "Book")
    request.sortDescriptors = [FetchSort("title")]
    return try context.fetch(request)
  }

  /// What the file says: the number of pages of each book by key, counted and stored.
  private func counts() throws -> [(stored: Int64?, counted: Int64)] {
    let connection = try copy.connect()
    let rows = try RawTable("ZBOOK", on: connection).byKey.sorted { $0.key < $1.key }
    return try rows.map { key, row in
      let counted = try connection.integers("SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = \(key)")
      return (row["ZPAGESCOUNT"]?.integer, counted[0])
    }
  }

  private func page(_ context: ManagedObjectContext, _ number: Int, of book: ManagedObject) throws {
    let page = try context.insert(entityNamed: "Page")
    try page.setValue(number, forKey: "number")
    try page.setValue(Data([1]), forKey: "content")
    try page.setObject(book, forKey: "book")
  }

  @Test func `the triggers run, and derived values are right after every kind of change`() throws {
    #expect(try counts().map(\.stored) == counts().map(\.counted))
    let total = try counts().reduce(0) { $0 + $1.counted }
    do {
      let context = try open().newBackgroundContext()
      let books = try books(context)
      #expect(books.count == 3)
      // Two new pages of the second book, one of the first that moves, one that goes, a new book.
      let before = try books.map { try $0.value(forKey: "pagesCount") as? Int64 ?? -1 }
      try page(context, 901, of: books[1])
      try page(context, 902, of: books[1])
      let pages = Array(try books[0].objects(forKey: "pages"))
      try pages[0].setObject(books[2], forKey: "book")
      context.delete(pages[1])
      let author = try #require(try books[0].object(forKey: "author"))
      let novel = try context.insert(entityNamed: "GraphicNovel")
      try novel.setValue("a title of its own", forKey: "title")
      try novel.setValue(Decimal(12.5), forKey: "price")
      try novel.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "publishedAt")
      try novel.setValue(UUID(), forKey: "uniqueID")
      try novel.setValue(Data([2]), forKey: "frontCover")
      try novel.setObject(author, forKey: "author")
      try page(context, 1, of: novel)
      try context.save()
      let after = try books.map { try $0.value(forKey: "pagesCount") as? Int64 ?? -1 }
      #expect(after == [before[0] - 2, before[1] + 2, before[2] + 1])
      #expect(try novel.value(forKey: "pagesCount") as? Int64 == 1)
    }
    let counts = try counts()
    #expect(counts.map(\.stored) == counts.map(\.counted))
    #expect(counts.reduce(0) { $0 + $1.counted } == total + 2)
    let connection = try copy.connect()
    #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
    #expect(
      try connection.integers("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'") == [5]
    )
  }

  @Test func `the history of Core Data goes on in the same transaction`() throws {
    do {
      let context = try open().newBackgroundContext()
      context.transactionAuthor = "Perennial"
      let books = try books(context)
      try page(context, 901, of: books[0])
      try books[1].setValue("another title", forKey: "title")
      context.delete(Array(try books[2].objects(forKey: "pages"))[0])
      try context.save()
    }
    let connection = try copy.connect()
    let changes = try RawTable("ACHANGE", on: connection).byKey
    #expect(changes.count > 126)
    #expect(Set(changes.keys) == Set(1...Int64(changes.count)))
    let new = changes.filter { $0.key > 126 }.map(\.value)
    // The numbers of the store's entities: Book 1, Page 4; 16001 for the changes themselves.
    #expect(new.allSatisfy { $0["Z_ENT"] == .integer(16_001) && $0["Z_OPT"] == .null })
    #expect(new.allSatisfy { $0["ZTRANSACTIONID"] == .integer(2) })
    func kinds(_ entity: Int64) -> [Int64?] {
      new.filter { $0["ZENTITY"] == .integer(entity) }.map { $0["ZCHANGETYPE"]?.integer }
        .sorted { ($0 ?? 0) < ($1 ?? 0) }
    }
    #expect(kinds(4).first == 0 && kinds(4).last == 2)
    #expect(Set(kinds(1)) == [1])
    // The first book has only been counted anew, by a trigger; so has the graphic novel, 2.
    #expect(
      Set(new.filter { $0["ZENTITY"] == .integer(1) }.map { $0["ZENTITYPK"]?.integer }) == [1, 2]
    )
    #expect(kinds(2) == [1])
    let page = new.first { $0["ZCHANGETYPE"] == .integer(0) }
    #expect(page?["ZENTITYPK"] == .integer(120))
    #expect(new.allSatisfy { ($0["ZCOLUMNS"] != .null) == ($0["ZCHANGETYPE"] == .integer(1)) })
    let transaction = try #require(try RawTable("ATRANSACTION", on: connection).byKey[2])
    #expect(transaction["Z_ENT"] == .integer(16_002))
    #expect(transaction["Z_OPT"] == .null && transaction["ZAUTHOR"] == .null)
    let strings = try RawTable("ATRANSACTIONSTRING", on: connection).byKey
    let author = try #require(transaction["ZAUTHORTS"]?.integer)
    #expect(strings[author]?["ZNAME"] == .text("Perennial"))
    #expect(strings[author]?["Z_ENT"] == .integer(16_003))
    // The counters of the three tables.
    #expect(
      try connection.integers(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT"
      ) == [Int64(changes.count), 2, Int64(strings.count)]
    )
    // What was there before is as it was.
    let original = try StoreFolder(.named("coredataplus-sample2-v2"))
    let old = try RawTable("ACHANGE", on: original.connect()).byKey
    for (key, row) in old { #expect(changes[key] == row) }
  }

  @Test func `a trigger may call Core Data's functions with any number of values`() throws {
    let connection = try copy.connect()
    #expect(
      try connection.texts(
        "SELECT typeof(NSCoreDataDATriggerUpdatedAffectedObjectValue('a', 1, 2, 'b', 3))"
      ) == ["null"]
    )
    let before = Date().timeIntervalSinceReferenceDate
    let statement = try connection.prepare("SELECT NSCoreDataNow()")
    defer { statement.finalize() }
    #expect(try statement.step())
    #expect(statement.double(0) >= before)
  }

  @Test func `a trigger that sets the time of a change, as Core Data makes it, runs`() throws {
    try copy.execute(
      """
      CREATE TRIGGER Z_DA_ZFEEDBACK_Feedback_time_UPDATE AFTER UPDATE OF Z_OPT ON ZFEEDBACK
      FOR EACH ROW BEGIN UPDATE ZFEEDBACK SET ZRATING = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK;
      SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZFEEDBACK', Z_ENT, Z_PK, 'time', ZRATING)
      FROM ZFEEDBACK WHERE Z_PK = NEW.Z_PK; END
      """
    )
    let before = Date().timeIntervalSinceReferenceDate
    do {
      let context = try open().newBackgroundContext()
      let request = FetchRequest<ManagedObject>(entityName: "Feedback")
      let feedback = try #require(try context.fetch(request).first)
      try feedback.setValue("changed", forKey: "comment")
      try context.save()
    }
    let rows = try RawTable("ZFEEDBACK", on: copy.connect()).rows
    let changed = try #require(rows.first { $0["ZCOMMENT"] == .text("changed") })
    #expect(changed["ZRATING"]?.number ?? 0 >= before)
  }
}
