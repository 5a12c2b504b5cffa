// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Conditions written with the properties of a class: each has the tree of a format string, and the
/// rows of Swift's own `filter`.
@Suite("Typed conditions")
struct TypedFilterTests {
  /// A typed condition, the format that says the same, and the same in Swift.
  struct Case: Sendable, CustomTestStringConvertible {
    let typed: FetchPredicate?
    let format: FetchPredicate
    let holds: @Sendable (Book) -> Bool

    init(
      _ request: FetchRequest<Book>,
      _ format: FetchPredicate,
      holds: @escaping @Sendable (Book) -> Bool
    ) {
      typed = request.predicate
      self.format = format
      self.holds = holds
    }

    var testDescription: String { format.description }
  }

  @Test(arguments: values + order + texts + numbers + relationships + members)
  func `a typed condition has the tree of the format string`(_ test: Case) throws {
    let typed = try #require(test.typed)

    #expect(typed == test.format)
    #expect(try FetchPredicate(parsing: typed.description) == typed)
  }

  @Test(arguments: values + order + texts + numbers + relationships + members, StoreKind.allCases)
  func `a typed condition selects what Swift selects`(_ test: Case, _ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let expected = try context.fetch(Book.all).filter(test.holds)
    let typed = try #require(test.typed)

    let fetched = try context.fetch(Book.all.filter(typed))

    #expect(Set(fetched.map(\.pages)) == Set(expected.map(\.pages)))
  }

  // MARK: Rows

  static let day = LibraryStore.date(3)

  static let values: [Case] = [
    Case(Book.filter { $0.title == "Go" }, "title == 'Go'") { $0.title == "Go" },
    Case(Book.filter { $0.title != "Go" }, "title != 'Go'") { $0.title != "Go" },
    Case(Book.filter { $0.subtitle == nil }, "subtitle == nil") { $0.subtitle == nil },
    Case(Book.filter { $0.subtitle != nil }, "subtitle != nil") { $0.subtitle != nil },
    Case(Book.filter { $0.edition == 4 }, "edition == 4") { $0.edition == 4 },
    Case(Book.filter { $0.edition == $0.pages / 100 }, "edition == pages / 100") {
      $0.edition == $0.pages / 100
    },
    Case(Book.filter { $0.edition < 4 }, "edition < 4") { $0.edition.map { $0 < 4 } ?? false },
    Case(Book.filter { $0.price >= $0.discount }, "price >= discount") { book in
      book.discount.map { book.price >= $0 } ?? false
    },
    Case(Book.filter { $0.published > day }, "published > \(day)") { $0.published > day },
    Case(Book.filter { $0.published <= .distantPast }, "published <= \(Date.distantPast)") { _ in
      false
    },
    Case(Book.filter { $0.returned == $0.published }, "returned == published") {
      $0.returned == $0.published
    },
    Case(Book.filter { $0.isLent }, "isLent == YES") { $0.isLent },
    Case(Book.filter { !$0.isLent && $0.pages > 100 }, "NOT isLent == YES AND pages > 100") {
      !$0.isLent && $0.pages > 100
    },
    Case(Book.filter { $0.isLent == false }, "isLent == NO") { !$0.isLent },
    Case(Book.filter { $0.isSigned || $0.isLent }, "isSigned == YES OR isLent == YES") {
      $0.isSigned == true || $0.isLent
    },
    Case(Book.filter { !$0.isSigned }, "NOT isSigned == YES") { $0.isSigned != true },
    Case(Book.filter { $0.genre == .essay }, "genre == 'essay'") { $0.genre == .essay },
    Case(Book.filter { $0.grade != .good }, "grade != 1") { $0.grade != .good },
    Case(Book.filter { $0.grade.isIn([.good, .excellent]) }, "grade IN {1, 2}") {
      $0.grade == .good || $0.grade == .excellent
    },
    Case(Book.filter { $0.code == LibraryStore.code }, "code == \(LibraryStore.code)") {
      $0.code == LibraryStore.code
    },
    Case(Book.filter { $0.cover == Data([4]) }, "cover == \(Data([4]))") { $0.cover == Data([4]) },
    Case(Book.filter { $0.cost > 3 }, "cost > \(Decimal(3))") { $0.cost.map { $0 > 3 } ?? false },
    Case(Book.filter { $0.place == nil }, "place == nil") { $0.place == nil },
    Case(Book.filter { $0.pages.isIn([100, 500]) }, "pages IN {100, 500}") {
      [100, 500].contains($0.pages)
    },
    Case(Book.filter { $0.pages.isIn(Set([500])) }, "pages IN {500}") { $0.pages == 500 },
    Case(Book.filter { $0.pages.isIn([]) }, "pages IN {}") { _ in false },
    Case(Book.filter { $0.pages.isIn(100...300) }, "pages BETWEEN {100, 300}") {
      (100...300).contains($0.pages)
    },
    Case(Book.filter { $0.pages.isIn(100..<300) }, "pages >= 100 AND pages < 300") {
      (100..<300).contains($0.pages)
    },
    Case(Book.filter { $0.edition.isBetween(5, 2) }, "edition BETWEEN {5, 2}") { _ in false },
  ]

