// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// Writes packed rows, in place, into blocks that become pages.
///
/// Use: `begin`, one `put…` for every slot in any order, `end`; `seal` when `isFull` or done. A
/// slot that is not put is null. A row that does not fit moves the block to a larger one. Or, for
/// many rows that have most slots: a `begin` that copies a row, one `fill…` for the slots that differ.
///
/// Safe because the block is reachable through this value alone until `seal` gives it to a page; one that is lent is
/// never given, and whoever lends it outlives the builder.
///
/// `@usableFromInline`, since without it the compiler makes calls of what is to be inlined in other modules.
@usableFromInline
package struct PageBuilder: ~Copyable {
  /// The usual size of a block.
  package static var pageByteCount: Int { 1 << 16 }
  /// The size of a block that most single rows fit into.
  package static var rowByteCount: Int { 512 }
  /// How long a block may be for a row to begin behind what it holds: the place of a row in a page has 32 bits.
  package static var greatestStart: Int { 1 << 30 }

  @usableFromInline var block: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  /// Whether the block is lent by the caller, who frees it.
  @usableFromInline var isBlockLent = false
  @usableFromInline var used = 0
  @usableFromInline var start = 0
  @usableFromInline var offsets: ContiguousArray<UInt32> = []
  @usableFromInline var greatestStart = PageBuilder.greatestStart

  /// A builder whose first block has a size in bytes: small for a single row.
  package init(
    byteCount: Int = PageBuilder.pageByteCount,
    greatestStart: Int = PageBuilder.greatestStart
  ) {
    self.greatestStart = greatestStart
    capacity = byteCount
    block = .allocate(byteCount: byteCount, alignment: 16)
  }

  /// A builder that begins in a block of the caller's, aligned to 16 bytes: for the row of a single fetch, whose page
  /// is a copy of what the row takes.
  package init(lending buffer: UnsafeMutableRawBufferPointer) {
    isBlockLent = buffer.baseAddress != nil
    capacity = isBlockLent ? buffer.count : Self.rowByteCount
    block = buffer.baseAddress ?? .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { if !isBlockLent { block.deallocate() } }

  /// Whether the block holds a row.
  @inlinable package var hasRows: Bool { !offsets.isEmpty }

  /// How many rows the block holds.
  @inlinable package var rowCount: Int { offsets.count }

  /// Whether one more row may not fit, if it is not much larger than the average, or must not begin here.
  ///
  /// A block that has grown is more than half full.
  @inlinable
  @inline(__always)
  package var isFull: Bool {
    used * 2 > capacity
      && (isTooLong || used + used / (offsets.isEmpty ? 1 : offsets.count) * 5 / 4 > capacity)
  }

  /// Whether no more rows may begin in the block, which then holds one.
  @inlinable package var isTooLong: Bool { used > greatestStart }

  /// Whether the row may get so many bytes from a file, and as many as a row of SQLite's has behind them: places in a
  /// row have 32 bits.
  package func hasRoom(for byteCount: Int) -> Bool { used - start + byteCount <= 7 << 29 }

  /// The row that is being written; it moves when the block grows.
  @inlinable package var row: UnsafeMutableRawPointer { block + start }

  /// Begins a row of so many slots, all null.
  @inlinable
  package mutating func begin(key: Int64, version: UInt32, entity: Int, slotCount: Int) {
    start = used
    let fixed = PackedRow.fixedByteCount(slotCount: slotCount)
    if start + fixed > capacity { grow(by: fixed) }
    used = start + fixed
    PackedRow.makeNull(row, slotCount: slotCount)
    PackedRow.setHeader(row, key: key, version: version, entity: entity)
  }

  /// Begins a row as a copy of a page's only one; its slots are then written with `fill…`.
  @inlinable
  @inline(__always)
  package mutating func begin(copying page: RowPage, key: Int64, version: UInt32) {
    start = used
    let byteCount = page.byteCount
    if byteCount > capacity &- start { grow(by: byteCount) }
    (block + start).copyMemory(from: page.base, byteCount: byteCount)
    used = start &+ byteCount
    PackedRow.setKey(self.row, key, version: version)
  }

  /// Writes the 8 bytes of a slot that is not null.
  @inlinable
  @inline(__always)
  package mutating func fill(_ slot: Int, word: UInt64) { PackedRow.setWord(row, slot, word) }

  /// Copies the bytes of a slot that is not null.
  @inlinable
  @inline(__always)
  package mutating func fill(_ slot: Int, bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    if count > capacity &- used { grow(by: count) }
    if let source = bytes.baseAddress { (block + used).copyMemory(from: source, byteCount: count) }
    let offset = UInt64(truncatingIfNeeded: used &- start)
    PackedRow.setWord(row, slot, offset | UInt64(truncatingIfNeeded: count) &<< 32)
    used &+= count
  }

  /// Makes a slot null.
  package mutating func fillNull(_ slot: Int) { PackedRow.setNull(row, slot, true) }

  /// Writes the 8 bytes of an integer, double or reference slot.
  @inlinable
  @inline(__always)
  package mutating func put(_ slot: Int, word: UInt64) {
    fill(slot, word: word)
    PackedRow.setNull(row, slot, false)
  }

  /// Copies the bytes of a text or data slot.
  @inlinable
  @inline(__always)
  package mutating func put(_ slot: Int, bytes: UnsafeRawBufferPointer) {
    fill(slot, bytes: bytes)
    PackedRow.setNull(row, slot, false)
  }

  /// Ends the row.
  @inlinable
  @inline(__always)
  package mutating func end() {
    used = (used + 7) & ~7
    if offsets.isEmpty, offsets.capacity == 0 {
      offsets = Self.firstRow
    } else {
      offsets.append(UInt32(truncatingIfNeeded: start))
    }
  }

  /// The offsets of a page with one row, which all such pages share.
  @usableFromInline static let firstRow: ContiguousArray<UInt32> = [0]

  /// Copies a whole row of another page or object.
  package mutating func copy(_ source: UnsafeRawPointer, byteCount: Int) {
    start = used
    let rounded = (byteCount + 7) & ~7
    if start + rounded > capacity { grow(by: rounded) }
    row.copyMemory(from: source, byteCount: byteCount)
    used = start + rounded
    offsets.append(UInt32(truncatingIfNeeded: start))
  }

  /// The rows so far as a page; the builder goes on with a fresh block.
  package mutating func seal() -> RowPage {
    let page: RowPage
    if isBlockLent || used * 8 < capacity * 7 {
      let exact = UnsafeMutableRawPointer.allocate(byteCount: max(used, 16), alignment: 16)
      exact.copyMemory(from: block, byteCount: used)
      page = RowPage(adopting: exact, byteCount: used, offsets: offsets)
    } else {
      page = RowPage(adopting: block, byteCount: used, offsets: offsets)
      capacity = Self.pageByteCount
      block = .allocate(byteCount: capacity, alignment: 16)
    }
    let count = offsets.count
    offsets = []
    // A few more than this page had: an array that must grow would be twice as large.
    if count > 1 { offsets.reserveCapacity(count + count / 32 + 8) }
    used = 0
    start = 0
    return page
  }

  @usableFromInline mutating func grow(by byteCount: Int) {
    let larger = max(capacity * 2, used + byteCount + 64)
    let next = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    next.copyMemory(from: block, byteCount: max(used, start))
    if !isBlockLent { block.deallocate() }
    isBlockLent = false
    block = next
    capacity = larger
  }
}

extension PageBuilder {
  /// Copies rows into pages.
  package static func pages(
    of rows: some Sequence<(UnsafeRawPointer, byteCount: Int)>
  ) -> [RowPage] {
    var builder = PageBuilder()
    var pages: [RowPage] = []
    for (row, byteCount) in rows {
      if builder.isFull, builder.hasRows { pages.append(builder.seal()) }
      builder.copy(row, byteCount: byteCount)
    }
    if builder.hasRows { pages.append(builder.seal()) }
    return pages
  }
}

extension PageBuilder {
  /// Copies a row slot by slot, so that bytes that no slot refers to are left out.
  ///
  /// Some slots may get their defaults instead.
  package mutating func append(
    _ source: UnsafeRawPointer,
    of entity: EntityLayout,
    key: Int64,
    version: UInt32,
    replacing defaults: [Int] = []
  ) {
    begin(key: key, version: version, entity: entity.index, slotCount: entity.slots.count)
    for slot in defaults { putDefault(slot, of: entity) }
    for (slot, layout) in entity.slots.enumerated()
    where !PackedRow.isNull(source, slot) && !defaults.contains(slot) {
      if layout.storage == .bytes {
        put(slot, bytes: PackedRow.bytes(source, slot))
      } else {
        put(slot, word: PackedRow.word(source, slot))
      }
    }
    end()
  }

  /// Copies a row slot by slot, some of them from another row of the entity.
  package mutating func append(
    _ source: UnsafeRawPointer,
    of entity: EntityLayout,
    key: Int64,
    version: UInt32,
    taking slots: [Int],
    from other: UnsafeRawPointer
  ) {
    begin(key: key, version: version, entity: entity.index, slotCount: entity.slots.count)
    for (slot, layout) in entity.slots.enumerated() {
      let row = slots.contains(slot) ? other : source
      guard !PackedRow.isNull(row, slot) else { continue }
      if layout.storage == .bytes {
        put(slot, bytes: PackedRow.bytes(row, slot))
      } else {
        put(slot, word: PackedRow.word(row, slot))
      }
    }
    end()
  }
}
