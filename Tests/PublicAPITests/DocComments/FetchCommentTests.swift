// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples in the comments of fetches and batch requests.
@Suite("Samples in comments: fetching")
struct FetchCommentTests {
  private let store: TourStore
  private let context: ManagedObjectContext
  private let word = "fix"

  init() async throws {
    store = try TourStore(.sqlite)
    try await store.addCommits()
    context = store.container.newBackgroundContext()
  }

  @Test func `requests find commits`() throws {
    var request = FetchRequest<Commit>(entityName: "Commit")
    request.predicate = "message CONTAINS[c] \(word)"
    request.sortDescriptors = [FetchSort("date", ascending: false)]
    request.fetchLimit = 20
    #expect(try context.fetch(request).map(\.sha) == ["sha2", "sha1"])
    request.sortDescriptors = [FetchSort("author.name", comparison: .localizedStandard)]
    #expect(try context.fetch(request).count == 2)
    do {
      let commits = try context.fetch(Commit.all.prefetching(\.author))
      #expect(commits.count == 3)
    }
    do {
      let fixes = try context.fetch(Commit.filter("message CONTAINS[c] 'fix'").requireSQL())
      #expect(fixes.count == 2)
    }
    do {
      let fixes = try context.fetch(Commit.filter("message CONTAINS[c] \(word)"))
      #expect(fixes.count == 2)
    }
    do {
      let name = "Joe Groff"
      let byJoe = FetchPredicate(#Predicate<Commit> { $0.author?.name == name })
      #expect(try context.count(for: Commit.filter(byJoe)) == 2)
    }
    do {
      let fixes = Commit.all.filter(#Predicate { $0.message.contains("fix") })
      #expect(try context.count(for: fixes) == 1)
    }
    do {
      let fixes = try context.fetch(
        Commit.filter { $0.message.contains("fix", .caseInsensitive) && $0.author.name == "Joe" }
      )
      let busy = try context.fetch(
        Author.filter { $0.commits.count > 10 && $0.commits.any { $0.message.contains("fix") } }
      )
      #expect(fixes.isEmpty && busy.isEmpty)
    }
  }

  @Test func `batches and loops`() throws {
    do {
      let commits = try context.fetch(Commit.sorted(by: \.date, .reverse), batchSize: 20)
      print(commits.count, commits[0].message)  // two queries: identities, then 20 rows
      #expect(commits.count == 3)
    }
    try context.enumerate(Commit.sorted(by: \.date)) { commit in print(commit.sha) }
  }

  @Test func `what only SQL can say`() throws {
    let date = Date.distantPast
    let oldest = try context.fetch(
      Commit.self,
      sql: """
        SELECT Z_PK FROM ZCOMMIT GROUP BY ZAUTHOR HAVING ZDATE = min(ZDATE) AND ZDATE > \(date)
        """
    )
    #expect(Set(oldest.map(\.sha)) == ["sha0", "sha1"])
    let loud: RawSQL = """
      SELECT Z_PK FROM \(table: Commit.self) WHERE length(\(column: \Commit.message)) > \(100)
      """
    let commits = try context.fetch(Commit.self, sql: loud)
    #expect(commits.isEmpty)
  }

  @Test func `values without objects`() throws {
    let newest = Commit.sorted(by: \.date, .reverse).limit(20)
    for (message, date) in try context.fetch(newest, \.message, \.date) { print(date, message) }
    let shas = try context.fetch(Commit.all, \.sha)  // [String]
    #expect(Set(shas) == ["sha0", "sha1", "sha2"])

    let counts = try context.fetchDictionaries(
      Commit.all.fetching(
        "author.name",
        .expression(ExpressionDescription("n", format: "count(sha)"))
      )
      .grouped(by: "author.name").having("n > 10").sorted(by: FetchSort("n", ascending: false))
    )
    #expect(counts.isEmpty)

    var request = FetchRequest<Commit>()
    request.propertiesToFetch = [
      "author", .expression(ExpressionDescription("newest", format: "max(date)")),
    ]
    request.propertiesToGroupBy = ["author"]
    for row in try context.fetchDictionaries(request) {
      print(row["author"] ?? "nobody", row["newest"] ?? "-")
    }
    request.propertiesToFetch = [
      "author", .expression(ExpressionDescription("n", format: "count(sha)")),
    ]
    #expect(try context.fetchDictionaries(request).count == 2)
  }

  @Test func `values are computed of all commits`() throws {
    let count = ExpressionDescription("commits", format: "count(sha)")
    let days = ExpressionDescription(
      "days",
      format: "(CAST(max(date), 'NSNumber') - CAST(min(date), 'NSNumber')) / %@",
      86_400.0
    )
    let request = Commit.all.fetching(.expression(count), .expression(days))
    let row = try #require(try context.fetchDictionaries(request).first)
    // The first and the last of three commits are two seconds apart.
    #expect(row["commits"] as? Int64 == 3)
    #expect(row["days"] as? Double == 2.0 / 86_400)
  }

  @Test func `predicates of every spelling`() throws {
    let name = "Joe Groff"
    let fixes = FetchPredicate(format: "message CONTAINS[c] %@ AND author.name == %@", "fix", name)
    let same: FetchPredicate = "message CONTAINS[c] \(word) AND author.name == \(name)"
    let both = fixes && !same
    #expect(fixes == same)
    #expect(try context.count(for: Commit.filter(both)) == 0)

    let yesterday = Date.distantPast
    let since =
      FetchPredicate(format: "%K BEGINSWITH[c] %@ AND date > %@", "author.name", "jo", yesterday)
    #expect(try context.count(for: Commit.filter(since)) == 2)

    let predicate: FetchPredicate = "age > 35"
    let ada: [String: any Sendable] = ["name": "Ada", "age": 36]
    let isOld = try predicate.evaluate(with: ada)
    #expect(isOld)
  }

  @Test func `a search that is given up`() async throws {
    try await Self.search(store.container, word)
  }

  @MainActor private static func search(_ container: PersistentContainer, _ word: String)
    async throws
  {
    let context = container.viewContext
    let search = Task {
      try await context.fetchInBackground(Commit.filter("message CONTAINS \(word)")).count
    }
    search.cancel()
    let result = await search.result
    let error = #expect(throws: PerennialError.self) { _ = try result.get() }
    #expect(error?.code == .fetchCancelled)
  }

  @Test func `a template of the model`() throws {
    let model = try ManagedObjectModel(
      entities: [Commit.entity, Author.entity],
      fetchRequestTemplates: [
        FetchRequestTemplate("commitsBy", entity: "Commit", predicate: "author.name == $NAME")
      ]
    )
    let template = FetchRequestTemplate(
      "commitsBy",
      entity: "Commit",
      predicate: "author.name == $NAME"
    )
    let request: FetchRequest<Commit> = try model.fetchRequest(
      fromTemplate: "commitsBy",
      substitutionVariables: ["NAME": "Joe Groff"]
    )
    #expect(template.name == "commitsBy")
    #expect(try context.count(for: request) == 2)
  }

  @Test func `objects with their relationships are loaded on purpose`() throws {
    let commits = try context.fetch(Commit.all)
    context.lazyLoading = .raiseOnLazyLoad
    try context.load(commits, prefetching: ["author"])
    #expect(commits.allSatisfy { $0.author?.name.isEmpty == false })

    context.lazyLoading = .raiseOnLazyLoad
    for commit in try context.fetch(Commit.all.prefetching(\.author)) {
      print(commit.message, commit.author?.name ?? "-")
    }
    try context.save()
  }

  @Test func `an upsert finds what is there`() throws {
    let log = [LogEntry(sha: "sha0", message: "Begun", date: .now)]
    let commits = try context.upsert(Commit.self, from: log, matching: \.sha, \.sha) {
      commit,
      entry in
      commit.message = entry.message
    }
    #expect(commits.map(\.message) == ["Begun"])
    #expect(commits.allSatisfy { !$0.isInserted })
  }
}
