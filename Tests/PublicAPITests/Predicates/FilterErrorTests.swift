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

  @Test func `a type test names the class to fetch`() throws {
    let predicate = FetchPredicate(#Predicate<Animal> { $0 is Dog })

    #expect(predicate.description.contains("a test for the type 'Dog'"))
  }
}
