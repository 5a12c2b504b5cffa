// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Observation
import PerennialModel

/// A property of an object as its observers know it.
enum ObservedProperty: Hashable, Sendable {
  /// An attribute or a to-one relationship.
  case slot(Int)
  /// A to-many relationship.
  case toMany(Int)
}

/// Who observes which properties of a context's objects.
///
/// A registrar is made when a property of an object is read inside `withObservationTracking`, not
/// otherwise: reading a million objects outside costs no memory.
///
/// What an observed relationship has given is held, as long as its observers wait: they may observe properties of
/// these objects, which would have no observers any more after a death and another load.
///
/// Invariants:
/// 1. `entries` has living objects of the context only: an object takes its entry out when it dies
///    or leaves.
/// 2. The property of a registrar that has been accessed is in its entry's `properties`.
/// 3. An object that is held dies only when the context can be used.
final class PropertyObservation {
  /// Safe because an object takes its entry out when it dies.
  private struct Entry {
    unowned(unsafe) let object: ManagedObject
    let registrar = ObservationRegistrar()
    var properties: [ObservedProperty] = []
    /// What relationships have given since their observers were told last.
    var given: [ObservedProperty: [ManagedObject]] = [:]
  }

  private let probe = TrackingProbe()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var paths: [ObservedProperty: KeyPath<ManagedObject, ObservedProperty>] = [:]
  /// What was given by relationships that nobody observes any more.
  private var released: [ManagedObject] = []
  private var isReleasing = false

  /// Whether nothing is observed or held.
  var isEmpty: Bool { entries.isEmpty && released.isEmpty }

  /// Notes that a property is read.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - property: Its property.
  ///   - related: The objects that a relationship gives.
  /// - Returns: Whether the object is the first to be observed.
  func access(
    _ object: ManagedObject,
    _ property: ObservedProperty,
    giving related: () -> [ManagedObject]
  ) -> Bool {
    guard probe.isTracking() else { return false }
    let wasEmpty = isEmpty
    let key = ObjectIdentifier(object)
    var entry = entries[key] ?? Entry(object: object)
    if !entry.properties.contains(property) { entry.properties.append(property) }
    if entry.given[property] == nil {
      // What is dying cannot be held. To ask gives each object a side table: later its references cost up to half more,
      // outside of the observation too; only a weak reference tells.
      let related = related().filter(\.isAlive)
      if !related.isEmpty { entry.given[property] = related }
    }
    entries[key] = entry
    entry.registrar.access(object, keyPath: path(of: property))
    return wasEmpty
  }

  /// Tells the observers of a property that it is about to change: they wait no more.
  func willChange(_ object: ManagedObject, _ property: ObservedProperty) {
    let key = ObjectIdentifier(object)
    guard let entry = entries[key], entry.properties.contains(property) else { return }
    if let given = entries[key]?.given.removeValue(forKey: property) { released += given }
    entry.registrar.willSet(object, keyPath: path(of: property))
  }

  /// Tells the observers of a property that it has changed.
  func didChange(_ object: ManagedObject, _ property: ObservedProperty) {
    guard let entry = entries[ObjectIdentifier(object)], entry.properties.contains(property) else {
      return
    }
    entry.registrar.didSet(object, keyPath: path(of: property))
    release()
  }

  /// Tells the observers of a property of a change that they need not see beforehand.
  func changed(_ object: ManagedObject, _ property: ObservedProperty) {
    willChange(object, property)
    didChange(object, property)
  }

  /// Tells the observers of all properties of an object.
  func changed(_ object: ManagedObject) {
    guard let entry = entries[ObjectIdentifier(object)] else { return }
    for property in entry.properties { changed(object, property) }
  }

  /// Tells all observers.
  func changedAll() { for object in entries.values.map(\.object) { changed(object) } }

  /// Tells the observers of all to-many relationships.
  func changedToManys() {
    for entry in entries.values.map({ (object: $0.object, properties: $0.properties) }) {
      for case .toMany(let number) in entry.properties { changed(entry.object, .toMany(number)) }
    }
  }

  /// Forgets an object that dies or leaves the context.
  ///
  /// One that leaves does so in the midst of a save or a merge: what it has led to is held until the event's end.
  func forget(_ object: ManagedObject) {
    // What observes may die with its registrar, and read properties then.
    if let entry = entries.removeValue(forKey: ObjectIdentifier(object)) {
      for given in entry.given.values { released += given }
    }
    if !released.isEmpty, !object.isAlive { release() }
  }

  /// Lets go of what nobody observes any more; one by one, since what dies may have led to others.
  func release() {
    guard !isReleasing else { return }
    isReleasing = true
    while let object = released.popLast() { withExtendedLifetime(object) {} }
    isReleasing = false
  }

  /// A key path for a property: registrars only compare it.
  private func path(of property: ObservedProperty) -> KeyPath<ManagedObject, ObservedProperty> {
    if let path = paths[property] { return path }
    let path = \ManagedObject[observed: property]
    paths[property] = path
    return path
  }
}

extension ManagedObject {
  /// What the key paths of observed properties lead through; nobody reads it.
  fileprivate subscript(observed property: ObservedProperty) -> ObservedProperty { property }
}
