// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Typed conditions about certain objects, on inherited properties, and their place in requests.
@Suite("Typed conditions on objects", .serialized)
struct ObjectFilterTests {
  @Test(arguments: StoreKind.allCases)
  func `objects and IDs are compared by identity`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let ada = try #require(try context.first(Writer.filter { $0.name == "Ada" }))
    let kim = try #require(try context.first(Reader.filter { $0.name == "Kim" }))
    let (id, nobody) = (ada.objectID, Writer?.none)
    let fix = try #require(try context.first(Book.filter { $0.title == "The fix" }))
    func pages(_ request: FetchRequest<Book>) throws -> Set<Int> {
      Set(try context.fetch(request).map(\.pages))
    }

    #expect(try pages(Book.filter { $0.writer == ada }) == [0, 400])
    #expect(try pages(Book.filter { $0.writer == id }) == [0, 400])
    #expect(try pages(Book.filter { id == $0.writer }) == [0, 400])
    #expect(try pages(Book.filter { id != $0.writer && $0.writer != nil }) == [100, 200, 500])
    #expect(try pages(Book.filter { $0.writer != ada }) == [100, 200, 300, 500, 600])
    #expect(try pages(Book.filter { $0.writer != id && $0.writer != nil }) == [100, 200, 500])
    #expect(try pages(Book.filter { $0.writer == nobody }) == [300, 600])
    #expect(try pages(Book.filter { $0.writer.isIn([ada]) }) == [0, 400])
    #expect(try pages(Book.filter { $0.writer.objectID.isIn([id]) }) == [0, 400])
    #expect(try pages(Book.filter { $0.readers.contains(kim) }) == [100, 200, 400, 500])
    #expect(try pages(Book.filter { $0.readers.contains(kim.objectID) }) == [100, 200, 400, 500])
    // Kim reads it: with all books that have readers.
    #expect(
      try pages(Book.filter { $0.readers.any { $0.books.contains(fix) } }) == [100, 200, 400, 500]
    )
    #expect(
      try pages(Book.filter { $0.readers.none { $0.books.contains(fix) } }) == [0, 300, 600]
    )
    #expect(try context.count(for: Writer.filter { $0 == ada }) == 1)
    #expect(try context.count(for: Writer.filter { $0 != id }) == 3)
    #expect(try context.count(for: Writer.filter { $0.objectID == id }) == 1)
    #expect(Book.filter { $0.writer == ada }.predicate == "writer == \(ada)")
    #expect(Book.filter { $0.writer == nil }.predicate == "writer == nil")
  }

  @Test(arguments: StoreKind.allCases)
  func `a collection of objects is an argument, which loads none of them`(_ kind: StoreKind) throws
  {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let ada = try #require(try context.first(Writer.filter { $0.name == "Ada" }))
    let all = try context.fetch(Writer.sorted(by: \.name))
    let expected = Set(ada.books.objectIDs)
    let reader = store.container.newBackgroundContext()
    let writer = try reader.object(Writer.self, with: ada.objectID)
    func ids(_ condition: FetchPredicate) throws -> Set<ManagedObjectID> {
      Set(try reader.fetchObjectIDs(Book.filter(condition)))
    }

    #expect(try ids("SELF IN \(writer.books)") == expected)
    #expect(reader.registeredObjects == [writer])
    let batches = try reader.fetch(Writer.sorted(by: \.name), batchSize: 1)
    #expect(try ids("writer IN \(batches)") == ids("writer != nil"))
    let firstBooks = try ids("writer IN \(all.prefix(1).map(\.objectID))")
    #expect(try ids("writer IN \(batches.prefix(1))") == firstBooks)
    let shelf = try #require(try reader.first(Shelf.all))
    #expect(try ids("SELF IN \(shelf.books)") == ids("shelf == \(shelf)"))
    #expect(try ids("SELF IN \(shelf.books)").isEmpty == false)
  }

  @Test(arguments: StoreKind.allCases)
  func `#Predicate compares IDs`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let ada = try #require(try context.first(Writer.filter { $0.name == "Ada" }))
    let (id, ids) = (ada.objectID, [ada.objectID])
    let owned = #Predicate<Book> { $0.writer?.objectID == id }
    let listed = #Predicate<Writer> { ids.contains($0.objectID) }
    let identified = #Predicate<Writer> { $0.id == id }

    #expect(Set(try context.fetch(Book.filter(owned)).map(\.pages)) == [0, 400])
    #expect(try context.fetch(Writer.filter(listed)) == [ada])
    #expect(try context.fetch(Writer.filter(identified)) == [ada])
    #expect(FetchPredicate(owned) == "writer.objectID == \(id)")
  }

  @Test(arguments: StoreKind.allCases)
  func `inherited properties are properties of the subclass`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Animals",
      entities: Animal.self,
      Dog.self,
      Puppy.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    let puppy = Puppy(context: context)
    (puppy.name, puppy.weeks) = ("Rex", 8)
    Dog(context: context).name = "Max"
    try context.save()

    #expect(
      try context.fetch(Puppy.filter { $0.name == "Rex" && $0.isGood && $0.weeks == 8 }) == [puppy]
    )
    #expect(
      try context.fetch(Puppy.filter(#Predicate { $0.name == "Rex" && $0.isGood })) == [puppy]
    )
    #expect(try context.fetch(named("Rex", Dog.self)) == [puppy])
    #expect(try context.count(for: Animal.filter { $0.name.hasSuffix("x") }) == 2)
  }

  /// A predicate whose properties belong to a class that only the caller knows.
  private func named<Kind: Animal & ManagedEntity>(
    _ name: String,
    _ type: Kind.Type
  ) -> FetchRequest<Kind> {
    Kind.filter(#Predicate<Kind> { $0.name == name }).filter { $0.name == name }
  }

  @Test(arguments: StoreKind.allCases)
  func `every attribute sorts`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    func pages(_ request: FetchRequest<Book>) throws -> [Int] {
      try context.fetch(request).map(\.pages)
    }

    #expect(
      try pages(Book.sorted(by: \.isLent).sorted(by: \.pages)) == [100, 300, 500, 0, 200, 400, 600]
    )
    #expect(
      try pages(Book.sorted(by: \.genre, .reverse).sorted(by: \.pages))
        == [0, 300, 600, 100, 200, 400, 500]
    )
    #expect(
      try pages(Book.sorted(by: \.grade).sorted(by: \.pages)) == [0, 300, 600, 100, 200, 400, 500]
    )
    #expect(
      try pages(Book.all.sorted(by: \.writer, \.name).sorted(by: \.pages).limit(3))
        == [300, 600, 0]
    )
    #expect(
      try pages(Book.filter { $0.pages > 300 }.filter { $0.isLent }.sorted(by: \.pages, .reverse))
        == [600, 400]
    )
  }

  @Test func `conditions are joined outside closures too`() {
    let lent = Book.filter { $0.isLent }
    let long = Book.filter { $0.pages > 300 }

    #expect(lent.filter { $0.pages > 300 }.predicate == "isLent == YES AND pages > 300")
    #expect(lent.filter("title == 'Go'").predicate == "isLent == YES AND title == 'Go'")
    #expect(
      lent.filter(#Predicate { $0.pages > 300 }).predicate
        == lent.filter { $0.pages > 300 }.predicate
    )
    #expect(long.filter { $0.isSigned }.predicate == "pages > 300 AND isSigned == YES")
  }
}
