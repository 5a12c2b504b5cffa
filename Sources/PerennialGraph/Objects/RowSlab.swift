// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

/// A block of memory from which the edit records of one entity, or their rows, are cut, one behind
/// the other.
///
/// Objects that are inserted or changed together then lie together, and a cut costs neither an
/// allocation nor a deallocation of its own. A save that finds a slab full of rows makes a page of
/// it, as it is: see `lend`.
///
/// Invariants:
/// 1. `users` counts the cuts in use; while there are any, the slab holds itself, so that the last
///    one frees it. Counting is plain: all users belong to one context, and a page only holds the
///    slab.
/// 2. `last` is the record whose row is the last cut, as long as the row may still grow there.
/// 3. While a slab is lent to a page nobody writes to it; it stays lent once a save of its rows has
///    succeeded.
///
/// Safe because a cut is handed out once and never returned, and because of 3 what a page shares
/// with other isolations does not change: `@unchecked Sendable` states just that.
final class RowSlab: @unchecked Sendable {
  /// The size of a slab, and of the largest record or row that is cut from one.
  static let byteCount = 1 << 16
  static let greatestCut = byteCount / 16

  let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
  private var used = 0
  private var users = 0
  private var last: UnsafeMutablePointer<EditRecord>?
  private var lastOffset = 0
  private var lastExpected = 0
  private var isLent = false

  deinit { base.deallocate() }

  /// So many bytes, aligned to 16, or `nil` when they do not fit.
  func cut(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let rounded = (byteCount + 15) & ~15
    guard used + rounded <= Self.byteCount else { return nil }
    defer { used += rounded }
    hold()
    return base + used
  }

  /// Room for a row, aligned to 8: at least so many bytes, and at first all that is left, so that
  /// the row grows in place until the next one is cut; `nil` when they do not fit.
  func cutRow(
    of record: UnsafeMutablePointer<EditRecord>,
    atLeast byteCount: Int,
    entitySlotCount slotCount: Int
  ) -> UnsafeMutableRawPointer? {
    trimLast(slotCount)
    guard !isLent, used + byteCount <= Self.byteCount else { return nil }
    last = record
    lastOffset = used
    lastExpected = byteCount
    record.pointee.capacity = Self.byteCount - used
    used = Self.byteCount
    hold()
    return base + lastOffset
  }

  /// Takes back the room behind the last row, which has got its values; one that has none yet keeps
  /// the room that it is expected to need.
  private func trimLast(_ slotCount: Int) {
    guard let record = last, !isLent else { return }
    let words = UnsafeBufferPointer(
      start: EditRecord.mask(record),
      count: EditRecord.maskWordCount(slotCount)
    )
    let isEmpty = words.allSatisfy { $0 == 0 }
    let kept =
      isEmpty ? max(record.pointee.used, lastExpected) : record.pointee.used
    let room = min((kept + 7) & ~7, Self.byteCount - lastOffset)
    record.pointee.capacity = room
    used = lastOffset + room
    last = nil
  }

  private func hold() {
    if users == 0 { _ = Unmanaged.passRetained(self) }
    users += 1
  }

  /// Gives up a cut: that of a record, or of its row.
  func leave(_ record: UnsafeMutablePointer<EditRecord>) {
    if last == record {
      last = nil
      if !isLent { used = lastOffset }
    }
    users -= 1
    if users == 0 { Unmanaged.passUnretained(self).release() }
  }

  /// A page of rows that lie here; they stay where they are.
  func lend(_ offsets: ContiguousArray<UInt32>) -> RowPage {
    isLent = true
    return RowPage(lending: base, byteCount: Self.byteCount, offsets: offsets, lender: self)
  }

  /// Takes the rows back after a save that has failed; nobody looks at the page any more.
  func takeBack() { isLent = false }
}

/// Where an entity's next edit records and rows are cut from.
struct EditSlabs {
  private var records = RowSlab()
  private var rows = RowSlab()

  /// Memory for a record, and its slab; `nil` for one that is too large.
  mutating func cutRecord(
    _ byteCount: Int
  ) -> (memory: UnsafeMutableRawPointer, slab: Unmanaged<RowSlab>)? {
    guard byteCount <= RowSlab.greatestCut else { return nil }
    var memory = records.cut(byteCount)
    if memory == nil {
      records = RowSlab()
      memory = records.cut(byteCount)
    }
    return memory.map { ($0, .passUnretained(records)) }
  }

  /// Memory for a record's row, and its slab; `nil` for one that is too large.
  mutating func cutRow(
    of record: UnsafeMutablePointer<EditRecord>,
    atLeast byteCount: Int,
    entitySlotCount slotCount: Int
  ) -> (memory: UnsafeMutableRawPointer, slab: Unmanaged<RowSlab>)? {
    guard byteCount <= RowSlab.greatestCut else { return nil }
    var memory = rows.cutRow(of: record, atLeast: byteCount, entitySlotCount: slotCount)
    if memory == nil {
      rows = RowSlab()
      memory = rows.cutRow(of: record, atLeast: byteCount, entitySlotCount: slotCount)
    }
    return memory.map { ($0, .passUnretained(rows)) }
  }
}
