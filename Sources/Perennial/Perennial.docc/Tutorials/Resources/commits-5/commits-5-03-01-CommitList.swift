import Perennial

/// The commits by author, the newest first, as a list that follows its context.
@MainActor final class CommitList {
  private let controller: FetchedResultsController<Commit>

  init(_ context: ManagedObjectContext) throws {
    controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.date, .reverse).batchSize(20),
      managedObjectContext: context,
      sectionNameKeyPath: "author.name"
    )
    try controller.performFetch()
  }

  func printSections() {
    for section in controller.sections ?? [] {
      print("\(section.name) (\(section.numberOfObjects))")
      for commit in section.objects { print("  \(commit.message)") }
    }
  }
}
