// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

extension InMemoryState {
  /// What a change set does to this state, for its history.
  ///
  /// - Parameters:
  ///   - changes: The change set.
  ///   - next: The state that it makes.
  ///   - store: The store's identifier.
  ///   - recorder: What gathers it; derived attributes have been noted.
  /// - Returns: What is not there yet: nothing, if an earlier save of the set has written it.
  func draft(
    of changes: ChangeSet,
    after next: InMemoryState,
    store: UUID,
    _ recorder: HistoryRecorder
  ) -> HistoryDraft {
    record(changes, after: next, store: store, in: recorder)
    return recorder.draft { root, keys in
      let rows = keys.compactMap { next.tables[root][$0] }
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.entity) })
    }
  }

  private func record(
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
      let root = model.entities[batch.entity].root
      let keys = batch.pages.keys.filter {
        tables[root][$0]?.version != next.tables[root][$0]?.version
      }
      recorder.noteUpdate(of: batch.entity, batch.slots, keys)
      noteOld(keys, of: batch.entity, slots: batch.slots, store, in: recorder)
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
      recorder.noteOld(row, of: entity, slots: slots) { row, slot in
        PackedRow.value(row.pointer, slot, in: model.entities[row.entity]) {
          model.objectID(of: $0, owner: store)
        }
      }
    }
  }

  private func noteDroppedPairs(
    of keys: [Int64],
    _ entity: Int,
    in recorder: HistoryRecorder
  ) {
    for link in model.links {
      var dropped: Set<ChangeSet.LinkChange.Pair> = []
      for key in keys {
        if model.entities[link.first.entity].family.contains(entity) {
          dropped.formUnion(links[link.index].pairs(of: key, isFirst: true))
        }
        if model.entities[link.second.entity].family.contains(entity) {
          let pairs = links[link.index].pairs(of: key, isFirst: false)
          // A symmetric pair is noted at the object that goes.
          dropped.formUnion(link.isSymmetric ? pairs.map(\.turned) : pairs)
        }
      }
      for pair in dropped.sorted() {
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
      state.links[link.index].contains(pair)
        || link.isSymmetric && state.links[link.index].contains(pair.turned)
    }
    func isWhole(_ pair: ChangeSet.LinkChange.Pair) -> Bool {
      next.tables[model.entities[link.first.entity].root][pair.first] != nil
        && next.tables[model.entities[link.second.entity].root][pair.second] != nil
    }
    /// A symmetric pair may be named from both sides; it is noted once.
    func distinct(_ pairs: [ChangeSet.LinkChange.Pair]) -> [ChangeSet.LinkChange.Pair] {
      guard link.isSymmetric else { return pairs }
      var seen: Set<ChangeSet.LinkChange.Pair> = []
      return pairs.filter { !seen.contains($0.turned) && seen.insert($0).inserted }
    }
    for pair in distinct(change.removed) where isStored(pair, in: self) && isWhole(pair) {
      recorder.notePair(pair, of: link, isAdded: false)
      recorder.noteReordering(of: pair, link)
    }
    for pair in distinct(change.added)
    where !isStored(pair, in: self) || change.removed.contains(pair) {
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
