// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What a fetch says of conditions that compile and that no fetch can decide, over both stores.
@Suite("Bad typed conditions")
struct FilterErrorTests {
  /// A predicate, and what the fetch must say.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let predicate: FetchPredicate?
    let code: PerennialError.Code
    let words: [String]

    var testDescription: String { name }
  }

  @Test(arguments: typed + foundation, StoreKind.allCases)
  func `the error names the construct and a cure`(_ test: Case, _ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let predicate = try #require(test.predicate)

    let error = try failure { _ = try context.fetch(Book.filter(predicate)) }

    #expect(error.code == test.code)
    for word in test.words {
      #expect("\(error.message) \(error.recovery)".contains(word), "\(error)")
    }
  }

  // MARK: Rows

  static let typed: [Case] = [
    Case(
      name: "a computed property",
      predicate: Book.filter { $0.spine == "Go 500" }.predicate,
      code: .unknownName,
      words: ["'Book'"]
    ),
    Case(
      name: "a computed property of an element",
      predicate: Book.filter { $0.writer.books.any { $0.spine == "Go 500" } }.predicate,
      code: .unknownName,
      words: ["'Book'"]
    ),
    Case(
      name: "a bad format inside a condition on elements",
      predicate: Book.filter { $0.readers.any { _ in FetchPredicate("name CONTAIN 'x'") } }
        .predicate,
      code: .predicateFormat,
      words: ["CONTAINS"]
    ),
    Case(
      name: "a bad format inside a filter of elements",
      predicate: Book.filter {
        $0.readers.filter { _ in FetchPredicate("name CONTAIN 'x'") }.count > 1
      }.predicate,
      code: .predicateFormat,
      words: ["CONTAINS"]
    ),
  ]

  static let foundation: [Case] = {
    let names = ["Go": 1]
    let wanted = ["a"]
    func row(_ name: String, _ predicate: Predicate<Book>, _ words: String...) -> Case {
      Case(
        name: name,
        predicate: FetchPredicate(predicate),
        code: .predicateFormat,
        words: ["#Predicate"] + words
      )
    }
    return [
      row("a computed property", #Predicate { $0.spine == "Go 500" }, "'Book'", "attribute"),
      row(
        "an array attribute",
        #Predicate { $0.tags.contains("a") },
        "Array<String>",
        "relationship"
      ),
      row("an array and captured values", #Predicate { $0.tags == wanted }, "array", "filter"),
      row("captured values and another array", #Predicate { wanted != $0.tags }, "array", "filter"),
      row("the count of an array", #Predicate { $0.tags.count > 1 }, "Array<String>"),
      row("a dictionary", #Predicate { names[$0.title] == 1 }, "dictionary"),
      row(
        "a default of a dictionary",
        #Predicate { names[$0.title, default: 0] == 1 },
        "dictionary"
      ),
      row(
        "characters",
        #Predicate { $0.title.allSatisfy { $0 == $0 } },
        "characters",
        "regular expression"
      ),
      row(
        "the first character",
        #Predicate { $0.title.first == nil },
        "character",
        "starts(with:)"
      ),
      row("a part of an array", #Predicate { $0.tags.starts(with: ["a"]) }, "beginning"),
      row(
        "a raw value",
        #Predicate { $0.genre.rawValue == "essay" },
        "'Genre'",
        "attribute itself"
      ),
      row("the greatest of an array", #Predicate { $0.tags.max() == "a" }, "Array<String>"),
    ]
  }()

  // MARK: Without rows

  /// An empty store of the library.
  private func emptyContext(_ kind: StoreKind, _ folder: TemporaryFolder) throws
    -> ManagedObjectContext
  {
    try PersistentContainer(
      name: "Library",
      entities: Book.self,
      Writer.self,
      Shelf.self,
      Reader.self,
      store: kind.description(in: folder)
    ).newBackgroundContext()
  }

  @Test(
    arguments: [
      "readers.name == 'Kim'", "readers.name != 'Kim'", "readers.books.pages > 3",
      "readers.name BEGINSWITH 'K'", "readers.name LIKE 'K*'", "readers.books.pages BETWEEN {1, 2}",
      "readers.name IN {'Kim'}", "readers == nil", "readers != nil", "'Kim' == readers.name",
      "readers.name == title", "title CONTAINS readers.name", "readers.#self == nil",
      "SUBQUERY(readers, $r, $r.books.pages == 3).@count > 0", "readers.name.length > 3",
      "readers.name.#self == 'Kim'", "SUBQUERY(readers, $r, $r.name == 'Kim') > 0",
      "SUBQUERY(readers, $r, $r.name == 'Kim').name == 'Kim'",
    ],
    StoreKind.allCases
  )
  func `several values compared with one are an error that proposes ANY`(
    _ format: String,
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try emptyContext(kind, folder)
    let predicate = try FetchPredicate(parsing: format)

    let error = try failure { _ = try context.fetch(Book.filter(predicate)) }

    #expect(error.code == .typeMismatch)
    #expect(error.message.contains("many values"), "\(error)")
    #expect(error.recovery.contains("ANY"), "\(error)")
  }

  @Test(
    arguments: ["'Kim' == readers.name", "title CONTAINS readers.name", "title == readers.name"],
    StoreKind.allCases
  )
  func `the ANY for several values on the right stands on the left`(
    _ format: String,
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try emptyContext(kind, folder)
    let predicate = try FetchPredicate(parsing: format)

    let error = try failure { _ = try context.fetch(Book.filter(predicate)) }

    #expect(error.recovery.contains("write 'readers.name' on the left"), "\(error)")
  }

  @Test(arguments: StoreKind.allCases)
  func `several values are compared with several, and by ANY, ALL, IN and CONTAINS`(
    _ kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    func count(_ predicate: FetchPredicate) throws -> Int {
      try context.count(for: Book.filter(predicate))
    }

    #expect(try count("ANY readers.name == 'Kim'") == 4)
    #expect(try count("ALL readers.name == 'Kim'") == 5)
    #expect(try count("'Kim' IN readers.name") == 4)
    #expect(try count("readers.name CONTAINS 'Kim'") == 4)
    #expect(try count("readers.name == {'Kim'}") == 2)
    #expect(try count("readers == readers.#self") == 7)
    #expect(try count("readers.@count == 1") == 2)
  }

  @Test(
    arguments: [
      ("title.foo == 'x'", .unknownName, "'foo'"),
      ("published.year == 2020", .unknownName, "'year'"),
      ("writer.name.foo == 'x'", .unknownName, "'foo'"),
      ("self.titel == 'x'", .unknownName, "'titel'"),
      ("pages.length == 1", .unknownName, "'length'"),
      ("objectID.title == 'x'", .unknownName, "'title'"),
      ("writer.objectID.name == 'x'", .unknownName, "'name'"),
      ("ANY readers.objectID.name == 'x'", .unknownName, "'name'"),
      ("pages == 77 AND title.foo == 'x'", .unknownName, "'foo'"),
      ("ANY title == 'x'", .predicateEvaluation, "ANY"),
      ("ALL writer == nil", .predicateEvaluation, "ALL"),
      ("writer.@count > 0", .predicateEvaluation, "@count"),
      ("SUBQUERY(title, $t, $t == 'x').@count > 0", .predicateEvaluation, "SUBQUERY"),
      ("writer[0] == nil", .predicateEvaluation, "index"),
      ("title == $z", .predicateEvaluation, "$z"),
      ("title IN {'a', $z}", .predicateEvaluation, "$z"),
      ("subtitle MATCHES '('", .predicateEvaluation, "regular expression"),
      ("edition BETWEEN {1}", .predicateEvaluation, "BETWEEN"),
      ("edition BETWEEN 3", .predicateEvaluation, "BETWEEN"),
      ("edition BETWEEN pages", .predicateEvaluation, "BETWEEN"),
      ("edition IN 5", .predicateEvaluation, "IN"),
      ("5 IN edition", .predicateEvaluation, "IN"),
      ("edition CONTAINS 1", .predicateEvaluation, "CONTAINS"),
      ("writer CONTAINS 'x'", .predicateEvaluation, "CONTAINS"),
    ] as [(String, PerennialError.Code, String)],
    StoreKind.allCases
  )
  func `what no row could satisfy is an error before there is a row`(
    _ example: (format: String, code: PerennialError.Code, word: String),
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try emptyContext(kind, folder)
    let predicate = try FetchPredicate(parsing: example.format)

    let error = try failure { _ = try context.fetch(Book.filter(predicate)) }

    #expect(error.code == example.code, "\(error)")
    #expect("\(error.message) \(error.recovery)".contains(example.word), "\(error)")
    #expect(throws: PerennialError.self) { try context.count(for: Book.filter(predicate)) }
  }

  @Test(
    arguments: [
      "title.length > 2", "cover.length > 2", "link.absoluteString == 'x'", "title.#self == 'x'",
      "readers[SIZE] IN {1, 2}", "title IN 'abc'", "title CONTAINS 'a'", "pages IN {}",
      "edition IN nil", "self.title == 'x'", "writer.#self.name == 'x'",
      "objectID != nil", "writer.objectID.#self != nil", "ANY readers.name.length > 2",
      "ANY SUBQUERY(readers, $r, $r.name == 'x').name == 'y'", "readers.name.length == {1}",
      "ANY readers.name MATCHES 'x+'", "SUBQUERY(readers, $r, $r.name == 'x').@count > 0",
    ],
    StoreKind.allCases
  )
  func `what values have stays allowed without a row`(_ format: String, _ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try emptyContext(kind, folder)

    #expect(try context.fetch(Book.filter(FetchPredicate(parsing: format))).isEmpty)
  }

  @Test func `a type test names the class to fetch`() throws {
    let predicate = FetchPredicate(#Predicate<Animal> { $0 is Dog })

    #expect(predicate.description.contains("a test for the type 'Dog'"))
  }
}
