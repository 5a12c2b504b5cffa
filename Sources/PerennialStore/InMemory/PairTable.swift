// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Pairs of numbers, to be found by the first of them: a value, of which a copy costs little.
struct PairTable: Sendable {
  typealias Pair = ChangeSet.LinkChange.Pair

  private var pairs = SortedTable<Pair, Void>()

  init() {}

  /// A table of pairs in any order, each once.
  init(_ pairs: [Pair]) {
    self.pairs = SortedTable(rising: pairs.sorted().lazy.map { ($0, ()) })
  }

  /// All pairs, in their order.
  var all: [Pair] {
    var all: [Pair] = []
    pairs.visit { pair, _ in all.append(pair) }
    return all
  }

  func contains(_ pair: Pair) -> Bool { pairs.contains(pair) }

  mutating func insert(_ pair: Pair) { pairs[pair] = () }

  mutating func remove(_ pair: Pair) { pairs[pair] = nil }

  /// The second numbers of the pairs with a first one, in their order.
  func seconds(of first: Int64) -> [Int64] {
    var seconds: [Int64] = []
    visitSeconds(of: first) { second in
      seconds.append(second)
      return true
    }
    return seconds
  }

  /// Visits the partners of a key, ascending, until it is told to stop.
  func visitSeconds(of first: Int64, _ body: (Int64) -> Bool) {
    pairs.visit(from: Pair(first: first, second: .min)) { pair, _ in
      pair.first == first && body(pair.second)
    }
  }
}

/// The pairs of a link, to be found from either side: a value, of which a copy costs little.
///
/// Invariant: both tables have the same pairs.
package struct LinkTable: Sendable {
  package typealias Pair = ChangeSet.LinkChange.Pair

  private var forward = PairTable()
  private var backward = PairTable()

  init() {}

  /// A table of pairs.
  package init(_ pairs: Set<Pair>) {
    forward = PairTable(Array(pairs))
    backward = PairTable(pairs.map(\.turned))
  }

  /// All pairs, in their order.
  var pairs: [Pair] { forward.all }

  func contains(_ pair: Pair) -> Bool { forward.contains(pair) }

  mutating func insert(_ pair: Pair) {
    forward.insert(pair)
    backward.insert(pair.turned)
  }

  mutating func remove(_ pair: Pair) {
    forward.remove(pair)
    backward.remove(pair.turned)
  }

  /// The pairs with a key on one side, in their order.
  func pairs(of key: Int64, isFirst: Bool) -> [Pair] {
    isFirst
      ? forward.seconds(of: key).map { Pair(first: key, second: $0) }
      : backward.seconds(of: key).map { Pair(first: $0, second: key) }
  }

  /// The keys that are paired with one, ascending.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - side: The side that the key is on.
  ///   - isSymmetric: Whether it may be on the other side as well.
  /// - Returns: The keys.
  func partners(of key: Int64, on side: RelationshipLayout.Side, isSymmetric: Bool) -> [Int64] {
    guard isSymmetric else { return (side.isFirst ? forward : backward).seconds(of: key) }
    return Set(forward.seconds(of: key)).union(backward.seconds(of: key)).sorted()
  }
}

extension ChangeSet.LinkChange.Pair: Comparable {
  /// The pair with its sides exchanged.
  package var turned: Self { Self(first: second, second: first) }

  package static func < (left: Self, right: Self) -> Bool {
    (left.first, left.second) < (right.first, right.second)
  }
}
