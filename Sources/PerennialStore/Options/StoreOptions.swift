// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// How a store with an engine of its own is to be opened, beyond what every store can do.
package struct StoreOptions: Sendable {
  package var durability = StoreDurability.full
  package var pragmas: [String: String] = [:]
  package var analyzes = false
  package var vacuums = false
  /// Whether a store that is only read is opened so that nothing comes, or changes, beside it.
  package var leavesNoTrace = false

  package init() {}

  package init(_ description: StoreDescription) {
    durability = description.durability
    pragmas = description.pragmas
    analyzes = description.analyzesOnOpening
    vacuums = description.vacuumsOnOpening
    leavesNoTrace = description.leavesNoTrace
  }
}

extension StoreDescription {
  /// Throws when there are settings that only SQLite understands, for a store that is not SQLite's.
  package func refusePragmas() throws(PerennialError) {
    guard let name = pragmas.keys.min() else { return }
    throw PerennialError(
      .persistentStoreOpen,
      "The pragma '\(name)' means nothing to a store that is not SQLite's.",
      recovery: "leave it out, or open a SQLite store"
    )
  }
}
