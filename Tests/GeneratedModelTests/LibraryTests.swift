// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialModelFiles
import Testing

/// The classes of `Library.xcdatamodeld` at work.
@Suite struct `A generated library` {
  let context: ManagedObjectContext

  init() throws {
    let container = try PersistentContainer.inMemory(
      Author.self,
      Book.self,
      AudioBook.self,
      Member.self,
      LoanRecord.self
    )
    context = container.newBackgroundContext()
  }

  @discardableResult
  private func book(_ isbn: String, by author: Author, _ change: (Book) -> Void = { _ in }) -> Book
  {
    let book = Book(context: context)
    book.isbn = isbn
    book.title = "Title \(isbn)"
    book.author = author
    change(book)
    return book
  }

  private func author(_ name: String) -> Author {
    let author = Author(context: context)
    author.name = name
    author.website = URL(string: "https://example.org")
    return author
  }

  @Test func `has the defaults of the model`() throws {
    let book = Book(context: context)
    #expect(book.title == #"Untitled "book" \ 1"#)
    #expect(book.price == Decimal(string: "9.95"))
    #expect(book.printed == Date(timeIntervalSinceReferenceDate: 631_152_000))
    #expect(book.code == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(book.isSelected == false)
    #expect(book.scratch == nil)
    #expect(book.loans.isEmpty)
  }

  @Test func `has the defaults of the elements of an optional composite`() throws {
    let author = author("Ada")
    #expect(author.home?.number == 1)
    #expect(author.home?.place?.latitude == 0)
    author.home = nil
    try context.save()
    #expect(author.home == nil)
  }

  @Test func `keeps what it is given`() throws {
    let author = author("Ada")
    author.home = Address(city: "Ulm", number: 3, place: Place(latitude: 48, longitude: 10))
    let book = book("1", by: author) { $0.colour = Data([1, 2, 3]) }
    book.cover = Data(repeating: 7, count: 10)
    let loan = LoanRecord(context: context)
    loan.until = Date(timeIntervalSinceReferenceDate: 5)
    book.loans.append(loan)
    try context.save()
    context.reset()

    let found = try #require(try context.fetch(Author.all).first)
    #expect(found.home?.city == "Ulm")
    #expect(found.home?.place?.latitude == 48)
    let read = try #require(found.books.first { _ in true })
    #expect(read.colour == Data([1, 2, 3]))
    #expect(read.heading == "TITLE 1")
    #expect(read.loans.map(\.until) == [Date(timeIntervalSinceReferenceDate: 5)])
  }

  @Test func `refuses to save what the model requires and Swift makes optional`() throws {
    author("Ada").website = nil
    let error = try #require(throws: PerennialError.self) { try context.save() }
    #expect(error.property == "website")
  }

  @Test func `has hand-written classes over generated ones`() throws {
    let member = Member(context: context)
    #expect(member.number == 1)
    member.name = "Bo"
    #expect(member.greeting == "Hello, Bo")
    let audio = AudioBook(context: context)
    audio.isbn = "a"
    audio.minutes = 125
    audio.isPlaying = true
    audio.author = author("Ada")
    audio.readers.insert(member)
    #expect(audio.hours == 2)
    try context.save()

    let people = try context.fetch(Person.filter { $0.name == "Bo" }.sorted(by: \.name))
    #expect(people.map { $0 === member } == [true])
    let books: [Book] = try context.fetch(Book.filter { $0.isbn == "a" })
    #expect((books.first as? AudioBook)?.isPlaying == true)
    #expect(try context.fetch(AudioBook.filter { $0.minutes > 100 }).count == 1)
    #expect(try context.fetch(Member.filter { $0.number == 1 }).count == 1)
    #expect(Array(member.reads) == [audio])
  }

  // MARK: Fetch requests

  @Test func `fetches by numbers and dates`() throws {
    let ada = author("Ada")
    for (index, pages) in [10, 20, 30, 40, 50].enumerated() {
      book("\(index)", by: ada) {
        $0.pages = Int32(pages)
        $0.printed = Date(timeIntervalSinceReferenceDate: Double(index))
      }
    }
    let since = Date(timeIntervalSinceReferenceDate: 1)
    let request = Book.recentBooks(since: since, least: 15, most: 35)
    #expect(Set(try context.fetch(request).map(\.isbn)) == ["1", "2"])
    // Of the four books since then that fit, the model allows two.
    let all = Book.recentBooks(since: since, least: 0, most: 99)
    #expect(all.fetchLimit == 2)
    #expect(try context.fetch(all).count == 2)
  }

  @Test func `fetches by objects, lists and patterns`() throws {
    let ada = author("Ada")
    let bo = author("Bo")
    book("1", by: ada)
    book("2", by: ada)
    book("3", by: bo)
    let books = try context.fetch(Book.booksBy(author: ada))
    #expect(Set(books.map(\.isbn)) == ["1", "2"])
    try context.save()
    #expect(try context.fetch(Book.booksBy(author: bo)).map(\.isbn) == ["3"])
    #expect(try context.fetch(Book.booksBy(author: nil)).isEmpty)
    let named = Book.booksNamed(titles: ["Title 1", "No"], name: "B*")
    #expect(Set(try context.fetch(named).map(\.isbn)) == ["1", "3"])
  }

