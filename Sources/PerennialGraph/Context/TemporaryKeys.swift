// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Which keys the temporary keys of a context became: a value, of which a copy costs little.
///
/// A save gives successive keys to successive inserts, so that a few runs say it all; of a context that
/// is the only one to insert, one for every root entity. Others remember as many runs as `limit` says,
/// and forget the oldest: what was saved thousands of saves ago is known by its permanent key only.
struct TemporaryKeys {
  static let limit = 4_000

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

    /// The last temporary key, counted upwards.
    fileprivate var place: Int64 { count - 1 - temporary }

    /// The two runs as one; `nil` when the other does not follow.
    func joined(with next: Run) -> Run? {
      guard next.root == root, next.temporary == temporary - count, next.key == key + count else {
        return nil
      }
      var joined = self
      joined.count += next.count
      return joined
    }

    /// The key that a temporary key became.
    func key(of temporary: Int64) -> Int64? {
      guard temporary <= self.temporary, temporary > self.temporary - count else { return nil }
      return key + (self.temporary - temporary)
    }
  }

  /// The runs of a root entity by their last temporary keys, counted upwards: the latest come last.
  private struct Runs {
    private var table = SortedTable<Int64, Run>()
    private var count = 0

    /// The only run that may have a temporary key.
    func run(around temporary: Int64) -> Run? {
      var found: Run?
      table.visit(from: -temporary) { _, run in
        found = run
        return false
      }
      return found
    }

    mutating func append(_ run: Run) {
      if let earlier = self.run(around: run.temporary + 1), let joined = earlier.joined(with: run) {
        table[earlier.place] = nil
        table[joined.place] = joined
      } else {
        if !table.contains(run.place) { count += 1 }
        table[run.place] = run
        if count > TemporaryKeys.limit { forgetOldest() }
      }
    }

    private mutating func forgetOldest() {
      var oldest: [Int64] = []
      table.visit(from: .min) { place, _ in
        oldest.append(place)
        return oldest.count < count / 2
      }
      for place in oldest { table[place] = nil }
      count -= oldest.count
    }
  }

  private var roots: [Int: Runs] = [:]

  /// Notes what successive keys became, or the key of an object that was merged into another.
  mutating func append(_ run: Run) { roots[run.root, default: Runs()].append(run) }

  /// The key that a temporary key became, or `nil` when it has not been saved, or long ago.
  func key(root: Int, temporary: Int64) -> Int64? {
    roots[root]?.run(around: temporary)?.key(of: temporary)
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
