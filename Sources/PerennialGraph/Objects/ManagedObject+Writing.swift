// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// How a value gets into a row. Safe because the row that is written is the object's private one.

extension ManagedObject {
  /// Writes a slot, for every typed setter; an equal value is no change.
  public final func _store(_ value: SlotValue, _ slot: Int) {
    guard let row = _row else {
      _writable(slot)?._store(value, slot)
      return
    }
    guard !_isFrozen, let home = _home else { return }
    if Self.slot(slot, of: row, equals: value) {
      if _state == .inserted { markAssigned(slot) }
      return
    }
    let edit = beginEdit()
    if edit.pointee.stamp != home.pointee.writeStamp { return storeAndTell(value, slot) }
    put(value, slot, edit, home)
  }

  /// Writes a slot of a deleted object, unseen by observers: what it will have if it comes back.
  final func _storeBelowDeletion(_ value: SlotValue, _ slot: Int) {
    guard let row = _row, let home = _home, let edit = _edit,
      !Self.slot(slot, of: row, equals: value)
    else { return }
    put(value, slot, edit, home)
  }

  /// Writes a slot while somebody wants to know of it.
  ///
  /// Observers may change the object before it is written, and make it a fault or a forwarding one.
  @inline(never)
  private final func storeAndTell(_ value: SlotValue, _ slot: Int) {
    guard let context = _home?.pointee.context else { return }
    context.touch(self)
    context.notices.observation?.willChange(self, .slot(slot))
    if _row == nil {
      guard _survivor == nil, _writable() != nil else { return _store(value, slot) }
    }
    guard let home = _home, !_isFrozen else { return }
    let edit = beginEdit()
    if context.undoRegistration.isActive { context.noteUndo(ofSlot: slot, self) }
    put(value, slot, edit, home)
    context.notices.observation?.didChange(self, .slot(slot))
  }

  @inline(__always)
  private final func put(
    _ value: SlotValue,
    _ slot: Int,
    _ edit: UnsafeMutablePointer<EditRecord>,
    _ home: UnsafeMutablePointer<EntityHome>
  ) {
    EditRecord.markChanged(edit, slot)
    if home.pointee.stampOffset != 0 { stamp(edit, slot) }
    switch value {
    case .null:
      let row = _mutableRow
      if home.pointee.layout.slots[slot].storage == .bytes {
        edit.pointee.garbage += PackedRow.bytes(row, slot).count
      }
      PackedRow.setWord(row, slot, 0)
      PackedRow.setNull(row, slot, true)
    case .word(let word):
      let row = _mutableRow
      PackedRow.setWord(row, slot, word)
      PackedRow.setNull(row, slot, false)
      if home.pointee.isReference(slot), PackedRow.reference(row, slot).key > 0 {
        home.pointee.movesStored = true
      }
    case .bytes(let bytes): write(bytes, slot)
    }
    home.pointee.counts.pointee.mutations &+= 1
    if home.pointee.isWatched(slot) { _noteWrite(slot) }
  }

  /// Whether the object takes no changes: it is deleted, or its context or its row is gone.
  final var _isFrozen: Bool {
    guard let state = _state else { return _home == nil || has(.isGone) }
    return _home == nil || state.isDeleted
  }

  private final func markAssigned(_ slot: Int) {
    guard let edit = _edit else { return }
    EditRecord.markChanged(edit, slot)
    if _home?.pointee.stampOffset != 0 { stamp(edit, slot) }
  }

  /// Notes when a slot was assigned; also an equal value, which changes nothing, is the later one.
  @inline(__always)
  private final func stamp(_ edit: UnsafeMutablePointer<EditRecord>, _ slot: Int) {
    guard let home = _home else { return }
    let counts = home.pointee.counts
    counts.pointee.assignments &+= 1
    EditRecord.setStamp(
      edit,
      slot,
      offset: home.pointee.stampOffset,
      counts.pointee.assignments
    )
  }

