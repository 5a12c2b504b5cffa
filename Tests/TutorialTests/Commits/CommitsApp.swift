// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The app of the commits tutorial without its views.
@MainActor
final class CommitsApp {
  let container: PersistentContainer
  private let folder: TemporaryFolder

  init(_ kind: StoreKind, isEmpty: Bool = false) throws {
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      DeletedCommit.self,
      store: kind.description(in: folder)
    )
    container.viewContext.mergePolicy = .mergeByPropertyObjectTrump
    if !isEmpty { try importCommits(Self.serverCommits) }
  }

  /// What the server has: the newest is the last.
  nonisolated static let serverCommits = [
    ("I fixed a bug in Swift", -90_000.0, "Ada"),
    ("Merge pull request 1 from joe/fix", -50_000, "Joe Groff"),
    ("Fix the parser", -40_000, "Joe Groff"),
    ("Add a test", -600, "Ada"),
  ].enumerated().map { number, commit in
    ServerCommit(
      sha: "sha\(number)",
      message: commit.0,
      date: moment(1_000_000 + commit.1),
      author: commit.2
    )
  }

  /// The moment at which the user looks at the list.
  nonisolated static let now = moment(1_000_000)

  /// The tutorial's `saveContext()`.
  ///
  /// - Returns: Whether there was anything to save.
  @discardableResult
  func saveContext() throws -> Bool {
    guard container.viewContext.hasChanges else { return false }
    try container.viewContext.save()
    return true
  }

  /// The tutorial's `fetchCommits()`, after the server has answered.
  func importCommits(_ commits: [ServerCommit]) throws {
    let context = container.viewContext
    for sent in commits
    where try context.count(for: DeletedCommit.filter("sha == \(sent.sha)")) == 0 {
      let commit = Commit(context: context)
      try configure(commit, using: sent)
    }
    try saveContext()
  }

  private func configure(_ commit: Commit, using sent: ServerCommit) throws {
    commit.sha = sent.sha
    commit.message = sent.message
    commit.url = "https://example.com/\(sent.sha)"
    commit.date = sent.date

    // See if this author exists already.
    let context = container.viewContext
    var authorRequest = Author.createFetchRequest()
    authorRequest.predicate = FetchPredicate(format: "name == %@", sent.author)
    if let author = try context.fetch(authorRequest).first {
      commit.author = author
    } else {
      let author = Author(context: context)
      author.name = sent.author
      author.email = "\(sent.author)@example.com"
      commit.author = author
    }
  }

  /// The tutorial's `loadSavedData()`: the newest commit first.
  func load(_ predicate: FetchPredicate? = nil) throws -> [Commit] {
    var request = Commit.createFetchRequest()
    request.sortDescriptors = [FetchSort("date", ascending: false)]
    request.predicate = predicate
    return try container.viewContext.fetch(request)
  }

  func commit(_ sha: String) throws -> Commit {
    try #require(try load(FetchPredicate(format: "sha == %@", sha)).first)
  }

  /// The controller of the list, newest first, or by author and then newest first.
  func makeController(byAuthor: Bool) -> FetchedResultsController<Commit> {
    var request = Commit.createFetchRequest()
    let newest = FetchSort("date", ascending: false)
    request.sortDescriptors =
      byAuthor ? [FetchSort("author.name", ascending: true), newest] : [newest]
    request.fetchBatchSize = 20
    return FetchedResultsController(
      fetchRequest: request,
      managedObjectContext: container.viewContext,
      sectionNameKeyPath: byAuthor ? "author.name" : nil,
      cacheName: nil
    )
  }
}
