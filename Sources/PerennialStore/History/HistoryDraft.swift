// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// What a save has done, ready to be written into the history.
package struct HistoryDraft: Sendable {
  /// Objects of one concrete entity to which the same happened.
  package struct Batch: Sendable {
    package let type: PersistentHistoryChangeType
    package let entity: Int
    /// The names of the updated properties.
    package let properties: Set<String>
    package var keys: KeyRuns
  }

  /// An object by its root entity and key.
  package struct Place: Hashable, Sendable {
    package let root: Int
    package let key: Int64

    package init(root: Int, key: Int64) {
      self.root = root
      self.key = key
    }
  }

  /// Insertions, updates, deletions; the order of their changes.
  package var batches: [Batch] = []
  /// The preserved values of deleted objects.
  package var tombstones: [Place: [String: PropertyValue]] = [:]
  package var details: [Place: HistoryDetails] = [:]

  package init() {}

  package var isEmpty: Bool { batches.isEmpty }

  /// The number of changes.
  package var count: Int { batches.reduce(0) { $0 + $1.keys.count } }
}
