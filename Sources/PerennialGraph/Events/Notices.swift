// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// What a context notes of the current event, and whom it tells.
///
/// An event lies between two calls of `processPendingChanges()`, which fetches and saves make too.
///
/// Invariants:
/// 1. `number` is 0 while nobody wants to know, else the number of the current event. No number is
///    used twice.
/// 2. Every home's `writeStamp` is `number`, or `.max` while every write is to be heard of. A change
///    of an object whose edit record has another stamp is noted; so nothing else is paid for it.
/// 3. `touches` names every object with an edit record that changed in the event, in the order of
///    the first changes; its edit record has the event's number. If an end has failed, the event goes on under another
///    number, and objects may be named twice: the first time counts.
final class Notices {
  /// How an object stood when the event began.
  enum Start {
    case absent
    case live
    case deleted
  }

  /// The first change of an object in the event.
  ///
  /// Safe because the page is held, and the row lies in it.
  struct Touch {
    let object: ManagedObject
    let start: Start
    /// The object's row when the event began.
    let row: UnsafeRawPointer
    let page: RowPage
  }

  var number: UInt32 = 0
  private var lastNumber: UInt32 = 0
  var posting = NotificationPosting.objectIDs

  private(set) var touches: [Touch] = []
  /// The objects whose to-many members changed.
  private(set) var owners: [ObjectIdentifier: ManagedObject] = [:]
  /// Those among them whose own values were taken back by undo.
  private var replayed: Set<ObjectIdentifier> = []
  private(set) var refreshed: [ManagedObject] = []
  private(set) var invalidated: [ManagedObject] = []
  private var invalidatedAll: [ManagedObjectID]?
  /// Objects that a fetch brought up to date: their observers are told when it is over.
  var refetched: [ManagedObject] = []

  /// Whether lists are kept in step with the objects.
  var hasLiveResults = false
  var listeners = Listeners()
  /// The observed properties; `nil` unless the context observes.
  var observation: PropertyObservation?
  /// Called at the first change of an event, so that somebody ends it.
  var onFirstChange: (() -> Void)?

  /// Whether the event could not be ended by itself: the next change asks for another end.
  private var needsEnd = false

  private var places: [ObjectIdentifier: Int] = [:]
  private var placedCount = 0

  /// Whether somebody wants to know what an event changes.
  var isTracking: Bool { number != 0 }
  /// Whether somebody may want to know that something changed.
  var isWatching: Bool { isTracking || observation?.isEmpty == false }

  /// Whether every write is to be noted, not only the first of an object in an event: for undo.
  var hearsEveryWrite = false

  /// What edit records are compared with.
  var writeStamp: UInt32 {
    hearsEveryWrite || observation?.isEmpty == false ? .max : number
  }

  /// Starts or stops tracking; an event that nobody waits for any more is forgotten.
  func updateTracking() {
    let isWanted =
      posting == .objects || hasLiveResults || listeners.wants(.objectsDidChange)
    if isWanted, number == 0 { advance() }
    if !isWanted, number != 0 {
      number = 0
      let noted = clear()
      withExtendedLifetime(noted) {}
    }
  }

  /// What was noted, and is to be released when the context can be used again.
  typealias Noted = (
    [Touch], [ObjectIdentifier: ManagedObject], [ManagedObject], [ManagedObject]
  )

  private func clear() -> Noted {
    let noted = (touches, owners, refreshed, invalidated)
    touches = []
    owners = [:]
    replayed = []
    refreshed = []
    invalidated = []
    invalidatedAll = nil
    places = [:]
    placedCount = 0
    return noted
  }

  private func advance() {
    lastNumber = lastNumber >= .max - 1 ? 1 : lastNumber + 1
    number = lastNumber
  }

  private var isQuiet: Bool {
    touches.isEmpty && owners.isEmpty && refreshed.isEmpty && invalidated.isEmpty
      && invalidatedAll == nil
  }

  private func willNote() {
    guard isQuiet || needsEnd else { return }
    needsEnd = false
    onFirstChange?()
  }

  /// Has the next change ask for an end of the event again, also one of an object that has been noted.
  func askAgain() {
    guard isTracking else { return }
    advance()
    needsEnd = true
  }

  func note(_ touch: Touch) {
    willNote()
    touches.append(touch)
  }

