// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The layout of a packed row: how one object's values lie in memory.
///
/// A row is contiguous and 8-byte aligned:
///
///     0   key                 Int64: positive when stored, negative when temporary
///     8   version             UInt32: the store's Z_OPT
///     12  entity              UInt16: place in the model
///     14  null bits           UInt16: those of the first 15 slots; above them whether a hook has set values
///                             that the store does not have
///     16  slots               8 bytes a slot; behind the first 15, one word of null bits before every 64 slots
///     …   bytes               the values of `SlotStorage.bytes` slots
///
/// A slot holds an integer, a double, a reference (key in the upper 48 bits, place of the concrete
/// entity in the lower 16) or, for bytes, the offset from the row's start (lower 32 bits) and the
/// count (upper 32). A slot whose null bit is set is zero. No type is stored: the entity knows.
///
/// Safe because every pointer that is handed to these functions comes from a sealed page or from an
/// object's private row, both of which are made by the writer of this layout and outlive the call.
@frozen
public enum PackedRow {
  /// Where the slots begin.
  @inlinable
  public static var headerByteCount: Int { 16 }

  /// How many slots have their null bits in the header.
  @inlinable
  static var headerSlotCount: Int { 15 }

  /// How many words of null bits stand before a slot, its own included.
  @inlinable
  @inline(__always)
  static func nullWordCount(_ slot: Int) -> Int { (slot &+ 64 &- headerSlotCount) &>> 6 }

  /// The bytes of header, null words and slots of a row.
  ///
  /// - Parameter slotCount: How many slots the entity has.
  /// - Returns: A number of bytes, a multiple of 8: where the values of bytes slots begin.
  @inlinable
  @inline(__always)
  public static func fixedByteCount(slotCount: Int) -> Int {
    headerByteCount &+ (slotCount &+ nullWordCount(slotCount &- 1)) &<< 3
  }

  /// Where a slot lies.
  ///
  /// - Parameter slot: The number of a slot, from 0.
  /// - Returns: How many bytes after the row's start.
  @inlinable
  @inline(__always)
  public static func offset(_ slot: Int) -> Int {
    headerByteCount &+ (slot &+ nullWordCount(slot)) &<< 3
  }

  /// Where the null word of a slot that has none in the header lies.
  @inlinable
  @inline(__always)
  static func nullOffset(_ slot: Int) -> Int {
    headerByteCount &+ (headerSlotCount &+ 65 &* (nullWordCount(slot) &- 1)) &<< 3
  }

