// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Where the primitives of the graph report changes. Each is called only when the stamp of a home
// says that somebody wants to know.

extension ManagedObjectContext {
  /// Ends the current event, and tells what it changed: the one boundary between two events.
  ///
  /// It may run user code; never call it inside a store's callback.
  func endEvent() {
    tellRefetched()
    guard notices.isWatching else { return }
    let changes = closeEvent()
    if let changes { liveResults.note { $0.note(changes, in: self) } }
    if !liveResults.isEmpty { liveResults.report() }
    if let changes { tell(.objectsDidChange(changes)) }
  }

  /// Ends the current event without telling of it; undo groups end here.
  ///
  /// - Returns: What the event changed; `nil` for nothing.
  func closeEvent() -> ChangedObjects? {
    guard notices.isWatching else { return nil }
    let refetched = notices.refetched
    notices.refetched = []
    for object in refetched { notices.observation?.changed(object) }
    notices.observation?.release()
    defer { updateStamps() }
    return notices.endEvent()
  }

  /// Calls a closure at the first change of every event, so that somebody ends it.
  package func endsEvents(_ schedule: @escaping () -> Void) { notices.onFirstChange = schedule }

  /// Ends the event from a job of the context's isolation, where nothing can be thrown.
  ///
  /// What cannot be processed stays pending; the next fetch or save throws why, and the next change has this tried
  /// again.
  package func endEventByItself() {
    guard notices.isTracking else { return }
    if misuses.isEmpty, (try? processPendingChanges()) != nil { return }
    notices.askAgain()
    updateStamps()
  }

  func updateTracking() {
    notices.updateTracking()
    updateStamps()
  }

  func updateStamps() {
    let stamp = notices.writeStamp
    for index in homeIndexes { homes[index].writeStamp = stamp }
  }

  // MARK: What happened

  /// Notes that an object is about to change for the first time in the event.
  ///
  /// Its edit record must have been made, its row not been written yet.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - start: How it stood; by default as its edit record says.
  func touch(_ object: ManagedObject, as start: Notices.Start? = nil) {
    guard let edit = object._edit, edit.pointee.stamp != notices.number else { return }
    edit.pointee.stamp = notices.number
    guard notices.isTracking, let (row, page) = rowImage(of: object) else { return }
    let isDeleted = edit.pointee.state.isDeleted
    notices.note(
      Notices.Touch(
        object: object,
        start: start ?? (isDeleted ? .deleted : .live),
        row: row,
        page: page
      )
    )
  }

  /// The row of an object as it is now, kept: the committed one as long as nothing differs from it.
  ///
  /// Safe because the page that is returned holds the row.
  private func rowImage(of object: ManagedObject) -> (UnsafeRawPointer, RowPage)? {
    guard let home = object._home, let edit = object._edit, let row = object._row else {
      return nil
    }
    let layout = home.pointee.layout
    let words = UnsafeBufferPointer(
      start: EditRecord.mask(edit),
      count: EditRecord.maskWordCount(layout.slots.count)
    )
    if edit.pointee.state != .inserted, words.allSatisfy({ $0 == 0 }),
      let committed = edit.pointee.committedRow, let page = edit.pointee.committedPage
    {
      return (committed, page.takeUnretainedValue())
    }
    var builder = PageBuilder(byteCount: edit.pointee.used)
    builder.append(row, of: layout, key: object._key, version: PackedRow.version(row))
    let page = builder.seal()
    return (page.row(0), page)
  }

  /// Notes a new object.
  func noteInserted(_ object: ManagedObject) {
    guard notices.isTracking, let edit = object._edit, let home = object._home else { return }
    edit.pointee.stamp = notices.number
    let template = home.pointee.template
    notices.note(
      Notices.Touch(object: object, start: .absent, row: template.row(0), page: template)
    )
  }

  /// Notes an object that an undo has brought back.
  func noteReturned(_ object: ManagedObject) {
    notices.observation?.changed(object)
    guard object._edit?.pointee.stamp != notices.number else { return }
    noteInserted(object)
  }

