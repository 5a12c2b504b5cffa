// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObject {
  /// The old values of what the current event has changed: attributes, and IDs of to-one relationships, by name.
  ///
  /// The event began when ``ManagedObjectContext/processPendingChanges()``, a fetch or a save last reported
  /// changes. In a callback of ``ManagedObjectContext/onObjectsDidChange(_:)``, a new one has begun. A property
  /// that has its old value again is left out, and so are transient properties. For an object that was inserted in
  /// the event, the old values are the defaults. Nothing is loaded.
  ///
  /// Events are tracked in a view context, and in others while something follows their changes: a callback, a
  /// stream of events, a results controller, or live aggregates. Elsewhere the whole time since the last save
  /// counts as one event.
  ///
  /// Core Data: `NSManagedObject.changedValuesForCurrentEvent()`.
  ///
  /// - Returns: The old value of every changed property; `.null` for one that had no value.
  public final func changedValuesForCurrentEvent() -> [String: PropertyValue] {
    if let survivor = _survivor { return survivor.changedValuesForCurrentEvent() }
    guard let home = _home, let row = _row else { return [:] }
    let notices = home.pointee.context.notices
    if let touch = notices.touch(of: self) {
      return withExtendedLifetime(touch.page) { oldValues(of: touch.row, beside: row) }
    }
    guard !notices.isTracking, let edit = _edit else { return [:] }
    return oldValues(
      of: edit.pointee.committedRow ?? home.pointee.template.row(0),
      beside: row
    )
  }

  // Safe because the caller holds both rows.
  private final func oldValues(
    of old: UnsafeRawPointer,
    beside row: UnsafeRawPointer
  ) -> [String: PropertyValue] {
    guard let layout = _home?.pointee.layout else { return [:] }
    var values: [String: PropertyValue] = [:]
    for slot in layout.slots.indices where !layout.slots[slot].isTransient {
      let value = _propertyValue(slot, of: old)
      if value != _propertyValue(slot, of: row) { values[layout.slots[slot].name] = value }
    }
    return values
  }
}
