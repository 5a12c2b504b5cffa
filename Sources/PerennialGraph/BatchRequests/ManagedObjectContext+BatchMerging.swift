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

  /// Reads everything again in the context that has the store, and in those from there down to this one.
  ///
  /// - Parameter written: The slots of rows that a batch request has written.
  /// - Throws: The store's error.
  func readFamilyAgain(
    afterBatch written: [ObjectReference: Set<Int>]
  ) throws(PerennialError) {
    try top.readEverythingAgain(leaving: .ofOthers(than: written))
    try readAgainBelowTop(afterBatch: written)
  }

  /// Reads everything again in the contexts below the one that has the store, down to this one: each from the one above.
  private func readAgainBelowTop(
    afterBatch written: [ObjectReference: Set<Int>]
  ) throws(PerennialError) {
    for context in ([self] + contextsAbove(upTo: top)).reversed() where context !== top {
      try context.readEverythingAgain(leaving: .ofOthers(than: written))
    }
  }

  /// Merges what a batch request has saved, and, in a context that merges by itself, what others have.
  ///
  /// - Throws: The store's error.
  func merge(_ saves: [CommittedChanges], ofBatch batch: UUID) throws(PerennialError) {
    var written: [ObjectReference: Set<Int>] = [:]
    for update in saves.flatMap(\.changes.updates) {
      let rows = update.pages.keys.lazy.map { ObjectReference(key: $0, entity: update.entity) }
      note(rows, written: update.slots, in: &written)
      top.noteWatched(rows, isDeletion: false)
    }
    for deletion in saves.flatMap(\.changes.deletions) {
      let rows = deletion.rows.lazy.map { ObjectReference(key: $0.key, entity: deletion.entity) }
      top.noteWatched(rows, isDeletion: true)
    }
    try hidingNoConflict { () throws(PerennialError) in
      top.receive(saves, ofBatch: batch)
      if top.mail.hasMissed { return try readFamilyAgain(afterBatch: written) }
      try readAgainBelowTop(afterBatch: written)
    }
  }

  /// Notes what a batch request has written in rows, for the objects that have edits here or where the store is.
  func note(
    _ rows: some Sequence<ObjectReference>,
    written slots: [Int],
    in written: inout [ObjectReference: Set<Int>]
  ) {
    let slots = Set(slots)
    for row in rows where known(row)?._edit != nil || top.known(row)?._edit != nil {
      written[row, default: []].formUnion(slots)
    }
  }

  /// Runs a closure that merges what a batch request of this context has written: what a context above merges with it
  /// hides no conflict here.
  func hidingNoConflict<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    let hidesNoConflict = family.hidesNoConflict
    family.hidesNoConflict = true
    defer { family.hidesNoConflict = hidesNoConflict }
    return try body()
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
}