  /// Notes that an object is about to leave the context, merged into another.
  func noteDiscarded(_ object: ManagedObject) {
    touch(object)
    notices.observation?.changed(object)
  }

  /// Notes that the members of owners' to-many relationship have changed.
  func noteMembers(_ toMany: Int, of entity: Int, owners first: Int64, _ second: Int64) {
    for key in [first, second] where key != 0 {
      guard let owner = homes[entity].root.pointee.map.find(key)?.takeUnretainedValue() else {
        continue
      }
      noteMembers(toMany, of: owner)
    }
  }

  /// Notes that the members of an owner's to-many relationship have changed.
  func noteMembers(_ toMany: Int, of owner: ManagedObject) {
    notices.note(owner: owner)
    notices.observation?.changed(owner, .toMany(toMany))
  }

  /// Notes that two objects have been linked or are not linked any more.
  func notePair(_ first: ManagedObject, _ second: ManagedObject, _ link: LinkLayout) {
    let entities = store.model.entities
    if let number = entities[link.first.entity].toManysByName[link.first.name] {
      noteMembers(number, of: first)
      if link.isSymmetric { noteMembers(number, of: second) }
    }
    if !link.isSymmetric, let name = link.second.name,
      let number = entities[link.second.entity].toManysByName[name]
    {
      noteMembers(number, of: second)
    }
  }

  /// Notes that an object's values were replaced by newer ones from outside: a refresh or a merge.
  ///
  /// It may run user code; inside a store's callback use `noteRefetched` instead.
  func noteRefreshed(_ object: ManagedObject) {
    guard notices.isWatching else { return }
    notices.note(refreshed: object)
    notices.observation?.changed(object)
  }

  /// Notes that a fetch has found newer values of an object; runs no user code before the event's
  /// end.
  ///
  /// Not inlined: a fetch would look at everything here for each of its pages.
  @inline(never)
  func noteRefetched(_ object: ManagedObject) {
    notices.note(refreshed: object)
    if object.has(.isObserved), object.isAlive { notices.refetched.append(object) }
  }

  /// Notes that an object was forgotten or that its row is gone.
  func noteInvalidated(_ object: ManagedObject) {
    guard notices.isWatching else { return }
    notices.note(invalidated: object)
    notices.observation?.changed(object)
  }

  /// Notes that the context is about to forget all objects; the end of the event tells it, and
  /// nothing else that happened before.
  ///
  /// - Returns: What was noted before; to be released when the context can be used again.
  func noteInvalidatedAll() -> Notices.Noted? {
    guard notices.isWatching else { return nil }
    notices.observation?.changedAll()
    guard notices.isTracking else { return nil }
    return notices.note(invalidatedAll: registeredObjects.map(\.objectID))
  }

  /// Notes that changes from outside were merged: the event that they made ends, and it is told.
  ///
  /// The members of any to-many relationship may be others than before.
  func noteMerged(_ changes: MergedChanges) {
    notices.observation?.changedToManys()
    liveResults.note { $0.note(changes, in: self) }
    endEvent()
    guard notices.listeners.wants(.didMerge) || notices.posting != .none else { return }
    tell(.didMerge(changes.objects))
  }

  // MARK: Rolling back

  /// Notes that all changes are about to be dropped.
  ///
  /// - Returns: The objects that have changes.
  func noteWillRollBack() -> [ManagedObject] {
    guard notices.isWatching else { return [] }
    let changed = changedObjects
    let dropped = changed + absorbed.map(\.loser) + membershipOwners()
    for object in changed { touch(object) }
    for object in dropped { notices.observation?.changed(object) }
    return dropped
  }

  /// Notes that changes have been dropped, and ends the event.
  func noteRolledBack(_ dropped: [ManagedObject]) {
    for object in dropped where object._home != nil {
      if object.has(.isGone) {
        notices.note(invalidated: object)
      } else {
        notices.note(refreshed: object)
      }
    }
    endEvent()
  }
}
