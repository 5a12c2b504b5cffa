// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The pending changes of one object, and in the same allocation the private row that it reads.
///
///     EditRecord │ changed mask, a bit a slot │ stamps, if any │ row: fixed part, bytes │ free room
///
/// The stamps say in which order the slots were last assigned, as 4 bytes a slot; only entities with
/// uniqueness constraints have them, whose objects may be merged.
///
/// For an inserted object the mask says which properties were assigned; for others, which differ.
/// New bytes go behind the old ones, which become garbage; when the room is used up the row moves to
/// a larger allocation without garbage. Record and row therefore move on writes: never keep the
/// pointers across one.
///
/// Safe because the record is reachable through its object alone, which frees it.
struct EditRecord {
  enum State: UInt8 {
    case inserted, updated, deleted
    /// Inserted and deleted before any save.
    case deletedInsertion
  }

  var state: State
  /// Whether the delete rules of a deleted object have been applied.
  var isPropagated = false
  /// Whether slots that are not marked as changed may have been written all the same.
  var hasPrimitives = false
  /// The event in which the object last changed: see `EntityHome.writeStamp`.
  var stamp: UInt32 = 0
  /// Where the object stands in its home's list of changed objects.
  var place: Int
  /// The room for the row, the bytes in use, and those of them that no slot refers to.
  var capacity: Int
  var used: Int
  var garbage = 0
  /// The key that a save has set aside for an inserted object; 0 for none.
  var reservedKey: Int64 = 0
  /// The row as it was saved, and its page; nil for an inserted object.
  var committedRow: UnsafeRawPointer?
  var committedPage: Unmanaged<RowPage>?
  /// The slab that the record was cut from; nil for an allocation of its own.
  private var slab: Unmanaged<RowSlab>?

  static func maskWordCount(_ slotCount: Int) -> Int { max(1, (slotCount + 63) >> 6) }

  private static func rowOffset(_ entity: EntityLayout) -> Int {
    let count = entity.slots.count
    let mask = MemoryLayout<EditRecord>.stride + 8 * maskWordCount(count)
    return entity.constraints.isEmpty ? mask : mask + (4 * count + 7) & ~7
  }

  /// Where the stamps begin; `nil` for an entity without.
  static func stampOffset(_ entity: EntityLayout) -> Int? {
    entity.constraints.isEmpty
      ? nil : MemoryLayout<EditRecord>.stride + 8 * maskWordCount(entity.slots.count)
  }

  /// When a slot was assigned: greater numbers are later, and they wrap; 0 for an entity without stamps.
  static func stamp(
    _ record: UnsafeMutablePointer<EditRecord>,
    _ entity: EntityLayout,
    _ slot: Int
  ) -> UInt32 {
    guard let offset = stampOffset(entity) else { return 0 }
    return (UnsafeRawPointer(record) + offset + 4 * slot).load(as: UInt32.self)
  }

  /// Notes when a slot was assigned; the offset is that of the entity's stamps.
  @inline(__always)
  static func setStamp(
    _ record: UnsafeMutablePointer<EditRecord>,
    _ slot: Int,
    offset: Int,
    _ stamp: Int
  ) {
    (UnsafeMutableRawPointer(record) + offset + 4 * slot)
      .storeBytes(of: UInt32(truncatingIfNeeded: stamp), as: UInt32.self)
  }

  /// A record with a copy of a row.
  ///
  /// - Parameters:
  ///   - row: The row to copy.
  ///   - byteCount: Its size.
  ///   - capacity: The room to make, at least `byteCount`.
  ///   - entity: The row's entity.
  ///   - state: The record's state.
  ///   - place: The place in the home's list.
  ///   - slab: The slab to cut the record from, replaced when it is used up.
  /// - Returns: The record and its row.
  static func make(
    copying row: UnsafeRawPointer,
    byteCount: Int,
    capacity: Int,
    entity: EntityLayout,
    state: State,
    place: Int,
    slab: inout RowSlab?
  ) -> (UnsafeMutablePointer<EditRecord>, UnsafeMutableRawPointer) {
    let total = rowOffset(entity) + capacity
    var block: UnsafeMutableRawPointer?
    if total <= RowSlab.greatestCut {
      block = slab?.cut(total)
      if block == nil {
        slab = RowSlab()
        block = slab?.cut(total)
      }
    }
    let record = EditRecord(
      state: state,
      place: place,
      capacity: capacity,
      used: byteCount,
      slab: block == nil ? nil : slab.map(Unmanaged.passRetained)
    )
    return record.placed(in: block, copying: row, entity)
  }

