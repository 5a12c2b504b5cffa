// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What the article Concurrency says.
@Suite("Guide: concurrency")
struct ConcurrencyGuideTests {
  @Test func `the ten things that do not compile are cases that are held against the compiler`()
    throws
  {
    let rows = try GuideArticle("Concurrency").rows(below: "Ten things that do not compile")
    #expect(rows.map { $0[0] } == (1...10).map(String.init))
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    for row in rows {
      let file = tests.appending(path: "CompileFail/\(row[3].code).swift")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("// expect: \(row[2].code)\n"), "\(row[3])")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an object keeps what it has loaded when its context is gone`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    var context: ManagedObjectContext? = store.container.newBackgroundContext()
    let author = Author(context: try #require(context))
    author.name = "Ada"
    try context?.save()
    context = nil
    #expect(author.name == "Ada" && author.managedObjectContext == nil)
  }

  @Test func `the error about an object of another context names both`() throws {
    let store = try TourStore(.inMemory)
    let (mine, other) = (
      store.container.newBackgroundContext(), store.container.newBackgroundContext()
    )
    (mine.name, other.name) = ("mine", "other")
    let (commit, author) = (Commit(context: mine), Author(context: other))
    commit.author = author
    let error = try failure { try mine.processPendingChanges() }
    #expect(error.code.rawValue == 200_005)
    #expect(error.message.contains("mine") && error.message.contains("other"))
    #expect(commit.author == nil)
  }
}
