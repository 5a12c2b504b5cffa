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

  /// The names of the entities for whose sake the store does not fit a model, sorted.
  package func differences(from model: ModelLayout) -> [String] {
    self.model?.layout.differences(from: model) ?? hashes.differences(from: model.versionHashes)
  }

  /// Whether the store fits a model as it is.
  package func fits(_ model: ModelLayout) -> Bool { differences(from: model).isEmpty }

  /// The comparisons of stored models that were made last: a program opens a store again, and each may be looked at
  /// twice.
  private static let recent =
    RecentValues<(encoded: Data, model: ModelLayout, differences: [String])>()

  /// The names of the entities for whose sake a store does not fit a model, sorted, without making the store's model
  /// when it fits.
  ///
  /// - Parameters:
  ///   - hashes: The store's version hashes.
  ///   - encoded: Its model as ``encode(_:)`` made it, if the store has it; only hashes can differ if not.
  ///   - model: The model that it may fit.
  /// - Returns: The names; none when it fits.
  package static func differences(
    of hashes: VersionHashes,
    encoded: Data?,
    from model: ModelLayout
  ) -> [String] {
    let differences = hashes.differences(from: model.versionHashes)
    guard differences.isEmpty, let encoded else { return differences }
    return recent.value {
      $0.model === model && $0.encoded == encoded
    } orMake: {
      (encoded, model, compare(encoded, of: hashes, with: model))
    }
    .differences
  }

  private static func compare(
    _ encoded: Data,
    of hashes: VersionHashes,
    with model: ModelLayout
  ) -> [String] {
    let parts = try? JSONDecoder().decode(UnhashedParts.self, from: encoded)
    return parts == UnhashedParts(of: model)
      ? [] : StoredModel(hashes: hashes, encoded: encoded).differences(from: model)
  }

  /// A model as stores keep it: its entities, without fetch requests and configurations.
  package static func encode(_ model: ModelLayout) -> Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try? encoder.encode(ManagedObjectModel(model))
  }
}