  /// The bit of such a slot in its word.
  @inlinable
  @inline(__always)
  static func nullBit(_ slot: Int) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: slot &- headerSlotCount)
  }

  /// The key.
  ///
  /// - Parameter row: Where the row begins.
  /// - Returns: A positive number when the row is stored, a negative one when the key is temporary.
  @inlinable
  @inline(__always)
  public static func key(_ row: UnsafeRawPointer) -> Int64 { row.load(as: Int64.self) }

  /// The version.
  ///
  /// - Parameter row: Where the row begins.
  /// - Returns: The store's Z_OPT.
  @inlinable
  @inline(__always)
  public static func version(_ row: UnsafeRawPointer) -> UInt32 {
    row.load(fromByteOffset: 8, as: UInt32.self)
  }

  /// The place of the concrete entity in the model.
  ///
  /// - Parameter row: Where the row begins.
  /// - Returns: A place among the entities of the model, from 0.
  @inlinable
  @inline(__always)
  public static func entity(_ row: UnsafeRawPointer) -> Int {
    Int(row.load(fromByteOffset: 12, as: UInt16.self))
  }

  /// Whether a slot has no value.
  ///
  /// - Parameters:
  ///   - row: Where the row begins.
  ///   - slot: The number of a slot, from 0.
  /// - Returns: `true` when its null bit is set.
  @inlinable
  @inline(__always)
  public static func isNull(_ row: UnsafeRawPointer, _ slot: Int) -> Bool {
    if slot < headerSlotCount {
      return headerBits(row) &>> UInt16(truncatingIfNeeded: slot) & 1 != 0
    }
    return row.load(fromByteOffset: nullOffset(slot), as: UInt64.self) & nullBit(slot) != 0
  }

  /// The null bits of the first 15 slots, and above them the note of unsaved values.
  @inlinable
  @inline(__always)
  static func headerBits(_ row: UnsafeRawPointer) -> UInt16 {
    row.load(fromByteOffset: 14, as: UInt16.self)
  }

  /// The null bits of the first 64 slots.
  @inline(__always)
  package static func nullBits(_ row: UnsafeRawPointer, slotCount: Int) -> UInt64 {
    let bits = UInt64(headerBits(row) & ~unsavedBit)
    guard slotCount > headerSlotCount else { return bits }
    let word = row.load(fromByteOffset: nullOffset(headerSlotCount), as: UInt64.self)
    return bits | word << UInt64(headerSlotCount)
  }

  /// The 8 bytes of a slot.
  ///
  /// - Parameters:
  ///   - row: Where the row begins.
  ///   - slot: The number of a slot, from 0.
  /// - Returns: Its content, whatever it means; 0 when null.
  @inlinable
  @inline(__always)
  public static func word(_ row: UnsafeRawPointer, _ slot: Int) -> UInt64 {
    row.load(fromByteOffset: offset(slot), as: UInt64.self)
  }

  /// An integer slot; 0 when null.
  ///
  /// - Parameters:
  ///   - row: Where the row begins.
  ///   - slot: The number of a slot that holds an integer.
  /// - Returns: The integer.
  @inlinable
  @inline(__always)
  public static func integer(_ row: UnsafeRawPointer, _ slot: Int) -> Int64 {
    row.load(fromByteOffset: offset(slot), as: Int64.self)
  }

  /// A double slot; 0 when null.
  ///
  /// - Parameters:
  ///   - row: Where the row begins.
  ///   - slot: The number of a slot that holds a double.
  /// - Returns: The number.
  @inlinable
  @inline(__always)
  public static func double(_ row: UnsafeRawPointer, _ slot: Int) -> Double {
    row.load(fromByteOffset: offset(slot), as: Double.self)
  }

  /// A bytes slot, empty when null; the bytes are valid as long as the row.
  ///
  /// - Parameters:
  ///   - row: Where the row begins.
  ///   - slot: The number of a slot that holds bytes.
  /// - Returns: The bytes themselves, not a copy.
  @inlinable
  @inline(__always)
  public static func bytes(_ row: UnsafeRawPointer, _ slot: Int) -> UnsafeRawBufferPointer {
    let word = word(row, slot)
    return UnsafeRawBufferPointer(
      start: row + Int(truncatingIfNeeded: word & 0xFFFF_FFFF),
      count: Int(truncatingIfNeeded: word >> 32)
    )
  }

  /// A reference slot; key 0 when null.
  ///
  /// - Parameters:
  ///   - row: Where the row begins.
  ///   - slot: The number of a slot that holds a reference.
  /// - Returns: The key and the concrete entity of the other object.
  @inlinable
  @inline(__always)
  public static func reference(_ row: UnsafeRawPointer, _ slot: Int) -> ObjectReference {
    ObjectReference(word: integer(row, slot))
  }
}

/// Another object, as a reference slot names it.
@frozen
public struct ObjectReference: Sendable, Hashable {
  /// The slot's content: key and place of the concrete entity.
  public var word: Int64

  /// A reference from a slot's content.
  ///
  /// - Parameter word: What a reference slot holds.
  @inlinable
  public init(word: Int64) { self.word = word }

  /// A reference to an object of a concrete entity.
  ///
  /// - Parameters:
  ///   - key: The object's key, a number of 48 bits with its sign; 0 for none.
  ///   - entity: The place of the concrete entity in the model, less than 65,536.
  @inlinable
  public init(key: Int64, entity: Int) { word = key << 16 | Int64(entity) }

  /// The object's key; 0 for none, negative when it is temporary.
  @inlinable
  public var key: Int64 { word >> 16 }

  /// The place of the object's concrete entity in the model.
  @inlinable
  public var entity: Int { Int(word & 0xFFFF) }
}

