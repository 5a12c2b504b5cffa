// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// A whole model with every name resolved: what stores and contexts work with.
///
/// Entities stand in the order of their store numbers: roots by name without regard to case, each
/// followed by its subentities depth first (FORMAT: entity numbering). So the subentities of an
/// entity are a range.
package final class ModelLayout: Sendable {
  package let entities: [EntityLayout]
  package let entitiesByName: [String: Int]
  package let links: [LinkLayout]
  private let hashes = Mutex<VersionHashes?>(nil)

  init(entities: [EntityLayout], links: [LinkLayout]) {
    self.entities = entities
    self.links = links
    entitiesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
  }

  /// The version hashes of the entities; computed once.
  package var versionHashes: VersionHashes {
    hashes.withLock { hashes in
      if let hashes { return hashes }
      let computed = VersionHashes(of: self)
      hashes = computed
      return computed
    }
  }

  /// The entity of a name, or an error that lists what is near.
  package func entity(named name: String) throws(PerennialError) -> EntityLayout {
    if let index = entitiesByName[name] { return entities[index] }
    throw .unknownEntity(name, known: entities.map(\.name))
  }
}
