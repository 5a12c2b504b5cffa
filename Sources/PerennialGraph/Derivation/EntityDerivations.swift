// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

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
  /// The slots that each save computes, whoever saves: nobody's change of them is one to keep.
  let savedSlots: Set<Int>
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
    savedSlots = storeSlots.union(timeSlots)
    slots = Set(derivations.map(\.slot))
  }

  /// The slots whose writes concern derived attributes.
  var watchedSlots: Set<Int> { Set(copies.keys).union(copyOfSlot.keys) }
}
