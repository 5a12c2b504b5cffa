import Perennial

/// The store of the commits.
@MainActor struct CommitStore {
  let container: PersistentContainer

  init() throws {
    var file = StoreDescription.sqlite(URL(filePath: "Project38.sqlite"))
    file.shouldMigrateStoreAutomatically = false
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: file
    )
    context.mergePolicy = .mergeByPropertyObjectTrump
  }

  var context: ManagedObjectContext { container.viewContext }

  /// The commits that meet a condition, the newest first.
  func commits(_ predicate: FetchPredicate? = nil) throws -> [Commit] {
    var request = FetchRequest<Commit>()
    request.sortDescriptors = [FetchSort("date", ascending: false)]
    request.predicate = predicate
    return try context.fetch(request)
  }

  /// Makes a commit of each commit of the server, and saves.
  func importCommits(_ commits: [ServerCommit]) throws {
    for sent in commits {
      configure(Commit(context: context), using: sent)
    }
    try saveContext()
  }

  private func configure(_ commit: Commit, using sent: ServerCommit) {
    commit.sha = sent.sha
    commit.message = sent.commit.message
    commit.url = sent.htmlUrl
    commit.date = sent.commit.committer.date
  }

  /// Saves when anything has changed.
  func saveContext() throws {
    guard context.hasChanges else { return print("There is nothing to save.") }
    try context.save()
    print("Saved.")
  }
}
