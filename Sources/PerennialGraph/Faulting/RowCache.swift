// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// Rows that faults brought, for all contexts of a coordinator.
///
/// Rows of a save replace those that are here. What was read before a save began to be seen is not
/// taken in after it, so that a row here is never older than the last save of this process. Another
/// process's saves are not seen: optimistic locking finds them.
///
/// Two generations of whole pages: when the younger is full, the older goes.
final class RowCache: Sendable {
  /// How many bytes of pages a generation may hold.
  static let generationByteCount = 8 << 20
  /// How many rows of a save are taken in.
  private static let saveLimit = 1_000

  private struct Entry {
    let row: PageRow
    let time: ContinuousClock.Instant
  }

  private struct State {
    var young: [ObjectReference: Entry] = [:]
    var old: [ObjectReference: Entry] = [:]
    var youngByteCount = 0

    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    mutating func remove(_ key: ObjectReference) {
      young[key] = nil
      old[key] = nil
    }

    mutating func removeAll() {
      young = [:]
      old = [:]
      youngByteCount = 0
    }

    mutating func insert(_ page: RowPage, root: Int, _ time: ContinuousClock.Instant) {
      if youngByteCount + page.byteCount > RowCache.generationByteCount {
        old = young
        young = [:]
        youngByteCount = 0
      }
      youngByteCount += page.byteCount
      for index in 0..<page.count {
        let key = ObjectReference(key: PackedRow.key(page.row(index)), entity: root)
        young[key] = Entry(row: PageRow(page: page, index: index), time: time)
      }
    }
  }

  private let isEnabled: Bool
  private let state = Mutex(State())
  private let saves = Atomic<Int>(0)

  init(isEnabled: Bool) { self.isEnabled = isEnabled }

  /// Counts the saves: what was read at another count may be out of date.
  var epoch: Int { saves.load(ordering: .acquiring) }

  /// A row that is here.
  ///
  /// - Parameters:
  ///   - root: The place of the root entity.
  ///   - key: The row's key.
  ///   - age: How many seconds old it may be; negative for any age.
  /// - Returns: The row, or `nil` when the store has to be asked.
  func row(root: Int, key: Int64, age: Double) -> PageRow? {
    guard isEnabled, age != 0 else { return nil }
    let reference = ObjectReference(key: key, entity: root)
    let entry = state.withLock { $0.young[reference] ?? $0.old[reference] }
    guard let entry else { return nil }
    return age < 0 || entry.time.duration(to: .now) / .seconds(1) < age ? entry.row : nil
  }

  /// Takes rows in that were read when the count of saves was `epoch`.
  func insert(_ pages: [RowPage], root: Int, epoch: Int) {
    guard isEnabled, !pages.isEmpty else { return }
    let now = ContinuousClock.now
    state.withLock { state in
      guard self.epoch == epoch else { return }
      for page in pages where page.byteCount <= Self.generationByteCount / 4 {
        state.insert(page, root: root, now)
      }
    }
  }

  /// Forgets a row.
  func remove(root: Int, key: Int64) {
    guard isEnabled else { return }
    state.withLock { $0.remove(ObjectReference(key: key, entity: root)) }
  }

  /// Forgets every row; what is being read now is not taken in.
  func removeAll() {
    state.withLock { state in
      saves.add(1, ordering: .acquiringAndReleasing)
      state.removeAll()
    }
  }

  /// Brings the rows up to a save that has succeeded.
  func noteSave(_ changes: ChangeSet, of model: ModelLayout, _ rules: ModelRules) {
    let now = ContinuousClock.now
    state.withLock { state in
      saves.add(1, ordering: .acquiringAndReleasing)
      guard isEnabled else { return }
      for batch in changes.deletions {
        let root = model.entities[batch.entity].root
        if state.isEmpty { break }
        for row in batch.rows { state.remove(ObjectReference(key: row.key, entity: root)) }
      }
      for batch in changes.updates {
        let isComputed = rules.derivations[batch.entity]?.storeSlots.isEmpty == false
        note(batch.pages, of: model.entities[batch.entity], isComputed, &state, now)
      }
      for batch in changes.insertions {
        let isComputed = rules.derivations[batch.entity]?.storeSlots.isEmpty == false
        note(batch.pages, of: model.entities[batch.entity], isComputed, &state, now)
      }
      for derivation in changes.derivations where !state.isEmpty {
        guard !derivation.hasTargets else {
          // The store has found the rows by itself.
          state.removeAll()
          break
        }
        let root = model.entities[derivation.entity].root
        for key in derivation.owners { state.remove(ObjectReference(key: key, entity: root)) }
      }
    }
  }

  /// Takes a save's pages in if they are few and as the store has them, else forgets their rows.
  private func note(
    _ pages: [RowPage],
    of entity: EntityLayout,
    _ isComputed: Bool,
    _ state: inout State,
    _ now: ContinuousClock.Instant
  ) {
    let isExact = !isComputed && !entity.slots.contains { $0.isTransient }
    if isExact, pages.reduce(0, { $0 + $1.count }) <= Self.saveLimit {
      for page in pages { state.insert(page, root: entity.root, now) }
    } else if !state.isEmpty {
      for page in pages {
        for index in 0..<page.count {
          let key = PackedRow.key(page.row(index))
          state.remove(ObjectReference(key: key, entity: entity.root))
        }
      }
    }
  }
}