  @Test func `fetches by counts of a subquery, without subentities`() throws {
    let ada = author("Ada")
    for index in 0..<3 {
      book("\(index)", by: ada) { book in
        book.price = 30
        for _ in 0..<index {
          let loan = LoanRecord(context: context)
          loan.until = Date(timeIntervalSinceReferenceDate: 100)
          book.loans.append(loan)
        }
      }
    }
    let audio = AudioBook(context: context)
    audio.isbn = "a"
    audio.title = "Audio"
    audio.price = 30
    audio.author = ada
    let date = Date(timeIntervalSinceReferenceDate: 50)
    #expect(try context.fetch(Book.dear(price: 20, date: date, count: 2)).map(\.isbn) == ["2"])
    // The audio book has no loans either, but is of a subentity.
    #expect(try context.fetch(Book.dear(price: 20, date: date, count: 0)).map(\.isbn) == ["0"])
    #expect(Set(try ada.dearBooks().map(\.isbn)) == ["0", "1", "2", "a"])
  }

  @Test func `fetches by elements, and by values of any type`() throws {
    let ada = author("Ada")
    ada.home = Address(city: "Ulm")
    _ = author("Bo")
    #expect(try context.fetch(Author.livingIn(class: "Ulm")).map(\.name) == ["Ada"])
    #expect(try context.fetch(Author.all_()).count == 2)
    #expect(try context.fetch(Author.anything(x: 1, y: 1)).count == 2)
    #expect(try context.fetch(Author.anything(x: "a", y: "b")).isEmpty)
  }

  // MARK: The model of the file

  /// It would make a store in the user's folder: compiled only.
  private func open() throws -> PersistentContainer {
    let container = try PersistentContainer(name: "Library", entities: Author.self, Book.self)
    return container
  }

  @Test func `opens a store of the file's model, with its fetch requests`() throws {
    let library = try #require(GeneratedModel.all.first { $0.name == "Library.xcdatamodeld" })
    let model = try library.document().model
    let container = try PersistentContainer(
      name: "Library",
      model: model,
      classes: LibraryModel.entities,
      store: .inMemory
    )
    #expect(container.managedObjectModel.configurations == ["Catalogue"])
    let context = container.newBackgroundContext()
    let author = Author(context: context)
    author.name = "Ada"
    author.home = Address(city: "Ulm")
    let request: FetchRequest<Author> = try container.managedObjectModel.fetchRequest(
      fromTemplate: "living in",
      substitutionVariables: ["class": "Ulm"]
    )
    #expect(try context.fetch(request) == [author])
    #expect(try context.insert(entityNamed: "Member") is Member)
  }

  @Test func `a class that does not fit the model is refused`() throws {
    var loan = LoanRecord.entity
    loan.properties.reverse()
    let others = try LibraryModel.model().entities.filter { $0.name != "Loan" }
    let model = try ManagedObjectModel(entities: others + [loan])
    let error = try #require(throws: PerennialError.self) {
      _ = try PersistentContainer(
        name: "Library",
        model: model,
        classes: LibraryModel.entities,
        store: .inMemory
      )
    }
    #expect(error.code == .invalidModel)
    #expect(error.entity == "Loan")
    let missing = try #require(throws: PerennialError.self) {
      _ = try PersistentContainer(
        name: "Library",
        model: try _25Model.model(),
        classes: [LoanRecord.self],
        store: .inMemory
      )
    }
    #expect(missing.message == "The model has no entity 'Loan', of which there is a class.")
  }

  // MARK: Names

  @Test func `keeps properties whose names Swift refuses`() throws {
    let container = try PersistentContainer.inMemory(Names_.Lists.self)
    let context = container.newBackgroundContext()
    let list = Names_.Lists(context: context)
    list.hash_ = "h"
    list.self_ = "s"
    list.place = .init(class: "c", hash_: nil, self_: nil, init_: nil, Date_: nil)
    let other = Names_.Lists(context: context)
    other.hash_ = "i"
    other.self_ = "s"
    other.init_ = list
    try context.save()
    #expect(try context.fetch(Names_.Lists.filter("hash == \("h")")) == [list])
    #expect(try context.fetch(Names_.Lists.filter { $0.hash_ == "h" }) == [list])
    #expect(try context.fetch(Names_.Lists.filter("place.class == \("c")")) == [list])
    #expect(Array(list.description_) == [other])
    #expect(try list.value(forKey: "hash") as? String == "h")
    #expect(list.snapshot().hash_ == "h")
    let request = Names_.Lists.fetchRequest_(self_: "h", class: list, self__: "i")
    #expect(try context.fetch(request) == [list])
  }
}
