// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The samples of the README's tour, over both stores.
@Suite("README tour")
struct TourTests {
  @Test(arguments: StoreKind.allCases)
  func `contexts insert, save, fetch and roll back`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()

    let commit = Commit(context: context)
    commit.sha = "2f77f2fc"
    commit.message = "Fix a bug"
    commit.date = .now
    try context.save()
    let id = commit.objectID

    commit.message = "Fix two bugs"
    context.rollback()

    #expect(commit.message == "Fix a bug")
    #expect(!id.isTemporaryID)
    #expect(!context.hasChanges)
    #expect(try context.object(Commit.self, with: id) === commit)

    context.delete(commit)
    try context.save()
    #expect(try context.count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `relationships have two sides`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    let first = Commit(context: context)
    (first.sha, first.message, first.date) = ("1", "Begin", .now)
    let commit = Commit(context: context)
    (commit.sha, commit.message, commit.date) = ("2", "Fix", .now)

    let author = Author(context: context)
    author.name = "Joe Groff"
    commit.author = author
    author.commits.insert(first)
    let count = author.commits.count
    let messages = author.commits.map(\.message)
    author.commits = [commit]

    #expect(count == 2)
    #expect(Set(messages) == ["Begin", "Fix"])
    #expect(author.commits.count == 1)
    #expect(first.author == nil)
    #expect(commit.author === author)
    try context.save()

    context.delete(author)
    try context.save()
    #expect(try context.fetch(Commit.all).map(\.sha) == ["1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `predicates and sorts select`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()

    let word = "FIX"
    let fixes = try context.fetch(
      Commit.filter {
        $0.message.contains(word, .caseInsensitive) && !$0.message.hasPrefix("Merge")
      }
      .sorted(by: \.date, .reverse)
    )
    let same: FetchPredicate = "message CONTAINS[c] \(word) AND NOT message BEGINSWITH 'Merge'"
    let byJoe = try context.count(for: Commit.filter(format: "author.name == %@", "Joe Groff"))
    let busy = try context.fetch(Author.filter { $0.commits.count > 1 }.sorted(by: \.name))

    #expect(fixes.map(\.sha) == ["sha1"])
    #expect(try context.fetch(Commit.filter(same)) == fixes)
    #expect(byJoe == 2)
    #expect(busy.map(\.name) == ["Joe Groff"])

    var request = FetchRequest<Commit>(entityName: "Commit")
    request.predicate = FetchPredicate(
      format: "date >= %@",
      Date(timeIntervalSinceReferenceDate: 1)
    )
    request.sortDescriptors = [FetchSort("author.name"), FetchSort("date", ascending: false)]
    request.fetchLimit = 20
    #expect(try context.fetch(request).map(\.sha) == ["sha2", "sha1"])

    let newest = try context.first(Commit.sorted(by: \.date, .reverse))
    let text = "author.name == 'Ada'"
    let asked = try FetchPredicate(parsing: text)
    #expect(newest?.sha == "sha2")
    #expect(try context.fetch(Commit.filter(asked && !fixesPredicate)).map(\.sha) == ["sha0"])

    let explanation = try context.explain(Commit.filter("message CONTAINS 'fix'"))
    #expect(explanation.sql.isEmpty == (kind != .sqlite))
  }

  private var fixesPredicate: FetchPredicate { "message CONTAINS[c] 'fix'" }

  @Test(arguments: StoreKind.allCases)
  func `importing twice changes nothing`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    let log = (0..<1000).map { LogEntry(sha: "sha\($0)", message: "Fix \($0)", date: .distantPast) }

    for _ in 1...2 {
      let commits = try context.upsert(Commit.self, from: log, matching: \.sha, \.sha) {
        (commit, entry) in
        commit.message = entry.message
        commit.date = entry.date
      }
      #expect(commits.count == 1000)
      try context.save()
    }
    #expect(try context.count(for: Commit.all) == 1000)
    let author = try context.findOrInsert(Author.self, where: \.name, equals: "Joe Groff")
    #expect(author.isInserted)
    #expect(try context.findOrInsert(Author.self, where: \.name, equals: "Joe Groff") === author)
  }

  @Test(arguments: StoreKind.allCases)
  func `a newcomer with a taken unique value becomes the stored object`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    let stored = Commit(context: context)
    (stored.sha, stored.message, stored.date) = ("2f77f2fc", "Fix a bug", .distantPast)
    try context.save()

    context.mergePolicy = .mergeByPropertyObjectTrump
    let twin = Commit(context: context)
    twin.sha = "2f77f2fc"
    twin.message = "Fix two bugs"
    twin.date = .distantFuture
    try context.save()

    #expect(try context.count(for: Commit.all) == 1)
    #expect(twin.isForwarding)
    #expect(twin.objectID == stored.objectID)
    #expect(stored.message == "Fix two bugs")
    #expect(stored.date == .distantFuture)
  }

  @Test(arguments: StoreKind.allCases)
  func `errors are matched by family or by code`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    let commit = Commit(context: context)
    commit.message = "A commit without an id"
    #expect(try Self.report(saving: context) == "rolled back")
    #expect(!context.hasChanges)
  }

  // A `var` of this function that the clauses change makes Swift 6.3.1 crash.
  private static func report(saving context: ManagedObjectContext) throws -> String {
    do {
      try context.save()
      return "saved"
    } catch PerennialError.validation {
      context.rollback()
      return "rolled back"
    } catch let error where error.code == .managedObjectMerge {
      return error.recovery
    }
  }
}
