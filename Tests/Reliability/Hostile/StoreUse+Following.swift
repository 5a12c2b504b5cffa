// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreUse {
  /// Follows lists of everything while a child of another context changes objects: what a list has become is what a
  /// new one has.
  mutating func follow(_ container: PersistentContainer) {
    let model = container.managedObjectModel
    let context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let follower = Follower()
    let followed = lists(of: model, in: context)
    for list in followed.values { list.delegate = follower }
    let editor = container.newBackgroundContext()
    let child = ManagedObjectContext(parent: editor)
    for entity in model.entities {
      edit(entity, in: child)
      attempts.attempt { () throws(PerennialError) in try editor.save() }
      editor.rollback()
    }
    attempts.attempt { () throws(PerennialError) in try context.processPendingChanges() }
    let fresh = lists(of: model, in: container.newBackgroundContext())
    for (name, list) in followed {
      guard let followed = list.snapshot, let stored = fresh[name]?.snapshot,
        ResultsReplica(followed) != ResultsReplica(stored)
      else { continue }
      attempts.problem = "the list of \(name) is not what is stored"
    }
  }

  /// A list of each entity by each of its attributes, whose values make sections; what cannot be listed is left out.
  private mutating func lists(
    of model: ManagedObjectModel,
    in context: ManagedObjectContext
  ) -> [String: FetchedResultsController<ManagedObject>] {
    var lists: [String: FetchedResultsController<ManagedObject>] = [:]
    for (entity, properties) in Self.ordered(Self.properties(of: model)) {
      for case .attribute(let attribute) in properties {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.sortDescriptors = [FetchSort(attribute.name)]
        let list = FetchedResultsController(
          fetchRequest: request,
          managedObjectContext: context,
          sectionNameKeyPath: attribute.name
        )
        attempts.attempt { () throws(PerennialError) in
          try list.performFetch()
          lists["\(entity) by \(attribute.name)"] = list
        }
      }
    }
    return lists
  }
}

/// A delegate that has no use for what it is told.
private final class Follower: FetchedResultsControllerDelegate {
  typealias Element = ManagedObject
}
