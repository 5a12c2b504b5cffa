// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Merges what another context has saved.
  ///
  /// The store is asked only for attributes that this context derives from other objects, and for objects of which
  /// the save cannot tell whether they are still stored, because it has been merged before, or comes after a later
  /// save.
  ///
  /// Objects of this context that the save changed take the new values. An object with changes of its own takes them
  /// for the properties that it has not changed; its changes stay, and its next save is no conflict. An object that
  /// the save deleted stays registered and readable, its `isDeleted` is true, and it takes no changes. If it has
  /// changes, it keeps them, and its next save does what the merge policy says. New objects are not loaded: a fetch
  /// or a relationship brings them. Merging a save twice, or this context's own save, does nothing. A context that
  /// merges by itself first merges what has come in.
  ///
  /// Core Data: `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`.
  ///
  /// - Parameter save: What another context has saved to the same store.
  public func mergeChanges(fromContextDidSave save: CommittedChanges) {
    guard save.contextIdentifier != identifier, save.storeIdentifier == store.identifier,
      save.model === store.model, !mail.isReceiving
    else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    // A child has its parent's rows, which the save's are not: it reads them again.
    guard parent == nil else {
      return reading(()) { () throws(PerennialError) in
        try mergeChanges(named: save.objects, areDeletedGone: false)
      }
    }
    receiveMail()
    receive([save], hidingConflicts: true)
  }

  /// Reads objects again that somebody else has changed, for instance another process.
  ///
  /// Only objects that the context has are read, with one query for every 500. They are merged as
  /// ``mergeChanges(fromContextDidSave:)`` says. IDs of other stores are left out.
  ///
  /// Core Data: `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
  ///
  /// - Parameter changes: The IDs of what was inserted, updated, deleted and refreshed.
  /// - Throws: The store's error; then nothing is merged.
  public func mergeChanges(
    fromRemoteContextSave changes: ObjectChanges
  ) throws(PerennialError) {
    try mergeChanges(named: changes, areDeletedGone: true)
  }

  /// Reads named objects again.
  ///
  /// - Parameters:
  ///   - changes: The IDs.
  ///   - areDeletedGone: Whether the deleted objects are known to be gone; else they are read, too:
  ///     they may have been stored again since.
  /// - Throws: The store's error; then nothing is merged.
  func mergeChanges(
    named changes: ObjectChanges,
    areDeletedGone: Bool
  ) throws(PerennialError) {
    guard !mail.isReceiving else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    relationships.loaded = [:]
    coordinator.forgetRows()
    var named = changes.inserted.union(changes.updated).union(changes.refreshed)
    if !areDeletedGone { named.formUnion(changes.deleted) }
    var objects = named.compactMap { registeredObject(for: $0) }
    let gone =
      areDeletedGone ? Set(changes.deleted.compactMap { registeredObject(for: $0) }) : []
    objects.removeAll { !isKnownAbove($0) || gone.contains($0) }
    try readAgain(objects, gone: Array(gone), .named(changes))
  }

  /// Merges what has come in, in the order of the saves.
  ///
  /// A call from within waits for its turn, so that no save overtakes another.
  ///
  /// - Parameters:
  ///   - hidesConflicts: Whether properties that are edited here and were saved elsewhere
  ///     count as merged. A fetch and a save must not do that between a property's being read and its
  ///     new value's being saved: there the merge of such an object is put off, and a save in between
  ///     finds the conflict.
  ///   - batch: The context of a batch request of this one, whose saves are no conflict.
  func receiveMail(hidingConflicts hidesConflicts: Bool = true, batch: UUID? = nil) {
    guard let mailbox = mail.mailbox, !mail.isReceiving,
      !mailbox.isEmpty || hidesConflicts && mail.hasPutOff
    else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    let contents = mailbox.take()
    guard contents.hasOverflown || hidesConflicts && mail.hasMissed else {
      return receive(contents.saves, hidingConflicts: hidesConflicts, batch: batch)
    }
    mail.hasMissed = true
    guard hidesConflicts || !hasChanges else { return }
    // Before it is read: its observers may merge what comes in meanwhile.
    mail.hasMissed = false
    mail.putOff = DoubtfulRows()
    do throws(PerennialError) {
      try readEverythingAgain(passingOver: true)
    } catch {
      lastFaultError = error
      mail.hasMissed = true
    }
  }

  /// Merges what was put off, now that there are no edits that it could hide.
  func receivePostponedMail() {
    if !mail.hasPutOff { return }
    if let parent { mergePutOff(from: parent) } else { receiveMail() }
  }

  func receive(
    _ saves: [CommittedChanges],
    hidingConflicts hidesConflicts: Bool,
    batch: UUID? = nil
  ) {
    guard !saves.isEmpty || hidesConflicts && !mail.putOff.isEmpty else { return }
    mail.isReceiving = true
    var merger = ChangeMerger(self, hidesConflicts: hidesConflicts, reading: mail.putOff)
    withoutUndo {
      for save in saves {
        let last = max(mail.lastMerged, mail.lastStoredAgain)
        let isOwn = save.contextIdentifier == batch
        merger.merge(save, isRepeated: save.number <= last, isOwn: isOwn)
        mail.lastMerged = max(mail.lastMerged, save.number)
      }
      mail.putOff = merger.readDoubtful()
    }
    merger.finish(.saves(saves))
  }

  /// Reads all objects that the context has again: too much has changed to be told one by one.
  ///
  /// - Parameters:
  ///   - conflicting: Which rows are left to the next save; `nil` for none: all conflicts are hidden.
  ///   - isPassingOver: Whether objects whose rows cannot be read keep theirs, so that they do not keep the
  ///     others from being read; ``lastFaultError`` then says why.
  /// - Throws: The store's error; then nothing is merged.
  func readEverythingAgain(
    leaving conflicting: ConflictingRows? = nil,
    passingOver isPassingOver: Bool = false
  ) throws(PerennialError) {
    relationships.loaded = [:]
    var objects: [ManagedObject] = []
    for index in homeIndexes {
      homes[index].map.visit { object in
        guard isKnownAbove(object), object._row != nil || object.has(.isGone) else { return }
        objects.append(object)
      }
    }
    try readAgain(objects, gone: [], .everything, leaving: conflicting, passingOver: isPassingOver)
    settlePairs()
  }

  /// Fetches the rows of objects and merges them; objects without a row are gone.
  ///
  /// A save from before that is merged afterwards does not tell what is stored, unless it waits in the mailbox, where
  /// all that followed it do, too.
  func readAgain(
    _ objects: [ManagedObject],
    gone: [ManagedObject],
    _ source: MergedChanges.Source,
    leaving conflicting: ConflictingRows? = nil,
    passingOver isPassingOver: Bool = false
  ) throws(PerennialError) {
    let number = coordinator.saveNumber
    let hasNoMail = mail.mailbox?.isEmpty != false
    var rows: [(PageRow, ManagedObject)] = []
    var missing = gone
    var failure: PerennialError?
    for (root, objects) in Dictionary(grouping: objects, by: { $0._home?.pointee.layout.root }) {
      guard let root else { continue }
      let stored = try storedRows(of: objects, root: root, passingOver: isPassingOver)
      rows += stored.rows
      missing += stored.missing
      failure = failure ?? stored.failure
    }
    if let failure {
      // Then it is not about some rows.
      if rows.isEmpty, missing.isEmpty { throw failure }
      lastFaultError = failure
    }
    if hasNoMail { mail.lastMerged = max(mail.lastMerged, number) }
    let hasLeftOut = conflicting.map { leaveOut(&rows, $0) } == true
    if case .everything = source, failure == nil {
      // What is left out has been put off.
      mail.hasMissed = false
      if !hasLeftOut { noteAllRead(at: number) }
    }
    mail.isReceiving = true
    var merger = ChangeMerger(self, hidesConflicts: true)
    withoutUndo { merger.take(rows, missing: missing) }
    merger.finish(source)
  }

  /// Fetches the rows of objects of one root entity: one query for 500.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - root: Their root entity.
  ///   - isPassingOver: Whether rows that cannot be read are passed over.
  /// - Returns: The rows with their objects, the objects that have none, and why some could not be read.
  /// - Throws: The store's error; one that passes in any case.
  func storedRows(
    of objects: [ManagedObject],
    root: Int,
    passingOver isPassingOver: Bool = false
  ) throws(PerennialError) -> StoredRows {
    var result = StoredRows()
    var unread = UnreadRows()
    for batch in objects.batches(of: 500) {
      var found: [Int64: PageRow] = [:]
      let keys = batch.map(\._key)
      do throws(PerennialError) {
        try readRows(keys[...], root, into: &found)
      } catch {
        guard isPassingOver else { throw error }
        try unread.note(keys[...], error) { keys throws(PerennialError) in
          try readRows(keys, root, into: &found)
        }
      }
      for object in batch {
        if let row = found[object._key] {
          result.rows.append((row, object))
        } else if !unread.keys.contains(object._key) {
          result.missing.append(object)
        }
      }
    }
    result.failure = unread.failure
    return result
  }

  /// Reads the rows of keys.
  func readRows(
    _ keys: ArraySlice<Int64>,
    _ root: Int,
    into found: inout [Int64: PageRow]
  ) throws(PerennialError) {
    try store.fetchRows(StoreQuery(entity: root, scope: .keys(Array(keys)))) { page in
      for index in 0..<page.count {
        let row = PageRow(page: page, index: index)
        found[row.key] = row
      }
    }
  }
}

