// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The first half of the commits tutorial: one store, a list, its filters.
@Suite("The commits tutorial: the list")
@MainActor
struct CommitsListTests {
  @Test(arguments: StoreKind.allCases)
  func `the context saves only when it has changes`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind, isEmpty: true)
    #expect(try !app.saveContext())
    Commit.add("sha", at: moment(0), to: app.container.viewContext)
    #expect(try app.saveContext())
    #expect(try !app.saveContext())
    #expect(try app.load().count == 1)
  }

  @Test func `the store is a file at a URL that keeps the commits`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Project38.sqlite")
    for count in [1, 2] {
      let container = try PersistentContainer(
        name: "Project38",
        entities: Commit.self,
        Author.self,
        store: .sqlite(url)
      )
      Commit.add("sha\(count)", at: moment(0), to: container.viewContext)
      try container.viewContext.save()
      #expect(try container.viewContext.count(for: Commit.all) == count)
    }
    #expect(FileManager.default.fileExists(atPath: url.path))
  }

  @Test(arguments: StoreKind.allCases)
  func `importing twice leaves the number of commits`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    #expect(try app.load().count == 4)
    try app.importCommits(CommitsApp.serverCommits)
    #expect(try app.load().count == 4)
    #expect(try app.container.viewContext.count(for: Author.all) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `importing again takes the server's new values`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    var changed = CommitsApp.serverCommits
    changed[2].message = "Fix the parser, really"
    try app.importCommits(changed)
    #expect(try app.commit("sha2").message == "Fix the parser, really")
    #expect(try app.load().count == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `the newest commit comes first`(_ kind: StoreKind) throws {
    #expect(try CommitsApp(kind).load().map(\.sha) == ["sha3", "sha2", "sha1", "sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `show the commits with one message`(_ kind: StoreKind) throws {
    let predicate = FetchPredicate(format: "message == 'I fixed a bug in Swift'")
    #expect(try CommitsApp(kind).load(predicate).map(\.sha) == ["sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `show the commits with the message of a variable`(_ kind: StoreKind) throws {
    let filter = "I fixed a bug in Swift"
    let predicate = FetchPredicate(format: "message == %@", filter)
    #expect(try CommitsApp(kind).load(predicate).map(\.sha) == ["sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `show only fixes`(_ kind: StoreKind) throws {
    let predicate = FetchPredicate(format: "message CONTAINS[c] 'fix'")
    #expect(try CommitsApp(kind).load(predicate).map(\.sha) == ["sha2", "sha1", "sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `ignore pull requests`(_ kind: StoreKind) throws {
    let predicate = FetchPredicate(format: "NOT message BEGINSWITH 'Merge pull request'")
    #expect(try CommitsApp(kind).load(predicate).map(\.sha) == ["sha3", "sha2", "sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `show only recent commits`(_ kind: StoreKind) throws {
    let twelveHoursAgo = CommitsApp.now.addingTimeInterval(-43200)
    let predicate = FetchPredicate(format: "date > %@", twelveHoursAgo)
    #expect(try CommitsApp(kind).load(predicate).map(\.sha) == ["sha3", "sha2"])
  }

  @Test(arguments: StoreKind.allCases)
  func `show only one author's commits`(_ kind: StoreKind) throws {
    let predicate = FetchPredicate(format: "author.name == 'Joe Groff'")
    #expect(try CommitsApp(kind).load(predicate).map(\.sha) == ["sha2", "sha1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `show all commits`(_ kind: StoreKind) throws {
    #expect(try CommitsApp(kind).load(nil).count == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `the detail shows the commit's number among its author's`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    let commit = try app.commit("sha2")
    let author = try #require(commit.author)
    let sorted = author.commits.sorted { $0.date < $1.date }
    let number = try #require(sorted.firstIndex(of: commit)) + 1
    #expect(
      "Commit \(number)/\(author.commits.count) by this author" == "Commit 2/2 by this author"
    )
    #expect(author.commits.allSatisfy { $0.author == author })
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted commit is gone`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    app.container.viewContext.delete(try app.commit("sha1"))
    #expect(try app.saveContext())
    #expect(try app.load().map(\.sha) == ["sha3", "sha2", "sha0"])
    let joe = try #require(
      try app.container.viewContext.first(Author.filter("name == 'Joe Groff'"))
    )
    #expect(joe.commits.map(\.sha) == ["sha2"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted commit stays deleted after the next import`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    app.container.viewContext.delete(try app.commit("sha1"))
    DeletedCommit(context: app.container.viewContext).sha = "sha1"
    try app.saveContext()
    try app.importCommits(CommitsApp.serverCommits)
    #expect(try app.load().map(\.sha) == ["sha3", "sha2", "sha0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `the newest commit's date is fetched with a limit of one`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    var newest = Commit.createFetchRequest()
    newest.sortDescriptors = [FetchSort("date", ascending: false)]
    newest.fetchLimit = 1
    let commits = try app.container.viewContext.fetch(newest)
    #expect(commits.map(\.date) == [CommitsApp.now.addingTimeInterval(-600)])

    let empty = try CommitsApp(kind, isEmpty: true)
    #expect(try empty.container.viewContext.fetch(newest).first?.date == nil)
  }
}
