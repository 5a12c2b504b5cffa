// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObject {
  /// The value of a property, as ``value(forKey:)`` gives it.
  ///
  /// Core Data: `NSManagedObject.primitiveValue(forKey:)`.
  ///
  /// - Parameter key: The property's name.
  /// - Returns: The value, `nil` for none.
  /// - Throws: `unknownName` (200003).
  public final func primitiveValue(forKey key: String) throws(PerennialError) -> (any Sendable)? {
    try value(forKey: key)
  }

  /// Sets an attribute without counting it as a change: it is not in ``changedValues()``.
  ///
  /// What a save does with the value depends on the object:
  /// - Of a new object, it saves all values, this one too.
  /// - Of an object with other changes, it saves this value with them. So `willSave()` can set a date of change
  ///   without being called again.
  /// - In an object without changes, the value counts as fetched: there is nothing to save, a refresh replaces the
  ///   value, and a save of later changes writes it, too.
  ///
  /// Core Data: `NSManagedObject.setPrimitiveValue(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value, `nil` for none.
  ///   - key: The attribute's name.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a value of another type, a
  ///   relationship or a derived attribute.
  public final func setPrimitiveValue(
    _ value: Any?,
    forKey key: String
  ) throws(PerennialError) {
    let keyed = try _keyedValue(value, key)
    try keyed.checkSettable()
    try keyed.object._checkLazyLoad(key)
    keyed.withSlotValue { keyed.object._writable()?._storePrimitive($0, keyed.slot) }
  }

  /// Writes a slot and takes back every trace of it.
  private final func _storePrimitive(_ value: SlotValue, _ slot: Int) {
    guard let home = _home, !_isFrozen else { return }
    let context = home.pointee.context
    let wasChanged = _edit.map { EditRecord.isChanged($0, slot) }
    let count = context.mutationCount
    let watchesAll = home.pointee.watchesAll
    home.pointee.watchesAll = false
    context.withoutUndo { _store(value, slot) }
    home.pointee.watchesAll = watchesAll
    context.mutationCount = count
    guard let edit = _edit, wasChanged != true else { return }
    guard wasChanged == false else { return context.takeAsFetched(self) }
    EditRecord.clearChanged(edit, slot)
    edit.pointee.hasPrimitives = true
  }

  /// Whether it has values that are no changes, and that a save of its changes would write.
  final var _hasUnsavedValues: Bool {
    guard let edit = _edit, let committed = edit.pointee.committedRow else { return false }
    return edit.pointee.hasPrimitives || PackedRow.hasUnsavedValues(committed)
  }

  /// Makes values that are no changes part of a save of the object's changes.
  ///
  /// A row says only that a hook has set some values, so that all of its attributes are written.
  final func _markPrimitives() {
    guard let edit = _edit, edit.pointee.state == .updated, let row = _row,
      let committed = edit.pointee.committedRow, let home = _home
    else { return }
    let layout = home.pointee.layout
    // The rows of a child may be those of its parent; else most rows need not be looked at.
    let mayHaveUnsaved =
      home.pointee.context.parent != nil
      || (!home.pointee.context.lifecycle.unsavedRoots.isEmpty
        && home.pointee.context.lifecycle.unsavedRoots.contains(layout.root))
    let hasUnsaved = mayHaveUnsaved && PackedRow.hasUnsavedValues(committed)
    guard edit.pointee.hasPrimitives || hasUnsaved else { return }
    let changed = EditRecord.changedSlots(edit, layout)
    guard changed.contains(where: { !layout.slots[$0].isTransient }) else { return }
    edit.pointee.hasPrimitives = false
    for slot in layout.slots.indices where layout.slots[slot].attribute != nil {
      let areNull = PackedRow.isNull(row, slot) && PackedRow.isNull(committed, slot)
      if hasUnsaved || !areNull && !SlotKeyHash.equal(row, committed, [slot], of: layout) {
        EditRecord.markChanged(edit, slot)
      }
    }
  }
}
