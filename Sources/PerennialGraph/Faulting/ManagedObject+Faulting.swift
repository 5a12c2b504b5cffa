// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Getting a row for an object that has none: a fault fires, a forwarding object lends its survivor's.

extension ManagedObject {
  /// The row to read: the object's own, loaded now if need be, or its survivor's.
  ///
  /// A row that cannot be loaded reads as empty; `ManagedObjectContext.lastFaultError` says why, and
  /// the next access tries again.
  /// Safe because the row is used at once, and the home lives as long as the context.
  @usableFromInline
  @inline(never)
  final func _loadedRow() -> UnsafeRawPointer {
    if let row = _row ?? _loaded()?._row { return row }
    guard let home = _home else {
      preconditionFailure("An object without a row outlived its context.")
    }
    return home.pointee.blank.row(0)
  }

  /// The object to read: this one with its row loaded, or its survivor; `nil` when the row cannot be
  /// loaded now.
  final func _loaded() -> ManagedObject? {
    if _row != nil { return self }
    guard let home = _home else { return nil }
    if let survivor = home.pointee.context.survivor(of: self) { return survivor._loaded() }
    home.pointee.context.fire(self)
    return _row == nil ? nil : self
  }

  /// The object to write; `nil` when its row cannot be loaded now, which the next save reports.
  final func _writable() -> ManagedObject? {
    if let object = _loaded() { return object }
    guard let context = _home?.pointee.context else { return nil }
    if let error = context.lastFaultError { context.note(misuse: error) }
    return nil
  }

  /// The row of defaults of the object's entity, which has a slot.
  final func _defaultRow(with slot: Int) -> UnsafeRawPointer {
    if let home = _home { return home.pointee.template.row(0) }
    return DefaultRows.row(of: type(of: self), with: slot) ?? _row.unsafelyUnwrapped
  }

  /// Whether rows of an entity are the object's own: the class, and so what is read, must be that of the row.
  ///
  /// They always are, but in a damaged store.
  final func _fits(_ entity: Int) -> Bool { _home.map { $0.pointee.index == entity } ?? false }

  /// Makes the object one whose row is gone: it reads as empty and takes no changes.
  final func _becomeGone() {
    guard let home = _home else { return }
    let context = home.pointee.context
    home.forget(key: _key, of: self)
    _row = home.pointee.blank.row(0)
    _page = home.pointee.blank
    _leave(context, isGone: true)
    context.noteInvalidated(self)
  }
}
