// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Getting a row for an object that has none: a fault fires, a forwarding object lends its survivor's.

extension ManagedObject {
  /// The row to read: the object's own, loaded now if need be, or its survivor's.
  ///
  /// A row that cannot be loaded reads as empty; `ManagedObjectContext.lastFaultError` says why.
  /// Safe because `_loaded` leaves no object without a row, and the row is used at once.
  @usableFromInline
  @inline(never)
  final func _loadedRow() -> UnsafeRawPointer { _row ?? _loaded()._row.unsafelyUnwrapped }

  /// The object to read and write: this one with its row loaded, or its survivor.
  final func _loaded() -> ManagedObject {
    if _row != nil { return self }
    guard let home = _home else {
      preconditionFailure("An object without a row outlived its context.")
    }
    if let survivor = home.pointee.context.survivor(of: self) { return survivor._loaded() }
    home.pointee.context.fire(self)
    return self
  }

  /// The row of defaults of the object's entity.
  final func _defaultRow() -> UnsafeRawPointer {
    if let home = _home { return home.pointee.template.row(0) }
    return _row.unsafelyUnwrapped
  }

  /// Makes the object one whose row is gone: it reads as empty and takes no changes.
  final func _becomeGone() {
    guard let home = _home else { return }
    home.forget(key: _key, of: self)
    _row = home.pointee.blank.row(0)
    _page = home.pointee.blank
    _home = nil
  }
}

extension ManagedObjectContext {
  /// Loads the row of a fault; afterwards the object has one, or is gone.
  func fire(_ object: ManagedObject) {
    guard loadRow(of: object) else { return }
    object.set(.awaitsAwakening, true)
    awaken(object)
    // The hook may have made it a fault again.
    if object._row == nil { _ = loadRow(of: object) }
  }

  /// Reads the row of a fault; `false` when it is gone or cannot be read.
  private func loadRow(of object: ManagedObject) -> Bool {
    guard let home = object._home else { return false }
    var query = StoreQuery(entity: home.pointee.layout.root, scope: .keys([object._key]))
    query.includesSubentities = true
    do throws(PerennialError) {
      try store.fetchRows(query) { page in
        for index in 0..<page.count where PackedRow.key(page.row(index)) == object._key {
          object._row = page.row(index)
          object._page = page
        }
      }
      if object._row == nil {
        lastFaultError = .objectGone(object.objectID)
        object._becomeGone()
        return false
      }
      return true
    } catch {
      lastFaultError = error
      object._row = home.pointee.blank.row(0)
      object._page = home.pointee.blank
      return false
    }
  }
}
