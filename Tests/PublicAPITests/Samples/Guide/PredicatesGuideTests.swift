// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What the article Predicates says; its tables are read from the article itself.
@Suite("Guide: predicates")
struct PredicatesGuideTests {
  /// Explains a condition on writers when it is about their books or pupils, else on books.
  private func explain(_ format: String, _ store: LibraryStore) throws -> FetchExplanation {
    let context = store.container.newBackgroundContext()
    let predicate = try FetchPredicate(parsing: format)
    if format.contains("books") || format.contains("pupils") {
      return try context.explain(Writer.filter(predicate))
    }
    return try context.explain(Book.filter(predicate))
  }

  @Test func `the table of operators has the SQL that is run`() throws {
    let store = try LibraryStore(.sqlite)
    let rows = try GuideArticle("Predicates").rows(below: "Operators")
    #expect(rows.count > 25)
    for row in rows {
      let explanation = try explain(row[0].code, store)
      let condition = String(explanation.sql.split(separator: " WHERE ", maxSplits: 1)[1])
      #expect([row[1].code, "(\(row[1].code))"].contains(condition), "\(row[0])")
      #expect(explanation.inMemory.isEmpty)
    }
  }

  @Test func `the table of what is done in memory is right`() throws {
    let store = try LibraryStore(.sqlite)
    let rows = try GuideArticle("Predicates").rows(below: "What runs in memory")
    #expect(rows.count > 5)
    for row in rows {
      #expect(try !explain(row[0].code, store).inMemory.isEmpty, "\(row[0])")
      let books = Writer.filter(try FetchPredicate(parsing: "TRUEPREDICATE AND (\(row[0].code))"))
      let pages = Book.filter(try FetchPredicate(parsing: row[0].code))
      let context = store.container.newBackgroundContext()
      let isOnWriters = row[0].contains("books")
      let error = try failure {
        if isOnWriters {
          _ = try context.fetch(books.requireSQL())
        } else {
          _ = try context.fetch(pages.requireSQL())
        }
      }
      #expect(error.code == .requiresMemory, "\(row[0])")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the rules about absent values hold in every store`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let count = try context.count(for: Book.all)
    let rows = try GuideArticle("Predicates").rows(below: "Absent values")
    #expect(rows.count > 5)
    for row in rows {
      let predicate = try FetchPredicate(parsing: row[0].code)
      let absent = try context.count(for: Book.filter(predicate && "edition == nil"))
      let all = try context.count(for: Book.filter("edition == nil"))
      #expect(all > 0 && all < count)
      #expect(absent == (row[1] == "true" ? all : 0), "\(row[0])")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one condition has five spellings`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let word = "FIX"

    let typed = Commit.filter {
      $0.message.contains(word, .caseInsensitive) && !$0.message.hasPrefix("Merge")
    }
    let literal = Commit.filter("message CONTAINS[c] \(word) AND NOT message BEGINSWITH 'Merge'")
    let checked = Commit.filter(
      #FetchPredicate(
        Commit.self,
        "message CONTAINS[c] \(word) AND NOT message BEGINSWITH 'Merge'"
      )
    )
    let format = Commit.filter(
      format: "message CONTAINS[c] %@ AND NOT message BEGINSWITH 'Merge'",
      word
    )
    let foundation = Commit.filter(
      #Predicate { $0.message.contains("ix") && !$0.message.starts(with: "Merge") }
    )

    for request in [typed, literal, checked, format, foundation] {
      #expect(try context.fetch(request).map(\.sha) == ["sha1"])
    }
    #expect(Set([typed, literal, checked, format].map(\.predicate)).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `conditions are put together`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let name: String? = "Joe Groff"

    var condition: FetchPredicate = "message CONTAINS[c] 'fix'"
    if let name {
      condition = condition && "author.name == \(name)"
    }
    let found = try context.fetch(Commit.filter(!condition))

    #expect(found.map(\.sha) == ["sha0"])

    let key = "message"
    let byKey = try context.fetch(Commit.filter("\(key: key) BEGINSWITH 'Fix'"))
    #expect(byKey.map(\.sha) == ["sha1"])
    let typed = "author.name == 'Ada'"
    let byText = try context.fetch(Commit.filter(FetchPredicate(parsing: typed)))
    #expect(byText.map(\.sha) == ["sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a condition on one element is a subquery`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()

    let long = try context.fetch(
      Writer.filter { $0.books.any { $0.pages > 300 && $0.isLent } }.sorted(by: \.name)
    )
    let same = try context.fetch(
      Writer.filter("SUBQUERY(books, $b, $b.pages > 300 AND $b.isLent == YES).@count > 0")
        .sorted(by: \.name)
    )

    #expect(long == same)
    #expect(long.map(\.name) == ["Ada"])
  }

  @Test(arguments: StoreKind.allCases)
  func `objects are arguments of a literal, their IDs of a format`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let ada = try #require(try context.first(Writer.filter { $0.name == "Ada" }))

    let byObject = try context.fetch(Book.filter("writer == \(ada)"))
    let byID = try context.fetch(Book.filter(format: "writer == %@", ada.objectID))
    let ofSome = try context.fetch(Book.filter("writer IN \(ada.pupils)"))

    #expect(Set(byObject.map(\.pages)) == [0, 400])
    #expect(Set(byID) == Set(byObject))
    #expect(Set(ofSome.map(\.pages)) == [100, 200, 500])
    let pupils = Array(ada.pupils)
    #expect(Book.filter { $0.writer.isIn(pupils) }.predicate?.description.contains("IN") == true)
    #expect(Set(try context.fetch(Book.filter { $0.writer.isIn(pupils) })) == Set(ofSome))
  }
}
