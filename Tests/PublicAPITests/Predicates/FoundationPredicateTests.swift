// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Conditions of Foundation's macro: each has the tree of a format string, and the rows that Foundation
/// finds by evaluating it on the objects.
@Suite("#Predicate")
struct FoundationPredicateTests {
  /// A condition and the format that says the same.
  struct Case: Sendable, CustomTestStringConvertible {
    let predicate: Predicate<Book>
    let format: FetchPredicate

    init(_ format: FetchPredicate, _ predicate: Predicate<Book>) {
      self.predicate = predicate
      self.format = format
    }

    var testDescription: String { format.description }
  }

  static let cases = comparisons + texts + optionals + collections + logic

  @Test(arguments: cases)
  func `a #Predicate has the tree of the format string`(_ test: Case) throws {
    let translated = FetchPredicate(test.predicate)

    #expect(translated == test.format)
    #expect(try FetchPredicate(parsing: translated.description) == translated)
  }

  @Test(arguments: cases, StoreKind.allCases)
  func `a #Predicate selects what Foundation selects`(_ test: Case, _ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    let expected = try context.fetch(Book.all).filter { try test.predicate.evaluate($0) }

    let fetched = try context.fetch(Book.all.filter(test.predicate))

    #expect(Set(fetched.map(\.pages)) == Set(expected.map(\.pages)))
  }

  // MARK: Rows

