// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel

extension ResultsChange {
  /// The change of the IDs across all sections, as the standard library describes differences.
  ///
  /// A moved or updated row is a removal and an insertion of the same ID, associated with each other. Applied to
  /// the IDs of ``before``, the difference gives those of ``after``. It knows nothing of sections.
  ///
  /// Core Data: `controller(_:didChangeContentWith:)` with a difference.
  public var difference: CollectionDifference<ManagedObjectID> {
    var changes: [CollectionDifference<ManagedObjectID>.Change] = []
    for path in deletions {
      let row = before.list.row(at: path)
      changes.append(.remove(offset: row, element: before.objectIDs[row], associatedWith: nil))
    }
    for path in insertions {
      let row = after.list.row(at: path)
      changes.append(.insert(offset: row, element: after.objectIDs[row], associatedWith: nil))
    }
    for pair in moves + updates {
      let (old, new) = (before.list.row(at: pair.from), after.list.row(at: pair.to))
      let id = before.objectIDs[old]
      changes.append(.remove(offset: old, element: id, associatedWith: new))
      changes.append(.insert(offset: new, element: id, associatedWith: old))
    }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("A change names each row once.")
    }
    return difference
  }
}

extension ResultsList {
  /// The place in the whole list of a row that exists.
  func row(at path: IndexPath) -> Int { sections[path[0]].range.lowerBound + path[1] }
}