  func note(owner: ManagedObject) {
    guard isTracking else { return }
    willNote()
    owners[ObjectIdentifier(owner)] = owner
  }

  /// Notes that undo has taken back all changes of an object: values of its own, not only members.
  func note(replayed object: ManagedObject) {
    guard isTracking else { return }
    note(owner: object)
    replayed.insert(ObjectIdentifier(object))
  }

  func note(refreshed object: ManagedObject) {
    guard isTracking, object.isAlive else { return }
    willNote()
    refreshed.append(object)
  }

  func note(invalidated object: ManagedObject) {
    guard isTracking, object.isAlive else { return }
    willNote()
    invalidated.append(object)
  }

  /// - Returns: What was noted before; to be released when the context can be used again.
  func note(invalidatedAll objects: [ManagedObjectID]) -> Noted {
    willNote()
    let noted = clear()
    invalidatedAll = objects
    return noted
  }

  /// The first change of an object in this event.
  func touch(of object: ManagedObject) -> Touch? {
    while placedCount < touches.count {
      let key = ObjectIdentifier(touches[placedCount].object)
      if places[key] == nil { places[key] = placedCount }
      placedCount += 1
    }
    return places[ObjectIdentifier(object)].map { touches[$0] }
  }

  /// The objects that have changed in the event so far.
  var openObjects: [ManagedObject] {
    isQuiet ? [] : touches.map(\.object) + owners.values + refreshed + invalidated
  }

  /// Ends the event.
  ///
  /// - Returns: What it changed; `nil` for nothing.
  func endEvent() -> ChangedObjects? {
    guard !isQuiet else { return nil }
    let changes = gather()
    if isTracking { advance() }
    needsEnd = false
    let noted = clear()
    withExtendedLifetime(noted) {}
    return changes.isEmpty ? nil : changes
  }

  private func gather() -> ChangedObjects {
    var changes = ChangedObjects()
    var seen: Set<ObjectIdentifier> = []
    for touch in touches
    where seen.insert(ObjectIdentifier(touch.object)).inserted && !touch.object.isForwarding {
      gather(touch, &changes)
    }
    let replaced =
      owners.isEmpty ? [] : Set((refreshed + invalidated).lazy.map { ObjectIdentifier($0) })
    for owner in owners.values
    where owner._home != nil && !owner.isDeleted && !changes.inserted.contains(owner) {
      let isNew = changes.updated.insert(owner).inserted
      let identifier = ObjectIdentifier(owner)
      if isNew, !replayed.contains(identifier), !replaced.contains(identifier) {
        changes.owners.insert(owner)
      }
    }
    for object in refreshed
    where object._home != nil && !object.isDeleted && !changes.contains(object) {
      changes.refreshed.insert(object)
    }
    for object in invalidated where !changes.deleted.contains(object) {
      if object.isDeleted {
        changes.deleted.insert(object)
      } else {
        changes.invalidated.insert(object)
      }
    }
    if let all = invalidatedAll {
      changes.invalidatedAll = true
      changes.invalidatedAllObjectIDs = all
    }
    return changes
  }

  /// Sorts an object by how it stood when the event began and how it stands now.
  private func gather(_ touch: Touch, _ changes: inout ChangedObjects) {
    let object = touch.object
    switch (touch.start, object._home == nil ? nil : object._edit?.pointee.state) {
    case (.absent, .inserted), (.absent, .updated): changes.inserted.insert(object)
    case (.absent, nil): if object._home != nil { changes.inserted.insert(object) }
    case (.absent, _): break
    case (.live, .deleted), (.live, .deletedInsertion): changes.deleted.insert(object)
    case (.live, .inserted), (.live, .updated): changes.updated.insert(object)
    case (.live, nil):
      // One that somebody else deleted was kept by its edits only.
      if object._home == nil || object.has(.isGone) { changes.deleted.insert(object) }
    case (.deleted, .deleted), (.deleted, .deletedInsertion): break
    case (.deleted, _):
      if object._home != nil, !object.isDeleted { changes.inserted.insert(object) }
    }
  }
}

extension ChangedObjects {
  fileprivate func contains(_ object: ManagedObject) -> Bool {
    inserted.contains(object) || updated.contains(object) || deleted.contains(object)
  }
}
