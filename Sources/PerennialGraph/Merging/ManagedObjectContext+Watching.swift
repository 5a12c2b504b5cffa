// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Objects of which a save checks that they are stored as they were read: see `detectConflicts(for:)`.

extension ManagedObjectContext {
  /// The version that a save expects to be stored of an object with a row.
  ///
  /// A watched object may have taken newer rows since, edited or not.
  func expectedVersion(of object: ManagedObject) -> UInt32 {
    merging.watchedVersion(of: object) ?? PackedRow.version(object._loadedRow())
  }

  /// Adds the watched objects that nothing else writes: rows that get the next version and no more.
  ///
  /// The row of a fault is the stored one; that of a fault whose row is gone is refused anyway.
  func planWatched(_ plan: inout SavePlan) throws(PerennialError) {
    let watched = merging.watched.values.map(\.object).sorted { $0._key < $1._key }
    for object in watched where object._edit == nil && !object.isForwarding {
      guard let home = object._home else { continue }
      let layout = home.pointee.layout
      let query = StoreQuery(entity: layout.root, scope: .keys([object._key]))
      let stored = object._row == nil ? try store.allRows(query).first : nil
      let row = object._row ?? stored?.pointer ?? home.pointee.blank.row(0)
      var builder = PageBuilder(byteCount: 1024)
      let version = version(after: expectedVersion(of: object), raisedBy: 1)
      builder.append(row, of: layout, key: object._key, version: version)
      let page = builder.seal()
      plan.watched.append((object, PageRow(page: page, index: 0)))
      plan.changes.updates.append(.init(entity: layout.index, slots: [], pages: [page]))
    }
  }

  /// Gives the watched objects the rows of their new version.
  ///
  /// Safe because the object keeps the page of the row that it takes.
  func adoptWatched(_ plan: SavePlan) {
    for (object, row) in plan.watched
    where object._edit == nil && object._home != nil && object._row != nil {
      object._row = row.pointer
      object._page = row.page
    }
  }

  /// Makes a watched object, which has no changes, as it is stored: there is nothing to merge.
  ///
  /// Safe because the object keeps the page of the row that it takes.
  func refreshWatched(_ object: ManagedObject, _ stored: PageRow?, _ policy: MergePolicy) {
    note(object, nil, .version, policy, stored == nil ? .gone : .merged, [])
    if stored != nil, object._row == nil { return }
    if let stored, object._fits(stored.entity) {
      object._row = stored.pointer
      object._page = stored.page
      noteRefreshed(object)
      merging.touched[ObjectIdentifier(object)] = object
    } else {
      // A fault: it reads as empty.
      if object._row == nil { detach(object) }
      object._home?.forget(key: object._key, of: object)
      object._leave(self, isGone: true)
      noteInvalidated(object)
    }
  }

  /// Makes an object one whose row is gone, as the store has just said; a watched one stays here until the save that
  /// finds the conflict.
  ///
  /// Safe because the object keeps the page of the row that it takes.
  func becomeGone(_ object: ManagedObject) {
    guard merging.watchedVersion(of: object) != nil, let home = object._home else {
      return object._becomeGone()
    }
    object._row = home.pointee.blank.row(0)
    object._page = home.pointee.blank
    object.set(.isGone, true)
    noteInvalidated(object)
  }

  /// Expects of watched objects what a batch request of this context has made of them: the next version, or nothing.
  func noteWatched(_ written: some Sequence<ObjectReference>, isDeletion: Bool) {
    guard !merging.watched.isEmpty else { return }
    for reference in written {
      let known = homes[reference.entity].root.pointee.map.find(reference.key)
      guard let object = known?.takeUnretainedValue() else { continue }
      if isDeletion {
        merging.watched[ObjectIdentifier(object)] = nil
      } else {
        merging.watched[ObjectIdentifier(object)]?.version &+= 1
      }
    }
  }
}
