// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A container with a few books, chosen so that most conditions hold for some of them only.
struct LibraryStore {
  let container: PersistentContainer
  private let folder: TemporaryFolder

  init(_ kind: StoreKind) throws {
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "Library",
      entities: Book.self,
      Writer.self,
      Shelf.self,
      Reader.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    Self.fill(context)
    try context.save()
  }

  private static func fill(_ context: ManagedObjectContext) {
    let ada = writer("Ada", 36, nil, context)
    let bob = writer("Bob", nil, ada, context)
    let eve = writer("Eve", 70, ada, context)
    _ = writer("Zoë", 20, bob, context)
    let shelf = Shelf(context: context)
    shelf.room = "attic"
    let readers = ["Kim", "Lee"].map { name in
      let reader = Reader(context: context)
      reader.name = name
      return reader
    }
    var books: [Book] = []
    for (number, title) in ["Fix it", "The fix", "Épée", "E\u{301}pe\u{301}e", "", "Go", "go"]
      .enumerated()
    {
      let book = Book(context: context)
      book.title = title
      book.pages = number * 100
      book.price = Double(number) * 2.5
      book.isLent = number.isMultiple(of: 2)
      book.published = LibraryStore.date(number)
      fillOptionals(of: book, number)
      book.writer = [ada, bob, eve, nil, ada, bob, nil][number]
      book.shelf = number < 3 ? shelf : nil
      book.readers = ToMany(readers.prefix(number % 3))
      books.append(book)
    }
  }

  private static func fillOptionals(of book: Book, _ number: Int) {
    guard !number.isMultiple(of: 3) else { return }
    book.subtitle = ["a fix", "Go on", "epee"][number % 3]
    book.edition = number
    book.discount = Double(number)
    book.cost = Decimal(number)
    book.isSigned = number == 4
    book.returned = LibraryStore.date(number + 1)
    book.code = LibraryStore.code
    book.link = URL(string: "https://example.org/\(number)")
    book.cover = Data([UInt8(number)])
    book.genre = .essay
    book.grade = number == 5 ? .excellent : .good
    book.place = Place(file: "a.swift", line: number)
  }

  private static func writer(
    _ name: String,
    _ age: Int?,
    _ mentor: Writer?,
    _ context: ManagedObjectContext
  ) -> Writer {
    let writer = Writer(context: context)
    writer.name = name
    writer.age = age
    writer.mentor = mentor
    return writer
  }

  /// A day after the start of 2001.
  static func date(_ day: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
  }

  /// The code of the books that have one.
  static let code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
}