  /// This record in a block of memory, or in one of its own, with a copy of the row's used bytes.
  private func placed(
    in block: UnsafeMutableRawPointer?,
    copying row: UnsafeRawPointer,
    _ entity: EntityLayout
  ) -> (UnsafeMutablePointer<EditRecord>, UnsafeMutableRawPointer) {
    let offset = Self.rowOffset(entity)
    let block = block ?? .allocate(byteCount: offset + capacity, alignment: 16)
    let record = block.bindMemory(to: EditRecord.self, capacity: 1)
    record.initialize(to: self)
    let words = (offset - MemoryLayout<EditRecord>.stride) / 8
    Self.mask(record).initialize(repeating: 0, count: words)
    let copy = block + offset
    copy.copyMemory(from: row, byteCount: used)
    return (record, copy)
  }

  static func free(_ record: UnsafeMutablePointer<EditRecord>) {
    record.pointee.committedPage?.release()
    freeMemory(of: record)
  }

  private static func freeMemory(of record: UnsafeMutablePointer<EditRecord>) {
    if let slab = record.pointee.slab {
      slab.release()
    } else {
      UnsafeMutableRawPointer(record).deallocate()
    }
  }

  /// The words of the changed mask.
  static func mask(_ record: UnsafeMutablePointer<EditRecord>) -> UnsafeMutablePointer<UInt64> {
    (UnsafeMutableRawPointer(record) + MemoryLayout<EditRecord>.stride)
      .assumingMemoryBound(to: UInt64.self)
  }

  @inline(__always)
  static func isChanged(_ record: UnsafeMutablePointer<EditRecord>, _ slot: Int) -> Bool {
    mask(record)[slot >> 6] >> UInt64(slot & 63) & 1 != 0
  }

  @inline(__always)
  static func markChanged(_ record: UnsafeMutablePointer<EditRecord>, _ slot: Int) {
    mask(record)[slot >> 6] |= 1 << UInt64(slot & 63)
  }

  static func clearChanged(_ record: UnsafeMutablePointer<EditRecord>, _ slot: Int) {
    mask(record)[slot >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// The changed slots, ascending.
  static func changedSlots(
    _ record: UnsafeMutablePointer<EditRecord>,
    _ entity: EntityLayout
  ) -> [Int] {
    entity.slots.indices.filter { isChanged(record, $0) }
  }

  /// The same record and row in an allocation with room for so many more bytes, without garbage.
  static func grow(
    _ record: UnsafeMutablePointer<EditRecord>,
    row: UnsafeRawPointer,
    by byteCount: Int,
    entity: EntityLayout
  ) -> (UnsafeMutablePointer<EditRecord>, UnsafeMutableRawPointer) {
    let fixed = PackedRow.fixedByteCount(slotCount: entity.slots.count)
    let live = record.pointee.used - record.pointee.garbage
    var larger = record.pointee
    larger.slab = nil
    larger.capacity = (live + byteCount) * 3 / 2 + 64
    larger.used = fixed
    larger.garbage = 0
    let (next, target) = larger.placed(in: nil, copying: row, entity)
    let words = (rowOffset(entity) - MemoryLayout<EditRecord>.stride) / 8
    mask(next).update(from: mask(record), count: words)
    var end = fixed
    for slot in entity.bytesSlots where !PackedRow.isNull(row, slot) {
      let bytes = PackedRow.bytes(row, slot)
      if let source = bytes.baseAddress {
        (target + end).copyMemory(from: source, byteCount: bytes.count)
      }
      PackedRow.setWord(target, slot, UInt64(end) | UInt64(bytes.count) << 32)
      end += bytes.count
    }
    next.pointee.used = end
    freeMemory(of: record)
    return (next, target)
  }
}
