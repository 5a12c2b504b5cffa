// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialCoreDataNames
import Testing

#if !canImport(Darwin)

/// The lines of the movies tutorial that use the names of lists and notifications, letter by letter.
@Suite("The movies tutorial: Core Data's names")
@MainActor
struct MoviesNamesTests {
  /// The tutorial's view controller, which is its controller's delegate.
  @MainActor
  private final class FamilyList: @MainActor NSFetchedResultsControllerDelegate {
    typealias Element = FamilyMember
    var fetchedResultsController: NSFetchedResultsController<FamilyMember>?
    private(set) var lines: [String] = []

    func controller(
      _ controller: NSFetchedResultsController<FamilyMember>,
      didChange anObject: FamilyMember,
      at indexPath: IndexPath?,
      for type: NSFetchedResultsChangeType,
      newIndexPath: IndexPath?
    ) {
      switch type {
      case .insert: lines.append("insert row \(newIndexPath?.row ?? -1)")
      case .delete: lines.append("delete row \(indexPath?.row ?? -1)")
      case .move: lines.append("move row \(indexPath?.row ?? -1) to \(newIndexPath?.row ?? -1)")
      case .update: lines.append("reload row \(indexPath?.row ?? -1)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the family's list is its controller's delegate`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max")
    let moc: NSManagedObjectContext = app.context
    let list = FamilyList()
    var fetchRequest = NSFetchRequest<FamilyMember>(entityName: "FamilyMember")
    fetchRequest.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let fetchedResultsController = NSFetchedResultsController(
      fetchRequest: fetchRequest,
      managedObjectContext: moc,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
    list.fetchedResultsController = fetchedResultsController
    fetchedResultsController.delegate = list
    try fetchedResultsController.performFetch()
    #expect(fetchedResultsController.object(at: IndexPath(row: 1, section: 0)).name == "Max")

    try app.saveFamilyMember(withName: "Zoe")
    let zoe = fetchedResultsController.object(at: IndexPath(row: 2, section: 0))
    try app.context.persist { zoe.name = "Ada" }
    try app.saveMovie(withName: "Up", for: zoe)
    try app.context.persist { moc.delete(zoe) }
    #expect(list.lines == ["insert row 2", "move row 2 to 0", "reload row 0", "delete row 0"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a member's list is reloaded when the notification has the member`(
    _ kind: StoreKind
  ) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max")
    let familyMember = try app.member("Ida")
    let shown = familyMember.objectID
    let reloads = Reloads()
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange,
      object: app.context,
      queue: nil
    ) { notification in
      guard let userInfo = notification.userInfo else { return }
      if let updatedObjects = userInfo[NSUpdatedObjectsKey] as? Set<FamilyMember>,
        updatedObjects.contains(where: { $0.objectID == shown })
      {
        MainActor.assumeIsolated { reloads.count += 1 }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }

    try app.saveMovie(withName: "Up", for: familyMember)
    #expect(reloads.count == 1)
    try app.saveMovie(withName: "Brave", for: app.member("Max"))
    #expect(reloads.count == 1)
  }

  /// How often the list was loaded again.
  @MainActor
  private final class Reloads {
    var count = 0
  }
}

#endif
