// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Hashes and compares the values of slots as they lie in rows: no value is decoded.
///
/// Equal means what it does to a unique index: -0.0 is 0.0.
///
/// Safe because the rows outlive the calls.
package enum SlotKeyHash {
  /// The hash of the values of some slots, or `nil` when one of them is null.
  package static func hash(
    _ row: UnsafeRawPointer,
    _ slots: [Int],
    of entity: EntityLayout
  ) -> UInt64? {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for slot in slots {
      if PackedRow.isNull(row, slot) { return nil }
      if entity.slots[slot].storage == .bytes {
        hash = mix(hash, PackedRow.bytes(row, slot))
      } else {
        hash = mix(hash, PackedRow.word(row, slot))
      }
    }
    return hash
  }

  /// The values of some slots as bytes, the same for rows that are equal in them; `nil` when one is null.
  package static func bytes(
    _ row: UnsafeRawPointer,
    _ slots: [Int],
    of entity: EntityLayout
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    for slot in slots {
      if PackedRow.isNull(row, slot) { return nil }
      let isText = entity.slots[slot].storage == .bytes
      let word =
        isText ? UInt64(PackedRow.bytes(row, slot).count) : PackedRow.word(row, slot)
      let isZero = entity.slots[slot].storage == .double && word == negativeZero
      withUnsafeBytes(of: isZero ? 0 : word) { bytes += $0 }
      if isText { bytes += PackedRow.bytes(row, slot) }
    }
    return bytes
  }

  /// Whether two rows have the same values in some slots; nulls differ.
  package static func equal(
    _ left: UnsafeRawPointer,
    _ right: UnsafeRawPointer,
    _ slots: [Int],
    of entity: EntityLayout
  ) -> Bool {
    slots.allSatisfy { slot in
      guard !PackedRow.isNull(left, slot), !PackedRow.isNull(right, slot) else { return false }
      guard entity.slots[slot].storage == .bytes else {
        return equal(PackedRow.word(left, slot), PackedRow.word(right, slot), entity.slots[slot])
      }
      return equal(PackedRow.bytes(left, slot), PackedRow.bytes(right, slot))
    }
  }

  /// Whether two rows have the same value in a slot, or both none.
  package static func areSame(
    _ left: UnsafeRawPointer,
    _ right: UnsafeRawPointer,
    _ slot: Int,
    _ entity: EntityLayout
  ) -> Bool {
    if PackedRow.isNull(left, slot) { return PackedRow.isNull(right, slot) }
    return equal(left, right, [slot], of: entity)
  }

  /// Whether two words are equal as values of a slot.
  package static func equal(_ left: UInt64, _ right: UInt64, _ slot: SlotLayout) -> Bool {
    if left == right { return true }
    return slot.storage == .double && (left | right) == negativeZero && (left & right) == 0
  }

  private static let negativeZero: UInt64 = 1 << 63

  package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool
  {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return true }
    return memcmp(a, b, left.count) == 0
  }

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    mix(0xCBF2_9CE4_8422_2325, bytes)
  }

  package static func hash(word: UInt64) -> UInt64 { mix(0xCBF2_9CE4_8422_2325, word) }

  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ (word == negativeZero ? 0 : word)) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }

  private static func mix(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = mix(hash, UInt64(bytes.count))
    var index = 0
    while index + 8 <= bytes.count {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    while index < bytes.count {
      hash = mix(hash, UInt64(bytes[index]))
      index += 1
    }
    return hash
  }
}
