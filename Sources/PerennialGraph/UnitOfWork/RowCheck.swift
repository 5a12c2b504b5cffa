// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// A first look at a row before a save: what passes needs no closer one.
///
/// It knows the required slots and the numbers of an entity as bits, so that the usual row costs a
/// few instructions. Safe because the row belongs to a live object.
struct RowCheck {
  private let slotCount: Int
  private let required: UInt64
  private let numbers: UInt64
  /// Whether the entity has anything that these bits cannot tell.
  private let isPartial: Bool

  /// A check of an entity's rows.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - hasRules: Whether the model has validation rules for it, which need the closer look.
  init(_ entity: EntityLayout, hasRules: Bool) {
    slotCount = entity.slots.count
    required = Self.bits(entity.requiredSlots)
    numbers = Self.bits(entity.numberSlots)
    isPartial =
      hasRules || entity.slots.count > 64 || !entity.decimalSlots.isEmpty
      || !entity.countedToManys.isEmpty
  }

  /// Whether nothing can be wrong with a row: `false` when it has to be looked at closely.
  @inline(__always)
  func isPassed(by row: UnsafeRawPointer) -> Bool {
    guard !isPartial, PackedRow.nullBits(row, slotCount: slotCount) & required == 0 else {
      return false
    }
    var rest = numbers
    while rest != 0 {
      if PackedRow.double(row, rest.trailingZeroBitCount).isNaN { return false }
      rest &= rest - 1
    }
    return true
  }

  private static func bits(_ slots: [Int]) -> UInt64 {
    slots.reduce(0) { $1 < 64 ? $0 | 1 << UInt64($1) : $0 }
  }
}