extension PackedRow {
  /// Sets or clears a null bit.
  ///
  /// - Parameters:
  ///   - row: Where the row begins; nothing may read it meanwhile.
  ///   - slot: The number of a slot, from 0.
  ///   - isNull: Whether the bit is set. The slot itself stays as it is: the slot of an absent value has to be
  ///     set to 0.
  @inlinable
  @inline(__always)
  public static func setNull(_ row: UnsafeMutableRawPointer, _ slot: Int, _ isNull: Bool) {
    if slot < headerSlotCount {
      let bit: UInt16 = 1 &<< UInt16(truncatingIfNeeded: slot)
      let bits = headerBits(row)
      row.storeBytes(of: isNull ? bits | bit : bits & ~bit, toByteOffset: 14, as: UInt16.self)
    } else {
      let offset = nullOffset(slot)
      let word = row.load(fromByteOffset: offset, as: UInt64.self)
      let bit = nullBit(slot)
      row.storeBytes(of: isNull ? word | bit : word & ~bit, toByteOffset: offset, as: UInt64.self)
    }
  }

  /// Writes the 8 bytes of a slot.
  ///
  /// - Parameters:
  ///   - row: Where the row begins; nothing may read it meanwhile.
  ///   - slot: The number of a slot, from 0.
  ///   - word: The content. The null bit stays as it is.
  @inlinable
  @inline(__always)
  public static func setWord(_ row: UnsafeMutableRawPointer, _ slot: Int, _ word: UInt64) {
    row.storeBytes(of: word, toByteOffset: offset(slot), as: UInt64.self)
  }

  /// Writes the key and the version of a row.
  ///
  /// - Parameters:
  ///   - row: Where the row begins; nothing may read it meanwhile.
  ///   - key: The key: positive when it is stored, negative when temporary.
  ///   - version: The store's Z_OPT.
  @inlinable
  @inline(__always)
  public static func setKey(_ row: UnsafeMutableRawPointer, _ key: Int64, version: UInt32) {
    row.storeBytes(of: key, as: Int64.self)
    row.storeBytes(of: version, toByteOffset: 8, as: UInt32.self)
  }

  /// Writes the header of a row without its null bits, and clears the mark of unsaved values.
  ///
  /// - Parameters:
  ///   - row: Where the row begins; nothing may read it meanwhile.
  ///   - key: The key: positive when it is stored, negative when temporary.
  ///   - version: The store's Z_OPT.
  ///   - entity: The place of the concrete entity in the model, less than 65,536.
  @inlinable
  @inline(__always)
  public static func setHeader(
    _ row: UnsafeMutableRawPointer,
    key: Int64,
    version: UInt32,
    entity: Int
  ) {
    setKey(row, key, version: version)
    row.storeBytes(of: UInt16(truncatingIfNeeded: entity), toByteOffset: 12, as: UInt16.self)
    row.storeBytes(of: headerBits(row) & ~unsavedBit, toByteOffset: 14, as: UInt16.self)
  }
}

extension PackedRow {
  /// Makes every slot null and zero.
  ///
  /// - Parameters:
  ///   - row: Where the row begins, with room for ``fixedByteCount(slotCount:)`` bytes; the header stays,
  ///     except for the null bits.
  ///   - slotCount: How many slots the entity has.
  /// - Complexity: O(*n*) in the slots.
  @inlinable
  public static func makeNull(_ row: UnsafeMutableRawPointer, slotCount: Int) {
    (row + headerByteCount).initializeMemory(
      as: UInt64.self,
      repeating: 0,
      count: (fixedByteCount(slotCount: slotCount) - headerByteCount) / 8
    )
    let count = min(headerSlotCount, slotCount)
    row.storeBytes(of: 1 << UInt16(count) - 1, toByteOffset: 14, as: UInt16.self)
    guard slotCount > headerSlotCount else { return }
    var slot = headerSlotCount
    while slot < slotCount {
      let count = min(64, slotCount - slot)
      let bits: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
      row.storeBytes(of: bits, toByteOffset: nullOffset(slot), as: UInt64.self)
      slot += 64
    }
  }
}

extension PackedRow {
  /// The note that attributes of a row have values that were set as if they had been fetched.
  @inlinable
  static var unsavedBit: UInt16 { 1 << 15 }

  /// Whether attributes of a row have such values.
  package static func hasUnsavedValues(_ row: UnsafeRawPointer) -> Bool {
    headerBits(row) & unsavedBit != 0
  }

  /// Notes that attributes of a row have such values; a new header takes the note back.
  package static func noteUnsavedValues(_ row: UnsafeMutableRawPointer) {
    row.storeBytes(of: headerBits(row) | unsavedBit, toByteOffset: 14, as: UInt16.self)
  }
}