  static let order: [Case] = [
    Case(Book.filter { $0.grade.rawValue > 0 }, "grade > 0") { ($0.grade?.rawValue ?? 0) > 0 },
    Case(Book.filter { $0.genre.rawValue.hasPrefix("e") }, "genre BEGINSWITH 'e'") {
      $0.genre.rawValue.hasPrefix("e")
    },
    Case(Book.filter { $0.grade >= .good }, "grade >= 1") { book in
      book.grade.map { $0 >= .good } ?? false
    },
    Case(Book.filter { $0.grade.isBetween(.poor, .good) }, "grade BETWEEN {0, 1}") {
      $0.grade == .poor || $0.grade == .good
    },
    Case(Book.filter { 100 < $0.pages && $0.pages <= 300 }, "pages > 100 AND pages <= 300") {
      100 < $0.pages && $0.pages <= 300
    },
    Case(Book.filter { 500 >= $0.pages && 300 <= $0.pages }, "pages <= 500 AND pages >= 300") {
      500 >= $0.pages && 300 <= $0.pages
    },
    Case(Book.filter { day > $0.published }, "published < \(day)") { day > $0.published },
    Case(Book.filter { "Go" == $0.title || 4 == $0.edition }, "title == 'Go' OR edition == 4") {
      "Go" == $0.title || 4 == $0.edition
    },
    Case(
      Book.filter { nil != $0.subtitle && "Go" != $0.title },
      "subtitle != nil AND title != 'Go'"
    ) { nil != $0.subtitle && "Go" != $0.title },
    Case(Book.filter { nil == $0.writer }, "writer == nil") { nil == $0.writer },
    Case(Book.filter { nil != $0.writer }, "writer != nil") { nil != $0.writer },
    Case(Book.filter { $0.title.contains("fix") == false }, "NOT title CONTAINS 'fix'") {
      $0.title.contains("fix") == false
    },
    Case(Book.filter { $0.readers.isEmpty != false }, "readers.@count == 0") {
      $0.readers.isEmpty != false
    },
    Case(Book.filter { false == $0.title.contains("fix") }, "NOT title CONTAINS 'fix'") {
      false == $0.title.contains("fix")
    },
    Case(Book.filter { false != $0.readers.isEmpty }, "readers.@count == 0") {
      false != $0.readers.isEmpty
    },
    Case(Book.filter { .good <= $0.grade }, "grade >= 1") { book in
      book.grade.map { .good <= $0 } ?? false
    },
    Case(Book.filter { $0.grade.isIn(.poor ... .good) }, "grade BETWEEN {0, 1}") {
      $0.grade == .poor || $0.grade == .good
    },
    Case(Book.filter { $0.grade.isIn(.poor ..< .good) }, "grade >= 0 AND grade < 1") {
      $0.grade == .poor
    },
  ]

