// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Which rows may have which values under a uniqueness constraint, by the hash of the values: a value.
///
/// A copy shares its buckets; a change copies the one that it falls into. So a save of a few rows costs
/// the same in a store of a hundred rows and in one of a hundred thousand.
struct ConstraintIndex: Sendable {
  private struct Entry {
    let hash: UInt64
    let key: Int64
  }

  private static let bucketCount = 1024

  private var buckets: [[Entry]] = Array(repeating: [], count: bucketCount)

  private static func bucket(_ hash: UInt64) -> Int { Int((hash ^ hash >> 32) % 1024) }

  mutating func insert(_ key: Int64, hash: UInt64) {
    buckets[Self.bucket(hash)].append(Entry(hash: hash, key: key))
  }

  mutating func remove(_ key: Int64, hash: UInt64) {
    let bucket = Self.bucket(hash)
    guard
      let index = buckets[bucket].firstIndex(where: { $0.hash == hash && $0.key == key })
    else { return }
    buckets[bucket].swapAt(index, buckets[bucket].count - 1)
    buckets[bucket].removeLast()
  }

  /// The keys of the rows whose values have a hash, in their order.
  func keys(_ hash: UInt64) -> [Int64] {
    buckets[Self.bucket(hash)].lazy.filter { $0.hash == hash }.map(\.key).sorted()
  }
}
