import Perennial

/// The family by name, as a list that follows its context.
@MainActor final class FamilyList {
  private let controller: FetchedResultsController<FamilyMember>

  init(_ context: ManagedObjectContext) throws {
    controller = FetchedResultsController(
      fetchRequest: FamilyMember.sorted(by: \.name).batchSize(20),
      managedObjectContext: context
    )
    try controller.performFetch()
  }

  func printRows() {
    guard let members = controller.fetchedObjects else { return }
    for (row, member) in members.enumerated() {
      print("\(row) \(member.name) (\(member.movies.count))")
    }
  }
}
