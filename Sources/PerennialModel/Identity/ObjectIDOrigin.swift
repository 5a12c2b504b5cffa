// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// What the IDs of one entity's objects in one store have in common.
///
/// IDs refer to it, so that one takes sixteen bytes. Whoever makes IDs of many objects keeps their
/// origins (`ObjectIDMaker`); IDs with different, equal origins are equal.
@usableFromInline
package final class ObjectIDOrigin: Sendable {
  package let entityName: String
  /// The store's identifier, or that of the context that makes temporary IDs.
  package let owner: UUID
  /// A hash of both, the same for equal origins.
  @usableFromInline package let seed: Int

  package init(entityName: String, owner: UUID) {
    self.entityName = entityName
    self.owner = owner
    var hasher = Hasher()
    hasher.combine(entityName)
    hasher.combine(owner)
    seed = hasher.finalize()
  }

  @usableFromInline
  func equals(_ other: ObjectIDOrigin) -> Bool {
    seed == other.seed && owner == other.owner && entityName == other.entityName
  }
}
