// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

extension StoreAdapter {
  /// Opens a store, and makes one that is not there.
  static func open(
    _ store: any PersistentStore,
    _ model: ModelLayout,
    isReadOnly: Bool
  ) throws(PerennialError) -> PersistentStoreMetadata {
    let hashes = VersionHashes(of: model)
    do {
      if let stored = try store.open(ManagedObjectModel(model)) {
        let differences = hashes.differences(from: VersionHashes(byEntity: stored.versionHashes))
        guard differences.isEmpty else { throw PerennialError.incompatible(differences) }
        return stored
      }
      guard !isReadOnly else {
        throw StoreProblem(
          .unreadable,
          "There is no store to open without the right to write.",
          recovery: "open it once without 'isReadOnly'"
        )
      }
      let new = PersistentStoreMetadata(identifier: UUID(), versionHashes: hashes.byEntity)
      try store.write(new)
      return new
    } catch {
      throw PerennialError(storeError: error, during: .persistentStoreOpen)
    }
  }

  /// An entry of the application's own in the store's metadata; `nil` when there is none.
  package func metadata(forKey key: String) throws(PerennialError) -> PropertyValue? {
    try inTurn { turn throws(PerennialError) in turn.metadata.entries[key] }
  }

  /// Sets an entry of the application's own, or removes it when the value is null.
  package func setMetadata(_ value: PropertyValue, forKey key: String) throws(PerennialError) {
    try inTurn { turn throws(PerennialError) in
      var metadata = turn.metadata
      metadata.entries[key] = value.isNull ? nil : value
      try writing { try store.write(metadata) }
      turn.metadata = metadata
    }
  }
}

extension PerennialError {
  fileprivate static func incompatible(_ entities: [String]) -> PerennialError {
    let names = entities.map { "'\($0)'" }.joined(separator: ", ")
    let verb = entities.count == 1 ? "differs" : "differ"
    return PerennialError(
      .incompatibleVersionHash,
      "The store was written with another version of the model: \(names) \(verb).",
      recovery: "open it with the model that wrote it; it has been left as it is",
      entity: entities.first
    )
  }
}