  /// The private row; only after `beginEdit`.
  final var _mutableRow: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(mutating: _row.unsafelyUnwrapped)
  }

  @inline(__always)
  private static func slot(
    _ slot: Int,
    of row: UnsafeRawPointer,
    equals value: SlotValue
  ) -> Bool {
    let isNull = PackedRow.isNull(row, slot)
    switch value {
    case .null: return isNull
    case .word(let word): return !isNull && PackedRow.word(row, slot) == word
    case .bytes(let bytes):
      guard !isNull else { return false }
      let old = PackedRow.bytes(row, slot)
      guard old.count == bytes.count else { return false }
      guard let a = old.baseAddress, let b = bytes.baseAddress else { return true }
      return memcmp(a, b, bytes.count) == 0
    }
  }

  /// The record of changes, made at the first change.
  @discardableResult
  final func beginEdit() -> UnsafeMutablePointer<EditRecord> {
    if let edit = _edit { return edit }
    return makeEdit(.updated)
  }

  /// Ends the object's changes: it reads its committed row again, and is none of the changed ones.
  final func endEdit() {
    guard let edit = _edit else { return }
    _home?.pointee.changed[edit.pointee.place] = nil
    _row = edit.pointee.committedRow
    _page = edit.pointee.committedPage?.takeUnretainedValue()
    _edit = nil
    EditRecord.free(edit)
  }

  /// A record with a private copy of the committed row.
  @inline(never)
  final func makeEdit(_ state: EditRecord.State) -> UnsafeMutablePointer<EditRecord> {
    guard let home = _home, let row = _row else {
      preconditionFailure("A change was made to an object whose context is gone.")
    }
    let layout = home.pointee.layout
    let byteCount = PackedRow.byteCount(row, layout)
    let (edit, copy) = EditRecord.make(
      copying: row,
      byteCount: byteCount,
      capacity: byteCount + 192,
      size: home.pointee.recordSize,
      state: state,
      place: home.pointee.changed.count,
      slab: &home.pointee.slab
    )
    edit.pointee.committedRow = row
    edit.pointee.committedPage = _page.map(Unmanaged.passRetained)
    _page = nil
    _edit = edit
    _row = UnsafeRawPointer(copy)
    home.pointee.changed.append(self)
    home.pointee.movesStored = true
    if home.pointee.context.undoRegistration.isActive {
      home.pointee.context.noteUndo(.edit(self))
    }
    // A new object may already have the values that this one has kept.
    if home.pointee.hasConstraints { home.pointee.noteKeyChange(of: self) }
    return edit
  }

  /// Puts bytes behind the row, or over the old ones when they fit.
  private final func write(_ bytes: UnsafeRawBufferPointer, _ slot: Int) {
    guard let edit = _edit, let home = _home else { return }
    let old = PackedRow.bytes(_mutableRow, slot)
    let count = bytes.count
    if count <= old.count, !PackedRow.isNull(_mutableRow, slot) {
      overwrite(slot, with: bytes, old: old)
      edit.pointee.garbage += old.count - count
      return
    }
    if edit.pointee.used + count > edit.pointee.capacity {
      let row = EditRecord.grow(edit, row: _mutableRow, by: count, entity: home.pointee.layout)
      home.pointee.expectRow(of: edit.pointee.used + count)
      _row = UnsafeRawPointer(row)
    }
    let row = _mutableRow
    let end = edit.pointee.used
    if let source = bytes.baseAddress { (row + end).copyMemory(from: source, byteCount: count) }
    edit.pointee.garbage += PackedRow.bytes(row, slot).count
    edit.pointee.used = end + count
    PackedRow.setWord(row, slot, UInt64(end) | UInt64(count) << 32)
    PackedRow.setNull(row, slot, false)
  }

  private final func overwrite(
    _ slot: Int,
    with bytes: UnsafeRawBufferPointer,
    old: UnsafeRawBufferPointer
  ) {
    let row = _mutableRow
    let word = PackedRow.word(row, slot)
    if let source = bytes.baseAddress {
      (row + Int(word & 0xFFFF_FFFF)).copyMemory(from: source, byteCount: bytes.count)
    }
    PackedRow.setWord(row, slot, word & 0xFFFF_FFFF | UInt64(bytes.count) << 32)
  }
}
