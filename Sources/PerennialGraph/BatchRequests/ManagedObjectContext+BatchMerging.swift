// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

// What a batch request has written comes below the edits of its context; what others have written is a conflict still.

extension ManagedObjectContext {
  /// Whether an entity has objects of which a save may find that others have written them.
  func canHideConflicts(in entity: Int) -> Bool {
    !merging.watched.isEmpty || hasChanges(in: store.model.entities[entity].root)
      || parent?.canHideConflicts(in: entity) == true
  }

  /// Reads everything again here and in the context that has the store.
  ///
  /// - Parameter written: The rows that a batch request has written.
  /// - Throws: The store's error.
  func readEverythingAgain(afterBatch written: Set<ObjectReference>) throws(PerennialError) {
    try top.readEverythingAgain(after: written)
    if self !== top { try readEverythingAgain(after: written) }
  }

  /// Merges what a batch request has saved, and, in a context that merges by itself, what others have.
  ///
  /// - Throws: The store's error.
  func merge(_ news: Mailbox.Contents, ofBatch batch: UUID) throws(PerennialError) {
    let saves = news.saves.filter { $0.contextIdentifier == batch }
    var written: Set<ObjectReference> = []
    if self !== top || !top.merging.watched.isEmpty {
      let updated = saves.flatMap(\.changes.updates).flatMap { update in
        update.pages.keys.map { ObjectReference(key: $0, entity: update.entity) }
      }
      let deleted = saves.flatMap(\.changes.deletions).flatMap { deletion in
        deletion.rows.map { ObjectReference(key: $0.key, entity: deletion.entity) }
      }
      top.noteWatched(updated, isDeletion: false)
      top.noteWatched(deleted, isDeletion: true)
      written = Set(updated)
    }
    top.receive(saves, ofBatch: batch)
    if news.hasOverflown || top.mail.hasMissed { return try readEverythingAgain(afterBatch: []) }
    if self !== top { try readEverythingAgain(after: written) }
  }

  private func receive(_ saves: [CommittedChanges], ofBatch batch: UUID) {
    guard mail.mailbox == nil else {
      return withoutUndo { receiveMail(hidingConflicts: false, batch: batch) }
    }
    guard !mail.isReceiving else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    receive(saves, hidingConflicts: false, batch: batch)
    mail.knownSaves += saves.count
  }

  /// Takes away the rows that would hide a conflict: their objects keep what they have until the next save finds it.
  ///
  /// - Parameters:
  ///   - rows: Stored rows and their objects.
  ///   - written: What the batch request has written.
  /// - Returns: Whether there were any.
  func leaveOut(
    _ rows: inout [(PageRow, ManagedObject)],
    after written: Set<ObjectReference>
  ) -> Bool {
    let count = rows.count
    rows.removeAll { row, object in
      guard wouldHideConflict(row, of: object, after: written) else { return false }
      if mail.mailbox != nil { mail.putOff.insert(row.key, root: layout(of: object).root) }
      return true
    }
    return rows.count < count
  }

  /// Whether others than the batch request have written what is edited here.
  private func wouldHideConflict(
    _ row: PageRow,
    of object: ManagedObject,
    after written: Set<ObjectReference>
  ) -> Bool {
    guard let edit = object._edit else { return false }
    guard let base = edit.pointee.committedRow.map(PackedRow.version) else { return true }
    // A family's own versions, of rows that a parent has changed, say nothing of what lies between.
    let isNext = row.version == base &+ 1 && row.version < 1 << 31
    if isNext, !object.has(.isGone), written.contains(object._reference) { return false }
    // A child's save compares the values.
    return parent == nil
      ? object.has(.isGone) || row.version != base : object.conflicts(with: row.pointer)
  }
}
