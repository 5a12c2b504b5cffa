// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

extension InMemoryState {
  /// Notes what a change set does to this state.
  ///
  /// - Parameters:
  ///   - changes: The change set.
  ///   - next: The state that it makes.
  ///   - store: The store's identifier.
  ///   - recorder: What is told.
  func record(
    _ changes: ChangeSet,
    after next: InMemoryState,
    store: UUID,
    in recorder: HistoryRecorder
  ) {
    for batch in changes.insertions {
      let table = tables[model.entities[batch.entity].root]
      recorder.noteInsertion(of: batch.entity, batch.pages.keys.filter { table[$0] == nil })
    }
    for batch in changes.updates {
      recorder.noteUpdate(of: batch.entity, batch.slots, batch.pages.keys)
      noteOld(batch.pages.keys, of: batch.entity, slots: batch.slots, store, in: recorder)
    }
    for batch in changes.deletions {
      let table = tables[model.entities[batch.entity].root]
      let keys = batch.rows.map(\.key).filter { table[$0] != nil }
      for key in keys { recorder.noteDeletion(of: batch.entity, key) }
      noteOld(keys, of: batch.entity, slots: nil, store, in: recorder)
      recorder.noteReorderings(ofDeleted: keys, batch.entity)
      noteDroppedPairs(of: keys, batch.entity, in: recorder)
    }
    for change in changes.links { record(change, after: next, in: recorder) }
    for change in changes.orders {
      let kept = Set(change.members)
      let old = order(of: change.relationship, owner: change.owner).filter(kept.contains)
      if old != change.members {
        recorder.noteOrder(of: change.relationship, owner: change.owner)
      }
      recorder.noteReordering(of: change.relationship, owner: change.owner)
    }
    recorder.keepOrders { members(of: $0, owner: $1).map(\.key) }
  }

  private func noteOld(
    _ keys: some Sequence<Int64>,
    of entity: Int,
    slots: [Int]?,
    _ store: UUID,
    in recorder: HistoryRecorder
  ) {
    let layout = model.entities[entity]
    guard recorder.keepsOldValues || slots == nil && !layout.preservedSlots.isEmpty else { return }
    for key in keys {
      guard let row = tables[layout.root][key] else { continue }
      recorder.noteOld(row, slots: slots) { row, slot in
        PackedRow.value(row.pointer, slot, in: model.entities[row.entity], of: model) {
          ManagedObjectID(entityName: $0, owner: store, key: $1)
        }
      }
    }
  }

  private func noteDroppedPairs(
    of keys: [Int64],
    _ entity: Int,
    in recorder: HistoryRecorder
  ) {
    let keys = Set(keys)
    for link in model.links {
      let isFirst = model.entities[link.first.entity].family.contains(entity)
      let isSecond = model.entities[link.second.entity].family.contains(entity)
      for pair in pairs[link.index].sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) })
      where isFirst && keys.contains(pair.first) || isSecond && keys.contains(pair.second) {
        recorder.notePair(pair, of: link, isAdded: false)
        recorder.noteReordering(of: pair, link)
      }
    }
  }

  private func record(
    _ change: ChangeSet.LinkChange,
    after next: InMemoryState,
    in recorder: HistoryRecorder
  ) {
    let link = model.links[change.link]
    func isStored(_ pair: ChangeSet.LinkChange.Pair, in state: InMemoryState) -> Bool {
      state.pairs[link.index].contains(pair)
        || link.isSymmetric
          && state.pairs[link.index].contains(.init(first: pair.second, second: pair.first))
    }
    func isWhole(_ pair: ChangeSet.LinkChange.Pair) -> Bool {
      next.tables[model.entities[link.first.entity].root][pair.first] != nil
        && next.tables[model.entities[link.second.entity].root][pair.second] != nil
    }
    for pair in change.removed where isStored(pair, in: self) && isWhole(pair) {
      recorder.notePair(pair, of: link, isAdded: false)
      recorder.noteReordering(of: pair, link)
    }
    for pair in change.added where !isStored(pair, in: self) || change.removed.contains(pair) {
      recorder.notePair(pair, of: link, isAdded: true)
    }
  }
}

extension [RowPage] {
  /// The keys of all rows.
  package var keys: some Sequence<Int64> {
    lazy.flatMap { page in (0..<page.count).lazy.map { PackedRow.key(page.row($0)) } }
  }
}
