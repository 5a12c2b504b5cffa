// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Which keys the temporary keys of one root entity became.
///
/// A save gives successive keys to successive inserts, so that a few runs say it all.
struct TemporaryKeys {
  struct Run {
    /// The first, and largest, temporary key of the run.
    let temporary: Int64
    let key: Int64
    var count: Int64
  }

  /// Runs by root entity, in the order of saving.
  private var runs: [Int: [Run]] = [:]
  private var merged: [Int: [Int64: Int64]] = [:]

  /// Notes that a temporary key has become a key.
  mutating func record(root: Int, temporary: Int64, key: Int64) {
    if let last = runs[root]?.indices.last, let run = runs[root]?[last],
      run.temporary - run.count == temporary, run.key + run.count == key
    {
      runs[root]?[last].count += 1
    } else {
      runs[root, default: []].append(Run(temporary: temporary, key: key, count: 1))
    }
  }

  /// Notes that the object of a temporary key was merged into that of a key.
  mutating func merge(root: Int, temporary: Int64, key: Int64) {
    merged[root, default: [:]][temporary] = key
  }

  /// The key that a temporary key became, or `nil` when it has not been saved.
  func key(root: Int, temporary: Int64) -> Int64? {
    for run in runs[root] ?? []
    where temporary <= run.temporary && temporary > run.temporary - run.count {
      return run.key + (run.temporary - temporary)
    }
    return merged[root]?[temporary]
  }
}

/// The temporary keys of the contexts that saved last.
struct SavedTemporaryKeys {
  private static let limit = 1_000

  private var contexts: [UUID: TemporaryKeys] = [:]
  private var order: [UUID] = []

  mutating func publish(_ keys: TemporaryKeys, of context: UUID) {
    if contexts.updateValue(keys, forKey: context) == nil { order.append(context) }
    if order.count > Self.limit { contexts[order.removeFirst()] = nil }
  }

  func key(of id: ManagedObjectID, root: Int) -> Int64? {
    contexts[id.owner]?.key(root: root, temporary: id.key)
  }
}