  static let comparisons: [Case] = {
    let (day, code, genre) = (LibraryStore.date(3), LibraryStore.code, Genre.essay)
    let pages = 300
    let editions = [2, 4]
    let (few, range, half) = ([100, 200], 100...300, 100..<300)
    return [
      Case("title == 'Go'", #Predicate { $0.title == "Go" }),
      Case("title != 'Go'", #Predicate { $0.title != "Go" }),
      Case("pages < \(pages)", #Predicate { $0.pages < pages }),
      Case("pages <= \(pages)", #Predicate { $0.pages <= pages }),
      Case("pages > \(pages)", #Predicate { $0.pages > pages }),
      Case("pages >= \(pages)", #Predicate { $0.pages >= pages }),
      Case("published > \(day)", #Predicate { $0.published > day }),
      Case("code == \(code)", #Predicate { $0.code == code }),
      Case("genre == 'essay'", #Predicate { $0.genre == genre }),
      Case("pages + 50 > 300", #Predicate { $0.pages + 50 > 300 }),
      Case("pages - 50 > 300", #Predicate { $0.pages - 50 > 300 }),
      Case("pages * 2 > 300", #Predicate { $0.pages * 2 > 300 }),
      Case("pages / 200 == 1", #Predicate { $0.pages / 200 == 1 }),
      Case("modulus:by:(pages, 200) == 0", #Predicate { $0.pages % 200 == 0 }),
      Case("price / 2.0 > 3.0", #Predicate { $0.price / 2.0 > 3.0 }),
      Case("-pages < -300", #Predicate { -$0.pages < -300 }),
      Case("pages IN {100, 200}", #Predicate { few.contains($0.pages) }),
      Case("pages BETWEEN {100, 300}", #Predicate { (100...300).contains($0.pages) }),
      Case("pages BETWEEN {100, 300}", #Predicate { range.contains($0.pages) }),
      Case("pages >= 100 AND pages < 300", #Predicate { (100..<300).contains($0.pages) }),
      Case("pages >= 100 AND pages < 300", #Predicate { half.contains($0.pages) }),
      Case("max({2, 4}) == edition", #Predicate { editions.max() == $0.edition }),
      Case("min({2, 4}) == edition", #Predicate { editions.min() == $0.edition }),
    ]
  }()

  static let texts: [Case] = {
    let same = ComparisonResult.orderedSame
    let after = ComparisonResult.orderedDescending
    let before = ComparisonResult.orderedAscending
    return [
      Case("title CONTAINS 'fix'", #Predicate { $0.title.contains("fix") }),
      Case("title BEGINSWITH 'The'", #Predicate { $0.title.starts(with: "The") }),
      Case("title == ''", #Predicate { $0.title.isEmpty }),
      Case("length(title) < 3", #Predicate { $0.title.count < 3 }),
      Case(
        "title MATCHES '.*(?:[Ff]ix$).*'",
        #Predicate { $0.title.contains(/[Ff]ix$/) }
      ),
      Case("title CONTAINS[cdl] 'EPEE'", #Predicate { $0.title.localizedStandardContains("EPEE") }),
      Case("title ==[c] 'GO'", #Predicate { $0.title.caseInsensitiveCompare("GO") == same }),
      Case("title !=[c] 'GO'", #Predicate { $0.title.caseInsensitiveCompare("GO") != same }),
      Case("title >[l] 'Go'", #Predicate { $0.title.localizedCompare("Go") == after }),
      Case("NOT title >[l] 'Go'", #Predicate { $0.title.localizedCompare("Go") != after }),
      // A book without a subtitle has none in any order.
      Case(
        "NOT subtitle >[c] 'GO'",
        #Predicate { $0.subtitle?.caseInsensitiveCompare("GO") != after }
      ),
      Case(
        "NOT subtitle <[c] 'GO'",
        #Predicate { $0.subtitle?.caseInsensitiveCompare("GO") != before }
      ),
      Case(
        "subtitle !=[c] 'go on'",
        #Predicate { $0.subtitle?.caseInsensitiveCompare("go on") != same }
      ),
      Case(
        "link.absoluteString == 'https://example.org/4'",
        #Predicate { $0.link?.absoluteString == "https://example.org/4" }
      ),
    ]
  }()

  static let optionals: [Case] = {
    let yes: Bool? = true
    // The macro's node for `!`; Swift evaluates it only where there is a value.
    // swift-format-ignore: NeverForceUnwrap
    let unwrapped = #Predicate<Book> { $0.subtitle != nil && $0.subtitle!.contains("o") }
    return [
      Case("subtitle == nil", #Predicate { $0.subtitle == nil }),
      Case("subtitle != nil", #Predicate { $0.subtitle != nil }),
      Case("edition == 4", #Predicate { $0.edition == 4 }),
      Case("isSigned == YES", #Predicate { $0.isSigned == true }),
      Case("isSigned == YES", #Predicate { $0.isSigned == yes }),
      Case("isSigned == YES", #Predicate { $0.isSigned ?? false }),
      Case(
        "TERNARY(edition != nil, edition, 9) > 4",
        #Predicate { ($0.edition ?? 9) > 4 }
      ),
      Case("subtitle != nil AND subtitle CONTAINS 'o'", unwrapped),
      Case(
        "subtitle != nil AND subtitle CONTAINS 'o'",
        #Predicate { $0.subtitle?.contains("o") ?? false }
      ),
      Case(
        "NOT subtitle != nil OR subtitle CONTAINS 'o'",
        #Predicate { $0.subtitle?.contains("o") ?? true }
      ),
      Case(
        "subtitle != nil AND subtitle CONTAINS 'o'",
        #Predicate { $0.subtitle?.contains("o") == true }
      ),
      Case(
        "subtitle != nil AND subtitle CONTAINS 'o'",
        #Predicate { if let text = $0.subtitle { text.contains("o") } else { false } }
      ),
      Case(
        "TERNARY(edition != nil, edition * 2, nil) == 8",
        #Predicate { $0.edition.flatMap { $0 * 2 } == 8 }
      ),
    ]
  }()

  static let collections: [Case] = {
    let names = ["Kim", "Max"]
    return [
      Case("writer.name == 'Ada'", #Predicate { $0.writer?.name == "Ada" }),
      Case("writer == nil", #Predicate { $0.writer == nil }),
      Case("writer.mentor.name == 'Ada'", #Predicate { $0.writer?.mentor?.name == "Ada" }),
      Case("readers.@count > 1", #Predicate { $0.readers.count > 1 }),
      Case("readers.@count == 0", #Predicate { $0.readers.isEmpty }),
      Case("NOT readers.@count == 0", #Predicate { !$0.readers.isEmpty }),
      Case(
        "ANY readers.name == 'Lee'",
        #Predicate { $0.readers.contains { $0.name == "Lee" } }
      ),
      Case(
        "ALL readers.name == 'Kim'",
        #Predicate { $0.readers.allSatisfy { $0.name == "Kim" } }
      ),
      Case(
        "SUBQUERY(readers, $item, $item.name == 'Lee').@count == 1",
        #Predicate { $0.readers.filter { $0.name == "Lee" }.count == 1 }
      ),
      Case(
        "SUBQUERY(readers, $item, $item.name == 'Lee' AND $item.books.@count > 1).@count > 0",
        #Predicate { $0.readers.contains { $0.name == "Lee" && $0.books.count > 1 } }
      ),
      Case(
        "SUBQUERY(readers, $item, ANY $item.books.pages > pages).@count > 0",
        #Predicate { book in
          book.readers.contains { reader in reader.books.contains { $0.pages > book.pages } }
        }
      ),
      Case(
        "SUBQUERY(readers, $item, $item.books CONTAINS SELF).@count > 0",
        #Predicate { book in book.readers.contains { reader in reader.books.contains(book) } }
      ),
      Case(
        "writer != nil AND ANY writer.books.pages > 400",
        #Predicate { $0.writer?.books.contains { $0.pages > 400 } ?? false }
      ),
      Case("shelf.books.@count == 3", #Predicate { $0.shelf?.books.count == 3 }),
      Case(
        "shelf != nil AND shelf.books.@count == 0",
        #Predicate { $0.shelf?.books.isEmpty ?? false }
      ),
      Case(
        "shelf.books[FIRST].title == 'Fix it'",
        #Predicate { $0.shelf?.books.first?.title == "Fix it" }
      ),
      Case(
        "shelf != nil AND shelf.books CONTAINS SELF",
        #Predicate { book in book.shelf?.books.contains(book) ?? false }
      ),
      Case(
        "title CONTAINS 'Kim' OR title CONTAINS 'Max'",
        #Predicate { book in names.contains { name in book.title.contains(name) } }
      ),
      Case(
        "title != 'Kim' AND title != 'Max'",
        #Predicate { book in names.allSatisfy { name in book.title != name } }
      ),
    ]
  }()

  static let logic: [Case] = [
    Case("isLent == YES", #Predicate { $0.isLent }),
    Case("NOT isLent == YES", #Predicate { !$0.isLent }),
    Case("isLent == YES AND pages > 300", #Predicate { $0.isLent && $0.pages > 300 }),
    Case("isLent == YES OR pages > 300", #Predicate { $0.isLent || $0.pages > 300 }),
    Case(
      "(isLent == YES AND pages > 300) OR (NOT isLent == YES AND pages < 300)",
      #Predicate { $0.isLent ? $0.pages > 300 : $0.pages < 300 }
    ),
    Case(
      "(isLent == YES AND pages > 300) OR (NOT isLent == YES AND title == 'Go')",
      #Predicate { if $0.isLent { $0.pages > 300 } else { $0.title == "Go" } }
    ),
    Case(
      "TERNARY(isLent == YES, pages, 0) > 300",
      #Predicate { ($0.isLent ? $0.pages : 0) > 300 }
    ),
    Case("NOT pages > 300", #Predicate { ($0.pages > 300) == false }),
    Case("TRUEPREDICATE", #Predicate { _ in true }),
  ]
}
