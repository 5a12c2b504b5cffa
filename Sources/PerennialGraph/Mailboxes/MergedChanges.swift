// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a context has merged at once, for its observers.
struct MergedChanges {
  /// Where the changes came from.
  enum Source {
    /// Saves of other contexts, in their order.
    case saves([CommittedChanges])
    /// IDs that the program named.
    case named(ObjectChanges)
    /// The store was read again, because too much had come in.
    case everything
  }

  let source: Source
  /// The registered objects that took newer values, edited ones included.
  let refreshed: [ManagedObject]
  /// The registered objects without changes whose rows are gone.
  let deleted: [ManagedObject]

  /// The IDs of all that changed, registered or not, and of the objects that took newer values.
  ///
  /// Core Data: `NSManagedObjectContextDidMergeChangesObjectIDs`.
  ///
  /// - Complexity: Time in the number of objects; made anew by every call.
  var objects: ObjectChanges {
    var changes = ObjectChanges()
    switch source {
    case .saves(let saves):
      for save in saves { changes.formUnion(save.objects) }
      // What was put off may turn out to be gone.
      changes.deleted.formUnion(deleted.map(\.objectID))
    case .named(let named): changes = named
    case .everything: changes.deleted.formUnion(deleted.map(\.objectID))
    }
    changes.refreshed.formUnion(refreshed.map(\.objectID))
    return changes
  }
}
