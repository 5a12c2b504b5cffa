// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Unchanged objects whose version a save checks: see `detectConflicts(for:)`.

extension ManagedObjectContext {
  /// Adds the watched objects that nothing else writes: rows that get the next version and no more.
  func planWatched(_ plan: inout SavePlan) {
    for object in merging.watched.values.sorted(by: { $0._key < $1._key }) {
      guard object._edit == nil, let row = object._row else { continue }
      let layout = layout(of: object)
      var builder = PageBuilder(byteCount: 1024)
      let version = version(after: PackedRow.version(row), raisedBy: 1)
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
    for (object, row) in plan.watched where object._edit == nil && object._home != nil {
      object._row = row.pointer
      object._page = row.page
    }
  }

  /// Makes a watched object, which has no changes, as it is stored: there is nothing to merge.
  ///
  /// It is not watched any more.
  ///
  /// Safe because the object keeps the page of the row that it takes.
  func refreshWatched(_ object: ManagedObject, _ stored: PageRow?, _ policy: MergePolicy) {
    merging.watched[ObjectIdentifier(object)] = nil
    note(object, nil, .version, policy, stored == nil ? .gone : .merged, [])
    if let stored, object._fits(stored.entity) {
      object._row = stored.pointer
      object._page = stored.page
      noteRefreshed(object)
      merging.touched[ObjectIdentifier(object)] = object
    } else {
      object._home?.forget(key: object._key, of: object)
      object._leave(self, isGone: true)
      noteInvalidated(object)
    }
  }
}