  static let texts: [Case] = [
    Case(Book.filter { $0.title.contains("fix") }, "title CONTAINS 'fix'") {
      $0.title.contains("fix")
    },
    Case(
      Book.filter { $0.title.contains("fix", .caseInsensitive) && !$0.title.hasPrefix("The") },
      "title CONTAINS[c] 'fix' AND NOT title BEGINSWITH 'The'"
    ) { $0.title == "Fix it" },
    Case(
      Book.filter { $0.title.contains("EPEE", [.caseInsensitive, .diacriticInsensitive]) },
      "title CONTAINS[cd] 'EPEE'"
    ) { [200, 300].contains($0.pages) },
    Case(Book.filter { $0.title.hasPrefix("é", .localized) }, "title BEGINSWITH[l] 'é'") { _ in
      false
    },
    Case(Book.filter { $0.title.hasSuffix("fix", .normalized) }, "title ENDSWITH[n] 'fix'") {
      $0.title.hasSuffix("fix")
    },
    Case(Book.filter { $0.title.like("?o", .caseInsensitive) }, "title LIKE[c] '?o'") {
      ["Go", "go"].contains($0.title)
    },
    Case(Book.filter { $0.title.matches("[F-Z].*") }, "title MATCHES '[F-Z].*'") {
      $0.title.first.map { "F"..."Z" ~= $0 } ?? false
    },
    Case(Book.filter { $0.title.equals("GO", .caseInsensitive) }, "title ==[c] 'GO'") {
      $0.title.lowercased() == "go"
    },
    Case(Book.filter { $0.subtitle.contains("o") }, "subtitle CONTAINS 'o'") {
      $0.subtitle?.contains("o") ?? false
    },
    Case(
      Book.filter { $0.subtitle.contains($0.title, .caseInsensitive) },
      "subtitle CONTAINS[c] title"
    ) { $0.subtitle == "Go on" && $0.title.lowercased() == "go" },
    Case(Book.filter { $0.title.contains("") }, "title CONTAINS ''") { _ in false },
    Case(Book.filter { $0.title.lowercased() == "go" }, "lowercase(title) == 'go'") {
      $0.title.lowercased() == "go"
    },
    Case(Book.filter { $0.title.uppercased() == "GO" }, "uppercase(title) == 'GO'") {
      $0.title.uppercased() == "GO"
    },
    Case(Book.filter { $0.title.length > 6 }, "length(title) > 6") { $0.title.utf16.count > 6 },
    Case(Book.filter { $0.link.absoluteString.hasSuffix("4") }, "link.absoluteString ENDSWITH '4'")
    {
      $0.link?.absoluteString.hasSuffix("4") ?? false
    },
  ]

  static let numbers: [Case] = [
    Case(Book.filter { $0.pages + 1 > 500 }, "pages + 1 > 500") { $0.pages + 1 > 500 },
    Case(Book.filter { 1000 - $0.pages > 500 }, "1000 - pages > 500") { 1000 - $0.pages > 500 },
    Case(Book.filter { $0.price * 2 > 20 }, "price * 2.0 > 20.0") { $0.price * 2 > 20 },
    Case(Book.filter { ($0.pages + 50) / 100 == 2 }, "(pages + 50) / 100 == 2") {
      ($0.pages + 50) / 100 == 2
    },
    Case(Book.filter { $0.pages % 200 == 0 }, "modulus:by:(pages, 200) == 0") {
      $0.pages % 200 == 0
    },
    Case(Book.filter { -$0.pages < -300 }, "-pages < -300") { -$0.pages < -300 },
    Case(Book.filter { $0.price - $0.discount > 5 }, "price - discount > 5.0") { book in
      book.discount.map { book.price - $0 > 5 } ?? false
    },
  ]

  static let relationships: [Case] = [
    Case(Book.filter { $0.writer.name == "Ada" }, "writer.name == 'Ada'") {
      $0.writer?.name == "Ada"
    },
    Case(Book.filter { $0.writer.name != "Ada" }, "writer.name != 'Ada'") {
      $0.writer?.name != "Ada"
    },
    Case(Book.filter { $0.writer.age == nil }, "writer.age == nil") { $0.writer?.age == nil },
    Case(Book.filter { $0.writer == nil }, "writer == nil") { $0.writer == nil },
    Case(Book.filter { $0.writer != nil }, "writer != nil") { $0.writer != nil },
    Case(Book.filter { $0.writer.mentor.name == "Ada" }, "writer.mentor.name == 'Ada'") {
      $0.writer?.mentor?.name == "Ada"
    },
    Case(Book.filter { $0.writer == $0.writer.mentor }, "writer == writer.mentor") {
      $0.writer == $0.writer?.mentor
    },
    Case(Book.filter { $0.writer.pupils.count > 1 }, "writer.pupils.@count > 1") {
      ($0.writer?.pupils.count ?? 0) > 1
    },
  ]

