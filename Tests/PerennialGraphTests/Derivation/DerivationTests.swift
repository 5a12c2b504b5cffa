// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1A.9: derived attributes")
struct DerivationTests {
  private func book(_ pages: Int, of writer: Writer?, _ context: ManagedObjectContext) -> Book {
    let book = Book(context: context)
    book.pages = pages
    book.writer = writer
    return book
  }

  /// What a new context reads.
  private func stored(_ bench: Bench) throws -> Writer {
    try #require(try bench.context().fetch(Writer.all).first)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 copies of the object's own attributes follow them at once`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    #expect(writer.upper == "ÉA")
    writer.name = "Zoë Ünal"
    #expect(writer.folded == "zoe unal")
    #expect(writer.upper == "ZOË ÜNAL")
    #expect(writer.lower == "zoë ünal")
    #expect(writer.copy == "Zoë Ünal")
    try context.save()
    let request = Writer.filter(format: "folded == 'zoe unal' AND copy == name")
    #expect(try bench.context().count(for: request) == 1)
    writer.name = "B"
    #expect(writer.lower == "b")
    #expect(try context.count(for: Writer.filter(format: "lower == 'b'")) == 1)
    context.rollback()
    #expect(writer.lower == "zoë ünal")
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 an owner's members are read again only when they have changed`(
    _ kind: StoreKind
  ) throws {
    let bench = try writersBench(kind)
    let first = bench.context()
    for name in ["A", "B"] {
      let writer = Writer(context: first)
      writer.name = name
      for _ in 0..<10 { _ = book(1, of: writer, first) }
    }
    try first.save()
    let context = bench.context()
    // Fetched one by one, so that neither is read for the other's sake.
    let a = try #require(try context.fetch(Writer.filter(format: "name == 'A'")).first)
    let b = try #require(try context.fetch(Writer.filter(format: "name == 'B'")).first)
    let new = book(5, of: a, context)
    try context.processPendingChanges()
    #expect(a.pages == 15 && a.longest == 5)
    var rows = context.faultStatistics.rows
    _ = try context.count(for: Prize.all)
    a.name = "C"
    try context.processPendingChanges()
    #expect(context.faultStatistics.rows == rows)
    // Ten rows for each of four attributes, and those of the other owner not again.
    _ = book(7, of: b, context)
    try context.processPendingChanges()
    #expect(b.pages == 17)
    #expect(context.faultStatistics.rows <= rows + 40)
    new.pages = 2
    try context.processPendingChanges()
    #expect(a.pages == 12 && a.longest == 2)
    let other = bench.context()
    let changed = try #require(try other.fetch(Book.filter(format: "writer.name == 'A'")).first)
    changed.pages = 100
    try other.save()
    context.refreshAllObjects()
    try context.processPendingChanges()
    #expect(a.pages == 111 && a.longest == 100)
    rows = context.faultStatistics.rows
    try context.save()
    #expect(context.faultStatistics.rows == rows)
    #expect(try bench.context().count(for: Writer.filter(format: "pages == 111")) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a value is made anew when a fetch has brought newer rows of members`(
    _ kind: StoreKind
  ) throws {
    let bench = try writersBench(kind)
    let first = bench.context()
    let written = Writer(context: first)
    for _ in 0..<10 { _ = book(1, of: written, first) }
    try first.save()
    let context = bench.context()
    let writer = try #require(try context.fetch(Writer.all).first)
    _ = book(5, of: writer, context)
    try context.processPendingChanges()
    let books = try context.fetch(Book.all)
    #expect(writer.pages == 15 && books.count == 11)
    try #require(try first.fetch(Book.all).first).pages = 100
    try first.save()
    let again = try context.fetch(Book.all)
    try context.processPendingChanges()
    #expect(again.map(\.pages).reduce(0, +) == 114)
    #expect(writer.pages == 114 && writer.longest == 100)
    try context.save()
    #expect(writer.pages == 114)
    #expect(try stored(bench).pages == 114)
  }

  // Found by HistoryPropertyTests with seed 660964720.
  @Test(arguments: StoreKind.allCases)
  func `1A.9 members that leave a new owner again before its save do not count`(
    _ kind: StoreKind
  ) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    let leaving = book(100, of: writer, context)
    let deleted = book(200, of: writer, context)
    writer.prizes.insert(Prize(context: context))
    try context.processPendingChanges()
    #expect(writer.bookCount == 2)
    #expect(writer.pages == 300)
    leaving.writer = nil
    context.delete(deleted)
    writer.prizes = []
    try context.save()
    let copy = try stored(bench)
    for writer in [writer, copy] {
      #expect(writer.bookCount == 0)
      #expect(writer.pages == 0)
      #expect(writer.longest == nil)
      #expect(writer.average == nil)
      #expect(writer.prizeCount == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 counts, sums, extremes and means are seen before the save and stored by it`(
    _ kind: StoreKind
  ) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    #expect(writer.bookCount == 0)
    #expect(writer.pages == 0)
    let first = book(100, of: writer, context)
    let second = book(200, of: writer, context)
    writer.prizes.insert(Prize(context: context))
    try context.processPendingChanges()
    func expect(
      _ writer: Writer,
      _ count: Int,
      _ pages: Int,
      _ shortest: Int?,
      _ longest: Int?,
      _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(writer.bookCount == count, sourceLocation: location)
      #expect(writer.pages == pages, sourceLocation: location)
      #expect(writer.shortest == shortest, sourceLocation: location)
      #expect(writer.longest == longest, sourceLocation: location)
      let average = count == 0 ? nil : Double(pages) / Double(count)
      #expect(writer.average == average, sourceLocation: location)
    }
    expect(writer, 2, 300, 100, 200)
    #expect(writer.prizeCount == 1)
    try context.save()
    expect(writer, 2, 300, 100, 200)
    expect(try stored(bench), 2, 300, 100, 200)
    #expect(try stored(bench).prizeCount == 1)

