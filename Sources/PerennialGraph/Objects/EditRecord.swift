// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The pending changes of one object, and where the private row is that it reads.
///
///     EditRecord │ changed mask, a bit a slot │ stamps, if any       row: fixed part, bytes │ free room
///
/// The stamps say in which order the slots were last assigned, as 4 bytes a slot; only entities with
/// uniqueness constraints have them, whose objects may be merged.
///
/// For an inserted object the mask says which properties were assigned; for others, which differ.
/// New bytes go behind the old ones, which become garbage; when the room is used up the row moves to
/// a larger allocation without garbage: never keep its pointer across a write. Record and row are
/// cut from different slabs, so that rows lie together and a slab of them can become a page.
///
/// Safe because the record is reachable through its object alone, which frees it.
struct EditRecord {
  enum State: UInt8 {
    case inserted, updated, deleted
    /// Inserted and deleted before any save.
    case deletedInsertion

    @inline(__always)
    var isDeleted: Bool { self == .deleted || self == .deletedInsertion }
  }

  var state: State
  /// Whether the delete rules of a deleted object have been applied, and are not to be applied once more.
  var isPropagated = false
  /// Whether they are being applied: see `PendingDeletions`.
  var isPropagating = false
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
  /// The slab that the row lies in, or the row's own allocation.
  private(set) var rowSlab: Unmanaged<RowSlab>?
  private var ownRow: UnsafeMutableRawPointer?

  static func maskWordCount(_ slotCount: Int) -> Int { max(1, (slotCount + 63) >> 6) }

  /// How large an entity's records are.
  struct Size {
    fileprivate let slotCount: Int
    /// That of a record with its mask and its stamps.
    fileprivate let byteCount: Int

    init(_ entity: EntityLayout) {
      slotCount = entity.slots.count
      let mask = MemoryLayout<EditRecord>.stride + 8 * maskWordCount(slotCount)
      byteCount = entity.constraints.isEmpty ? mask : mask + (4 * slotCount + 7) & ~7
    }
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
  ///   - size: The size of the entity's records.
  ///   - state: The record's state.
  ///   - place: The place in the home's list.
  ///   - slabs: Where to cut record and row from; made at the first use.
  /// - Returns: The record and its row.
  static func make(
    copying row: UnsafeRawPointer,
    byteCount: Int,
    capacity: Int,
    size: Size,
    state: State,
    place: Int,
    slab slabs: inout EditSlabs?
  ) -> (UnsafeMutablePointer<EditRecord>, UnsafeMutableRawPointer) {
    if slabs == nil { slabs = EditSlabs() }
    let cut = slabs?.cutRecord(size.byteCount)
    let memory = cut?.memory ?? .allocate(byteCount: size.byteCount, alignment: 16)
    let record = memory.bindMemory(to: EditRecord.self, capacity: 1)
    record.initialize(
      to: EditRecord(
        state: state,
        place: place,
        capacity: capacity,
        used: byteCount,
        slab: cut?.slab
      )
    )
    mask(record).initialize(
      repeating: 0,
      count: (size.byteCount - MemoryLayout<EditRecord>.stride) / 8
    )
    let copy: UnsafeMutableRawPointer
    if let cut = slabs?.cutRow(of: record, atLeast: capacity, entitySlotCount: size.slotCount) {
      copy = cut.memory
      record.pointee.rowSlab = cut.slab
    } else {
      copy = .allocate(byteCount: capacity, alignment: 16)
      record.pointee.ownRow = copy
    }
    copy.copyMemory(from: row, byteCount: byteCount)
    return (record, copy)
  }

  static func free(_ record: UnsafeMutablePointer<EditRecord>) {
    record.pointee.committedPage?.release()
    freeRow(of: record)
    if let slab = record.pointee.slab {
      slab._withUnsafeGuaranteedRef { $0.leave(record) }
    } else {
      UnsafeMutableRawPointer(record).deallocate()
    }
  }

  private static func freeRow(of record: UnsafeMutablePointer<EditRecord>) {
    if let slab = record.pointee.rowSlab {
      slab._withUnsafeGuaranteedRef { $0.leave(record) }
    } else {
      record.pointee.ownRow?.deallocate()
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

  /// Moves the row to an allocation with room for so many more bytes, without garbage.
  ///
  /// - Returns: The row.
  static func grow(
    _ record: UnsafeMutablePointer<EditRecord>,
    row: UnsafeRawPointer,
    by byteCount: Int,
    entity: EntityLayout
  ) -> UnsafeMutableRawPointer {
    let fixed = PackedRow.fixedByteCount(slotCount: entity.slots.count)
    let live = record.pointee.used - record.pointee.garbage
    let capacity = (live + byteCount) * 3 / 2 + 64
    let target = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    target.copyMemory(from: row, byteCount: fixed)
    var end = fixed
    for slot in entity.bytesSlots where !PackedRow.isNull(row, slot) {
      let bytes = PackedRow.bytes(row, slot)
      if let source = bytes.baseAddress {
        (target + end).copyMemory(from: source, byteCount: bytes.count)
      }
      PackedRow.setWord(target, slot, UInt64(end) | UInt64(bytes.count) << 32)
      end += bytes.count
    }
    freeRow(of: record)
    record.pointee.rowSlab = nil
    record.pointee.ownRow = target
    record.pointee.capacity = capacity
    record.pointee.used = end
    record.pointee.garbage = 0
    return target
  }
}
