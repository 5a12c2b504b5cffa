// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// How one derived attribute of an entity is computed.
struct Derivation: Sendable {
  /// What is done with a text that is copied.
  enum Transform: String, CaseIterable, Sendable {
    /// Without regard to case and diacritics.
    case canonical = "canonical:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
  }

  enum Formula: Sendable {
    /// Another attribute of the object.
    case copy(slot: Int, Transform?)
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

/// The derived attributes of one entity, inherited ones included.
///
/// A class, so that an entity's home refers to it with one word.
final class EntityDerivations: Sendable {
  /// Copies by the slot that they are made of.
  let copies: [Int: [Derivation]]
  /// Copies by their own slot.
  let copyOfSlot: [Int: Derivation]
  let collections: [Derivation]
  /// The slots of times of saves.
  let timeSlots: [Int]
  /// The slots that a store computes by itself: writing them alone is no update of the row.
  let storeSlots: Set<Int>

  init(_ derivations: [Derivation]) {
    var copies: [Int: [Derivation]] = [:]
    var copyOfSlot: [Int: Derivation] = [:]
    var collections: [Derivation] = []
    var timeSlots: [Int] = []
    for derivation in derivations {
      switch derivation.formula {
      case .copy(let source, _):
        copies[source, default: []].append(derivation)
        copyOfSlot[derivation.slot] = derivation
      case .collection: collections.append(derivation)
      case .now: timeSlots.append(derivation.slot)
      }
    }
    self.copies = copies
    self.copyOfSlot = copyOfSlot
    self.collections = collections
    self.timeSlots = timeSlots
    storeSlots = Set(collections.map(\.slot))
    slots = Set(derivations.map(\.slot))
  }

  /// The slots of all derived attributes.
  let slots: Set<Int>

  /// The slots whose writes concern derived attributes.
  var watchedSlots: Set<Int> { Set(copies.keys).union(copyOfSlot.keys) }
}
