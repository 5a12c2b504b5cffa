// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Which keys the temporary keys of a context became.
///
/// A save gives successive keys to successive inserts, so that a few runs say it all.
struct TemporaryKeys {
  /// Successive temporary keys, downwards, that became successive keys, upwards.
  struct Run {
    /// The place of the root entity.
    let root: Int
    let temporary: Int64
    let key: Int64
    private(set) var count: Int64 = 1

    init(root: Int, temporary: Int64, key: Int64) {
      self.root = root
      self.temporary = temporary
      self.key = key
    }

    /// Takes a pair that follows; `false` when it does not.
    mutating func extend(root: Int, temporary: Int64, key: Int64) -> Bool {
      guard root == self.root, temporary == self.temporary - count, key == self.key + count else {
        return false
      }
      count += 1
      return true
    }

    /// The key that a temporary key became.
    func key(root: Int, temporary: Int64) -> Int64? {
      guard root == self.root, temporary <= self.temporary, temporary > self.temporary - count
      else { return nil }
      return key + (self.temporary - temporary)
    }
  }

  private var runs: [Run] = []
  private var merged: [Int: [Int64: Int64]] = [:]

  mutating func append(_ run: Run) { runs.append(run) }

  /// Notes that the object of a temporary key was merged into that of a key.
  mutating func merge(root: Int, temporary: Int64, key: Int64) {
    merged[root, default: [:]][temporary] = key
  }

  /// The key that a temporary key became, or `nil` when it has not been saved.
  func key(root: Int, temporary: Int64) -> Int64? {
    for run in runs {
      if let key = run.key(root: root, temporary: temporary) { return key }
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
