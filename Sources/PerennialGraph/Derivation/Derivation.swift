// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// How one derived attribute of an entity is computed.
struct Derivation: Sendable {
  enum Formula: Sendable {
    /// Another attribute of the object.
    case copy(slot: Int, TextTransform?)
    /// An attribute of the object that to-one relationships lead to.
    case path(PathFormula)
    /// Something of the objects of a to-many relationship.
    case collection(CollectionFormula)
    /// The time of the save.
    case now
  }

  let slot: Int
  let type: AttributeType
  let formula: Formula
}

/// What is computed of the objects of a to-many relationship.
struct CollectionFormula: Sendable {
  let relationship: RelationshipLayout
  let operation: CollectionOperator
  /// The objects' attribute; `nil` for their number.
  let member: Int?
  /// The same as an expression of the owner.
  let expression: ExpressionNode
}

/// A copy of an attribute of another object.
struct PathFormula: Sendable {
  /// The to-one relationships that lead to it, each with an inverse; at least one.
  let steps: [RelationshipLayout]
  /// The attribute's slot in the entity that the last one leads to.
  let member: Int
  let transform: TextTransform?
  /// The attribute as an expression of the owner.
  let expression: ExpressionNode

  /// The slot of the first relationship.
  var slot: Int { steps[0].slot }
}

extension RelationshipLayout {
  /// The slot of a to-one relationship.
  var slot: Int {
    guard case .slot(let slot) = place else {
      preconditionFailure("'\(name)' is not a to-one relationship.")
    }
    return slot
  }
}

/// The derived attributes of one entity, inherited ones included.
///
/// A class, so that an entity's home refers to it with one word.
final class EntityDerivations: Sendable {
  /// Copies by the slot that they are made of.
  let copies: [Int: [Derivation]]
  /// Copies by their own slot.
  let copyOfSlot: [Int: Derivation]
  /// Those that look at other objects.
  let related: [Derivation]
  /// The slots of times of saves.
  let timeSlots: [Int]
  /// The slots that a store computes by itself: writing them alone is no update of the row.
  let storeSlots: Set<Int>
  /// The slots of all derived attributes.
  let slots: Set<Int>

  init(_ derivations: [Derivation]) {
    var copies: [Int: [Derivation]] = [:]
    var copyOfSlot: [Int: Derivation] = [:]
    var related: [Derivation] = []
    var timeSlots: [Int] = []
    for derivation in derivations {
      switch derivation.formula {
      case .copy(let source, _):
        copies[source, default: []].append(derivation)
        copyOfSlot[derivation.slot] = derivation
      case .collection, .path: related.append(derivation)
      case .now: timeSlots.append(derivation.slot)
      }
    }
    self.copies = copies
    self.copyOfSlot = copyOfSlot
    self.related = related
    self.timeSlots = timeSlots
    storeSlots = Set(related.map(\.slot))
    slots = Set(derivations.map(\.slot))
  }

  /// The slots whose writes concern derived attributes.
  var watchedSlots: Set<Int> { Set(copies.keys).union(copyOfSlot.keys) }
}
