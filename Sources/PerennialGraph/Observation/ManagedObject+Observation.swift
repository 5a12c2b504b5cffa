// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Observation
import PerennialModel

/// Managed objects take part in Observation.
///
/// In a context that observes, a property that was read inside `withObservationTracking` reports when it
/// changes: by a setter, the inverse of another object's setter, a refresh, a merge, undo or rollback.
/// In other contexts nothing is observed; see ``ManagedObjectContext/isObserving``.
///
/// ```swift
/// withObservationTracking {
///   label.text = author.name
/// } onChange: {
///   Task { @MainActor in render() }
/// }
/// ```
extension ManagedObject: Observable {}

extension ManagedObject {
  /// Notes that a slot is read; a getter calls it when the object is observed.
  @usableFromInline
  @inline(never)
  final func _noteAccess(_ slot: Int) { noteAccess(.slot(slot), giving: []) }

  /// Notes that a slot is read, which leads to an object.
  @inline(never)
  final func _noteAccess(_ slot: Int, giving target: ManagedObject?) {
    noteAccess(.slot(slot), giving: target.map { [$0] } ?? [])
  }

  /// Notes that a to-many relationship is read, with the objects that it gives.
  @inline(__always)
  final func _noteToManyAccess(
    _ index: Int,
    giving members: @autoclosure () -> [ManagedObject] = []
  ) {
    if has(.isObserved) { noteAccess(.toMany(index), giving: members()) }
  }

  private final func noteAccess(
    _ property: ObservedProperty,
    giving related: @autoclosure () -> [ManagedObject]
  ) {
    guard let context = _home?.pointee.context, let observation = context.notices.observation else {
      return
    }
    if observation.access(_survivor ?? self, property, giving: related) { context.updateStamps() }
  }
}

extension ManagedObjectContext {
  /// Whether the context's objects report changes of their properties to `withObservationTracking`.
  ///
  /// A view context observes from the beginning. In other contexts the code that reads objects is the code that
  /// changes them, so it is off there, and reading a property costs nothing extra. Setting it to `false` forgets
  /// all observers.
  ///
  /// The objects that an observed relationship gave are held until the relationship reports a change, its owner is
  /// freed or the context is reset. So code that holds a commit hears of changes of `commit.author?.name`, and a row
  /// that scrolls away takes the author with it. Two objects that lead to each other by observed relationships hold
  /// each other until then. An object that a fetch gives must be held by the code that observes it.
  ///
  /// Attributes and relationships are observed, but not an object's state: `hasChanges`, `changedValues()`,
  /// `isDeleted` and `description`. ``onObjectsDidChange(_:)`` reports changes of these. `withObservationTracking`
  /// needs `import Observation`.
  public var isObserving: Bool {
    get { notices.observation != nil }
    set {
      guard newValue != isObserving else { return }
      let old = notices.observation
      notices.observation = newValue ? PropertyObservation() : nil
      for index in homeIndexes {
        homes[index].flags = newValue ? ManagedObject.Flag.isObserved.rawValue : 0
        homes[index].map.visit { $0.set(.isObserved, newValue) }
      }
      updateStamps()
      withExtendedLifetime(old) {}
    }
  }
}
