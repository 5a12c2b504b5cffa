// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The rows of registered objects of which no save can tell what they are now: only the store can.
struct DoubtfulRows {
  /// Their keys by root entity.
  private(set) var keys: [Int: Set<Int64>] = [:]

  var isEmpty: Bool { keys.isEmpty }

  func contains(_ key: Int64, root: Int) -> Bool {
    !keys.isEmpty && keys[root]?.contains(key) == true
  }

  mutating func insert(_ key: Int64, root: Int) { keys[root, default: []].insert(key) }
}
