// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Merges what another context has saved, without asking the store, except for attributes that it
  /// derives from other objects.
  ///
  /// Objects of this context that the save changed take the new values. An object with changes of
  /// its own takes them for the properties that it has not changed; its changes stay, and its next
  /// save is no conflict. An object that the save deleted stays registered and readable,
  /// `isDeleted` is true and it takes no changes; one with changes keeps them, and its next save
  /// does what the merge policy says. New objects are not loaded: a fetch or a relationship brings
  /// them. Merging a save twice, or one's own save, does nothing.
  ///
  /// Core Data: `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`.
  ///
  /// - Parameter save: What the other context has saved, of the same store.
  public func mergeChanges(fromContextDidSave save: CommittedChanges) {
    guard save.contextIdentifier != identifier, save.storeIdentifier == store.identifier,
      save.model === store.model, !mail.isReceiving
    else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    // A child has its parent's rows, which the save's are not: it reads them again.
    guard parent == nil else {
      return reading(()) { () throws(PerennialError) in
        try mergeChanges(fromRemoteContextSave: save.objects)
      }
    }
    receive([save], hidingConflicts: true)
  }

  /// Reads objects again that somebody has changed, in another process for instance.
  ///
  /// Only objects that the context has are read: one query for 500. They are merged as
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
  /// - Parameter hidesConflicts: Whether properties that are edited here and were saved elsewhere
  ///   count as merged. A fetch and a save must not do that between a property's being read and its
  ///   new value's being saved: there the merge of such an object is put off, and a save in between
  ///   finds the conflict.
  func receiveMail(hidingConflicts hidesConflicts: Bool = true) {
    guard let mailbox = mail.mailbox, !mail.isReceiving,
      !mailbox.isEmpty || hidesConflicts && !mail.postponed.isEmpty
    else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    let contents = mailbox.take()
    var saves = contents.saves
    var hasMissed = contents.hasOverflown
    if hidesConflicts {
      saves = mail.postponed.saves + saves
      hasMissed = hasMissed || mail.postponed.hasOverflown
      mail.postponed = Mailbox.Contents()
    }
    guard hasMissed else { return receive(saves, hidingConflicts: hidesConflicts) }
    guard hidesConflicts || !hasChanges && merging.watched.isEmpty else {
      return mail.postponed.forget()
    }
    do throws(PerennialError) {
      try readEverythingAgain()
    } catch {
      lastFaultError = error
      mail.postponed.forget()
    }
  }

  /// Merges what was put off, now that there are no edits that it could hide.
  func receivePostponedMail() {
    if !mail.postponed.isEmpty { receiveMail() }
  }

  private func receive(_ saves: [CommittedChanges], hidingConflicts hidesConflicts: Bool) {
    guard !saves.isEmpty else { return }
    mail.isReceiving = true
    var merger = ChangeMerger(self, hidesConflicts: hidesConflicts)
    withoutUndo {
      for save in saves {
        let putOff = merger.merge(save.changes, isRepeated: save.number <= mail.lastMerged)
        mail.lastMerged = max(mail.lastMerged, save.number)
        guard !putOff.isEmpty else { continue }
        let rest = save.with(putOff)
        mail.postponed.put(rest, byteCount: rest.byteCount)
      }
    }
    merger.finish(.saves(saves))
  }

  /// Reads all objects that the context has again: too much has changed to be told one by one.
  func readEverythingAgain() throws(PerennialError) {
    relationships.loaded = [:]
    var objects: [ManagedObject] = []
    for index in homeIndexes {
      homes[index].map.visit { if isKnownAbove($0), $0._row != nil { objects.append($0) } }
    }
    try readAgain(objects, gone: [], .everything)
    settlePairs()
  }

  /// Fetches the rows of objects and merges them; objects without a row are gone.
  func readAgain(
    _ objects: [ManagedObject],
    gone: [ManagedObject],
    _ source: MergedChanges.Source
  ) throws(PerennialError) {
    var rows: [(PageRow, ManagedObject)] = []
    var missing = gone
    for (root, objects) in Dictionary(grouping: objects, by: { $0._home?.pointee.layout.root }) {
      guard let root else { continue }
      for batch in objects.batches(of: 500) {
        var found: [Int64: PageRow] = [:]
        try store.fetchRows(StoreQuery(entity: root, scope: .keys(batch.map(\._key)))) { page in
          for index in 0..<page.count {
            let row = PageRow(page: page, index: index)
            found[row.key] = row
          }
        }
        for object in batch {
          if let row = found[object._key] {
            rows.append((row, object))
          } else {
            missing.append(object)
          }
        }
      }
    }
    mail.isReceiving = true
    var merger = ChangeMerger(self, hidesConflicts: true)
    withoutUndo {
      for (row, object) in rows {
        let slots = homes[row.entity].layout.slots
        let transients = slots.indices.filter { slots[$0].isTransient }
        merger.take(row, of: object, transients, isStored: true)
      }
      for object in missing {
        guard let home = object._home else { continue }
        merger.lose([.init(key: object._key, version: 0)], home.pointee.layout.index)
      }
    }
    merger.finish(source)
  }
}
