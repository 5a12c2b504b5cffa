// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Which rows may have which values under a uniqueness constraint, by the hash of the values: a value,
/// of which a copy costs little.
struct ConstraintIndex: Sendable {
  private var keys: PairTable

  /// An index of keys and hashes in any order.
  init(_ keys: [(key: Int64, hash: UInt64)] = []) {
    self.keys = PairTable(keys.map { Self.pair($0.hash, $0.key) })
  }

  mutating func insert(_ key: Int64, hash: UInt64) { keys.insert(Self.pair(hash, key)) }

  mutating func remove(_ key: Int64, hash: UInt64) { keys.remove(Self.pair(hash, key)) }

  /// Visits the keys of the rows whose values have a hash, in their order.
  ///
  /// - Parameters:
  ///   - hash: The hash.
  ///   - body: Gets a key, and says whether to go on.
  func visit(_ hash: UInt64, _ body: (Int64) -> Bool) {
    keys.visitSeconds(of: Int64(bitPattern: hash), body)
  }

  private static func pair(_ hash: UInt64, _ key: Int64) -> PairTable.Pair {
    PairTable.Pair(first: Int64(bitPattern: hash), second: key)
  }
}
