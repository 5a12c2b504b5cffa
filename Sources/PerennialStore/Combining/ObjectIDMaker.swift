// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// Makes IDs of the rows of a model; those of one entity and store share what they have in common.
///
/// Every context has one of its own, so that contexts on several processors do not count references
/// to the same thing.
///
/// - Complexity: Time and memory in the number of entities to make one, constant time for an ID.
package final class ObjectIDMaker: Sendable {
  /// The origins by entity: of the only store, or of the first.
  @usableFromInline let origins: ContiguousArray<ObjectIDOrigin>
  /// The further stores' origins, and the naming that knows stores that came later.
  @usableFromInline let members: Members?

  @usableFromInline
  struct Members: Sendable {
    let naming: StoreNaming
    let origins: [ContiguousArray<ObjectIDOrigin>]
  }

  /// The IDs of one store, or the temporary ones of a context.
  package init(_ model: ModelLayout, owner: UUID) {
    origins = Self.origins(model, owner)
    members = nil
  }

  /// The IDs of all stores of a naming.
  package init(_ model: ModelLayout, _ naming: StoreNaming) {
    origins = Self.origins(model, naming.store(ofKey: 0))
    members =
      naming.hasMembers
      ? Members(naming: naming, origins: naming.stores.dropFirst().map { Self.origins(model, $0) })
      : nil
  }

  /// The ID of a row.
  @inlinable
  package func id(_ entity: Int, _ key: Int64) -> ManagedObjectID {
    members == nil ? ManagedObjectID(origins[entity], key) : memberID(entity, key)
  }

  /// The ID of a referenced row.
  @inlinable
  package func id(_ reference: ObjectReference) -> ManagedObjectID {
    id(reference.entity, reference.key)
  }

  @usableFromInline
  func memberID(_ entity: Int, _ key: Int64) -> ManagedObjectID {
    let own = StoreKey.own(key)
    let store = StoreKey.store(of: key)
    guard store > 0, let members else { return ManagedObjectID(origins[entity], own) }
    guard store <= members.origins.count else {
      return members.naming.objectID(origins[entity].entityName, key)
    }
    return ManagedObjectID(members.origins[store - 1][entity], own)
  }

  private static func origins(
    _ model: ModelLayout,
    _ owner: UUID
  ) -> ContiguousArray<ObjectIDOrigin> {
    ContiguousArray(model.entities.map { ObjectIDOrigin(entityName: $0.name, owner: owner) })
  }
}

extension ModelLayout {
  /// The ID of a single row of a store.
  package func objectID(of reference: ObjectReference, owner: UUID) -> ManagedObjectID {
    ManagedObjectID(
      entityName: entities[reference.entity].name,
      owner: owner,
      key: reference.key
    )
  }
}
