import Perennial

/// The commits by author, the newest first, as a list that follows its context.
@MainActor final class CommitList: @MainActor FetchedResultsControllerDelegate {
  private let controller: FetchedResultsController<Commit>

  init(_ context: ManagedObjectContext) throws {
    controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.date, .reverse).batchSize(20),
      managedObjectContext: context,
      sectionNameKeyPath: "author.name"
    )
    try controller.performFetch()
    controller.delegate = self
  }

  func controller(
    _ controller: FetchedResultsController<Commit>,
    didChange section: FetchedResultsSectionInfo<Commit>,
    atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    if type == .delete { print("- section \(index): \(section.name)") }
  }

  func controller(
    _ controller: FetchedResultsController<Commit>,
    didChange commit: Commit,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    if type == .delete, let old = indexPath {
      print("- section \(old.section), row \(old.row)")
    }
  }

  func printSections() {
    for section in controller.sections ?? [] {
      print("\(section.name) (\(section.numberOfObjects))")
      for commit in section.objects { print("  \(commit.message)") }
    }
  }
}