  static let members: [Case] = [
    Case(Book.filter { $0.readers.count > 1 }, "readers.@count > 1") { $0.readers.count > 1 },
    Case(Book.filter { $0.readers.isEmpty }, "readers.@count == 0") { $0.readers.isEmpty },
    Case(Book.filter { $0.readers.any { $0.name == "Lee" } }, "ANY readers.name == 'Lee'") {
      $0.readers.contains { $0.name == "Lee" }
    },
    Case(Book.filter { $0.readers.all { $0.name == "Kim" } }, "ALL readers.name == 'Kim'") {
      $0.readers.allSatisfy { $0.name == "Kim" }
    },
    Case(Book.filter { $0.readers.none { $0.name == "Lee" } }, "NONE readers.name == 'Lee'") {
      !$0.readers.contains { $0.name == "Lee" }
    },
    Case(
      Book.filter { $0.writer.books.any { $0.pages > 300 && $0.title != "Go" } },
      "SUBQUERY(writer.books, $item, $item.pages > 300 AND $item.title != 'Go').@count > 0"
    ) { $0.writer?.books.contains { $0.pages > 300 && $0.title != "Go" } ?? false },
    Case(
      Book.filter { $0.readers.all { $0.name == "Kim" || $0.books.count > 3 } },
      """
      SUBQUERY(readers, $item, NOT ($item.name == 'Kim' OR $item.books.@count > 3)).@count == 0
      """
    ) { $0.readers.allSatisfy { $0.name == "Kim" || $0.books.count > 3 } },
    Case(
      Book.filter { book in book.writer.books.any { $0.pages > book.pages } },
      "ANY writer.books.pages > pages"
    ) { book in book.writer?.books.contains { $0.pages > book.pages } ?? false },
    Case(
      Book.filter { book in
        book.readers.any { reader in reader.books.any { $0.pages > book.pages && $0.isLent } }
      },
      """
      SUBQUERY(readers, $item, SUBQUERY($item.books, $item2,
        $item2.pages > pages AND $item2.isLent == YES).@count > 0).@count > 0
      """
    ) { book in
      book.readers.contains { $0.books.contains { $0.pages > book.pages && $0.isLent } }
    },
    Case(
      Book.filter { book in book.readers.any { $0.books.contains(book) } },
      "SUBQUERY(readers, $item, $item.books CONTAINS SELF).@count > 0"
    ) { !$0.readers.isEmpty },
    Case(
      Book.filter { $0.writer.books.filter { $0.isLent }.count == 2 },
      "SUBQUERY(writer.books, $item, $item.isLent == YES).@count == 2"
    ) { $0.writer?.books.filter(\.isLent).count == 2 },
    Case(Book.filter { $0.writer.books.sum(\.pages) > 500 }, "writer.books.@sum.pages > 500") {
      ($0.writer?.books.reduce(0) { $0 + $1.pages } ?? 0) > 500
    },
    Case(
      Book.filter { $0.writer.books.max(\.published) > day },
      "writer.books.@max.published > \(day)"
    ) { $0.writer?.books.contains { $0.published > day } ?? false },
    Case(Book.filter { $0.writer.books.min(\.edition) == 1 }, "writer.books.@min.edition == 1") {
      $0.writer?.books.compactMap(\.edition).min() == 1
    },
    Case(
      Book.filter { $0.shelf.books.average(\.price) == 2.5 },
      "shelf.books.@avg.price == 2.5"
    ) { $0.shelf != nil },
    Case(
      Book.filter { $0.writer.pupils.any { $0.mentor.age > 30 } },
      "ANY writer.pupils.mentor.age > 30"
    ) { $0.writer?.name == "Ada" },
    Case(
      Book.filter { book in book.shelf.books.contains(book) },
      "shelf.books CONTAINS SELF"
    ) { $0.shelf != nil },
  ]
}
