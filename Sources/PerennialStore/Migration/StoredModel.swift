// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// What a store says of the model that it was written with.
package struct StoredModel: Sendable {
  /// The version hash of every entity.
  package let hashes: VersionHashes
  /// The model itself, as the store has it; `nil` when it has none that its hashes are of.
  package let model: ManagedObjectModel?

  /// What a store says.
  ///
  /// - Parameters:
  ///   - hashes: The version hashes.
  ///   - encoded: The model as ``encode(_:)`` made it, if the store has it.
  package init(hashes: VersionHashes, encoded: Data?) {
    self.hashes = hashes
    let decoded = encoded.flatMap { try? JSONDecoder().decode(ManagedObjectModel.self, from: $0) }
    // A model that is not the store's must not be trusted: a program may have written only the hashes.
    model = decoded.flatMap { $0.layout.versionHashes == hashes ? $0 : nil }
  }

  /// What a store of a known model says.
  package init(model: ManagedObjectModel) {
    hashes = model.layout.versionHashes
    self.model = model
  }

  /// A model as stores keep it: its entities, without fetch requests and configurations.
  package static func encode(_ model: ModelLayout) -> Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try? encoder.encode(ManagedObjectModel(model))
  }
}
