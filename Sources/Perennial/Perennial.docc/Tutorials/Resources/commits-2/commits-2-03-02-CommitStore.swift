import Perennial

/// The store of the commits.
@MainActor struct CommitStore {
  let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      store: .sqlite(URL(filePath: "Project38.sqlite"))
    )
    context.mergePolicy = .mergeByPropertyObjectTrump
  }

  var context: ManagedObjectContext { container.viewContext }

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
