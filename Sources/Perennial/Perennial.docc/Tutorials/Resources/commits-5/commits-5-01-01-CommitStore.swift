import Perennial

/// The store of the commits.
@MainActor struct CommitStore {
  let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: .sqlite(URL(filePath: "Project38.sqlite"))
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
      try configure(Commit(context: context), using: sent)
    }
    try saveContext()
  }

  private func configure(_ commit: Commit, using sent: ServerCommit) throws {
    commit.sha = sent.sha
    commit.message = sent.commit.message
    commit.url = sent.htmlUrl
    commit.date = sent.commit.committer.date

    let name = sent.commit.author.name
    if let author = try context.first(Author.filter(format: "name == %@", name)) {
      commit.author = author
    } else {
      let author = Author(context: context)
      author.name = name
      author.email = sent.commit.author.email
      commit.author = author
    }
  }

  /// Deletes a commit.
  func delete(_ commit: Commit) throws {
    context.delete(commit)
    try saveContext()
  }

  /// Saves when anything has changed.
  func saveContext() throws {
    guard context.hasChanges else { return print("There is nothing to save.") }
    try context.save()
    print("Saved.")
  }
}
