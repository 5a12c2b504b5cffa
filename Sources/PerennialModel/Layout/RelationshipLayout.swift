// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A relationship with every name resolved.
///
/// A class, so that looking at one on the way to a value costs a reference.
package final class RelationshipLayout: Sendable {
  /// Where a relationship lies in its entity: the same place in every subentity.
  package enum Place: Sendable, Hashable {
    /// A to-one relationship: the number of its slot.
    case slot(Int)
    /// A to-many relationship: its number among the to-manys.
    case toMany(Int)
  }

  /// The relationship back.
  package struct Inverse: Sendable {
    package let name: String
    /// The place of the entity that declares it.
    package let entity: Int
    package let place: Place
    package let isOrdered: Bool
  }

  /// One side of a many-to-many relationship.
  package struct Side: Sendable, Hashable {
    /// The number of the link in `ModelLayout.links`.
    package let link: Int
    /// Whether this relationship's owner is the link's first object.
    package let isFirst: Bool
  }

  package let name: String
  /// The place of the entity that declares it.
  package let entity: Int
  package let description: RelationshipDescription
  /// The place of the entity that it leads to.
  package let destination: Int
  package let place: Place
  package let inverse: Inverse?
  /// The link that holds its pairs; `nil` when a to-one slot on either end holds it.
  package let side: Side?

  init(
    entity: Int,
    description: RelationshipDescription,
    destination: Int,
    place: Place,
    inverse: Inverse?,
    side: Side?
  ) {
    name = description.name
    self.entity = entity
    self.description = description
    self.destination = destination
    self.place = place
    self.inverse = inverse
    self.side = side
    inverseSlot = if case .slot(let slot) = inverse?.place { slot } else { nil }
    isInverseOrdered = inverse?.isOrdered == true
  }

  package var isToMany: Bool { description.isToMany }
  package var isOrdered: Bool { description.isOrdered }

  /// The slot of the inverse, when that is to-one.
  package let inverseSlot: Int?
  /// Whether the inverse is ordered.
  package let isInverseOrdered: Bool
}

extension RelationshipLayout {
  /// The slot of a to-one relationship.
  package var slot: Int {
    guard case .slot(let slot) = place else {
      preconditionFailure("'\(name)' is not a to-one relationship.")
    }
    return slot
  }
}

/// A set of pairs of objects: what a many-to-many relationship and its inverse share, or a to-many
/// relationship without inverse.
package struct LinkLayout: Sendable {
  /// The number of the link in `ModelLayout.links`.
  package let index: Int
  /// The relationship that names the link, declared by the entity of the lower number.
  package let first: (entity: Int, name: String, isOrdered: Bool)
  /// Its inverse; the name is `nil` when there is none.
  package let second: (entity: Int, name: String?, isOrdered: Bool)
  /// Whether the relationship is its own inverse, so that every pair holds both ways.
  package let isSymmetric: Bool
}