/// What a store has of some objects.
struct StoredRows {
  /// The rows with their objects.
  var rows: [(PageRow, ManagedObject)] = []
  /// The objects that have none.
  var missing: [ManagedObject] = []
  /// Why the rows of the others could not be read.
  var failure: PerennialError?
}

/// The rows that a store cannot read.
private struct UnreadRows {
  /// So many are searched for; more would cost too many queries.
  private static let limit = 100

  private(set) var keys: Set<Int64> = []
  private(set) var failure: PerennialError?

  /// Finds those of rows that could not be read together: half of them is read, and the other half.
  ///
  /// - Parameters:
  ///   - rows: The keys.
  ///   - error: The store's error.
  ///   - read: Reads rows by key.
  /// - Throws: An error that passes.
  mutating func note(
    _ rows: ArraySlice<Int64>,
    _ error: PerennialError,
    _ read: (ArraySlice<Int64>) throws(PerennialError) -> Void
  ) throws(PerennialError) {
    if error.passes { throw error }
    failure = error
    guard rows.count > 1, keys.count < Self.limit else { return keys.formUnion(rows) }
    let middle = rows.startIndex + rows.count / 2
    for half in [rows[..<middle], rows[middle...]] {
      do throws(PerennialError) {
        try read(half)
      } catch {
        try note(half, error, read)
      }
    }
  }
}