    second.pages = 500
    #expect(try context.count(for: Writer.filter(format: "pages == 600 AND longest == 500")) == 1)
    try context.save()
    expect(try stored(bench), 2, 600, 100, 500)

    context.delete(first)
    try context.processPendingChanges()
    expect(writer, 1, 500, 500, 500)
    context.rollback()
    expect(writer, 2, 600, 100, 500)

    context.delete(first)
    second.writer = nil
    writer.prizes.removeAll()
    try context.save()
    expect(writer, 0, 0, nil, nil)
    expect(try stored(bench), 0, 0, nil, nil)
    #expect(try stored(bench).prizeCount == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a sum that fits is stored, whatever a part of it would be`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    for pages in [Int.max, 1, -5] { _ = book(pages, of: writer, context) }
    try context.save()
    #expect(writer.pages == Int.max - 4)
    #expect(try stored(bench).pages == Int.max - 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 an owner that is a fault gets its value too`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    let one = book(1, of: writer, context)
    try context.save()
    let other = bench.context()
    let mine = try #require(try other.existingObject(with: one.objectID) as? Book)
    _ = book(2, of: mine.writer, other)
    #expect(mine.writer?.isFault == true)
    #expect(try other.count(for: Writer.filter(format: "bookCount == 2")) == 1)
    try other.save()
    #expect(try stored(bench).bookCount == 2)
    #expect(try stored(bench).pages == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 two contexts that add members do not conflict, and both are counted`(
    _ kind: StoreKind
  ) throws {
    let bench = try writersBench(kind)
    let first = bench.context()
    _ = Writer(context: first)
    try first.save()
    let second = bench.context()
    let mine = try #require(try first.fetch(Writer.all).first)
    let theirs = try #require(try second.fetch(Writer.all).first)
    _ = book(10, of: mine, first)
    _ = book(20, of: theirs, second)
    mine.prizes.insert(Prize(context: first))
    theirs.prizes.insert(Prize(context: second))
    try first.processPendingChanges()
    try second.processPendingChanges()
    #expect(mine.bookCount == 1 && theirs.bookCount == 1)
    try first.save()
    try second.save()
    let reader = bench.context()
    let read = try #require(try reader.fetch(Writer.all).first)
    #expect(read.bookCount == 2)
    #expect(read.pages == 30)
    #expect(read.prizeCount == 2)
    #expect(read.books.count == 2)
    let again = try #require(try first.fetch(Writer.all).first)
    #expect(again === mine)
    #expect(mine.bookCount == 2)
    #expect(mine.longest == 20)
    theirs.name = "still one version"
    try second.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 moving a member counts for both owners`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let (a, b) = (Writer(context: context), Writer(context: context))
    let moved = book(7, of: a, context)
    try context.save()
    moved.writer = b
    try context.processPendingChanges()
    #expect(a.bookCount == 0 && b.bookCount == 1)
    #expect(a.pages == 0 && b.pages == 7)
    moved.writer = a
    try context.save()
    #expect(a.bookCount == 1 && b.bookCount == 0)
    #expect(try bench.context().fetch(Writer.all).map(\.bookCount).sorted() == [0, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 now is the time of the save of a new or changed object`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    #expect(writer.changed == nil)
    let before = Date()
    try context.save()
    let first = try #require(writer.changed)
    #expect(first >= before && first <= Date())
    _ = book(1, of: writer, context)
    try context.save()
    #expect(writer.changed == first)
    writer.name = "b"
    try context.save()
    #expect(try #require(writer.changed) > first)
    #expect(try stored(bench).changed == writer.changed)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a derived attribute cannot be set`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    _ = book(1, of: writer, context)
    #expect(code { try writer.setValue(9, forKey: "bookCount") } == .typeMismatch)
    #expect(code { try writer.setPrimitiveValue("x", forKey: "copy") } == .typeMismatch)
    writer.bookCount = 9
    try context.save()
    #expect(writer.bookCount == 1)
    #expect(try stored(bench).bookCount == 1)
  }

  @Test(arguments: [
    "nothing", "books", "books.writer.name", "books.@count.pages", "books.titles.@sum", "name ==",
    "books.pages.@count", "books.pages.@sum.@count", "name + name", "uppercase:(pages)",
    "books.@unionOfObjects.pages",
  ])
  func `1A.9 an expression that cannot be derived is an invalid model`(_ text: String) throws {
    var entity = Writer.entity
    entity.properties.append(.attribute("extra", .string, optional: true, derived: text))
    let model = try ManagedObjectModel(entity, Book.entity, Prize.entity)
    do {
      try StoreCoordinator.check(model)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.code == .invalidModel)
      #expect(error.property == "extra")
      #expect(error.message.contains("'Writer.extra'"))
      #expect(!error.recovery.isEmpty)
    }
  }
}
