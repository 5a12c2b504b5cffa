import Perennial

/// The family by name, as a list that follows its context.
@MainActor final class FamilyList: @MainActor FetchedResultsControllerDelegate {
  private let controller: FetchedResultsController<FamilyMember>

  init(_ context: ManagedObjectContext) throws {
    controller = FetchedResultsController(
      fetchRequest: FamilyMember.sorted(by: \.name).batchSize(20),
      managedObjectContext: context
    )
    try controller.performFetch()
    controller.delegate = self
  }

  func controller(
    _ controller: FetchedResultsController<FamilyMember>,
    didChange member: FamilyMember,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    switch (type, indexPath?.row, newIndexPath?.row) {
    case (.insert, _, let new?): print("+ row \(new): \(member.name)")
    case (.delete, let old?, _): print("- row \(old)")
    case (.move, let old?, let new?): print("row \(old) -> row \(new): \(member.name)")
    case (.update, _, let new?): print("row \(new) again: \(member.name)")
    default: break
    }
  }

  func printRows() {
    guard let members = controller.fetchedObjects else { return }
    for (row, member) in members.enumerated() {
      print("\(row) \(member.name) (\(member.movies.count))")
    }
  }
}
