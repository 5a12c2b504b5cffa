// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// The rows of defaults by class, for objects that have left their context: what cannot be decoded reads as its default
/// then, too.
///
/// A class has the same slots in every model that it is used with; slots that a model adds for a subclass or for nobody
/// come after them.
enum DefaultRows {
  private static let known = Mutex<[ObjectIdentifier: (page: RowPage, slotCount: Int)]>([:])

  /// Notes the row of a class; the first one stays.
  static func note(_ page: RowPage, _ layout: EntityLayout, of type: ManagedObject.Type) {
    known.withLock { known in
      let key = ObjectIdentifier(type)
      if known[key] == nil { known[key] = (page, layout.slots.count) }
    }
  }

  /// The row of a class that has a slot; `nil` if no context has had objects of it.
  ///
  /// Safe because a page that is known stays for ever.
  static func row(of type: ManagedObject.Type, with slot: Int) -> UnsafeRawPointer? {
    known.withLock { known in
      guard let row = known[ObjectIdentifier(type)], slot < row.slotCount else { return nil }
      return row.page.row(0)
    }
  }
}
