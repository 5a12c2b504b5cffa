// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Keys as runs of successive ones: few, because keys are set aside by the hundred.
package struct KeyRuns: Sendable {
  package private(set) var runs: [ClosedRange<Int64>] = []
  package private(set) var count = 0

  package init(_ keys: some Sequence<Int64> = []) {
    for key in keys { append(key) }
  }

  package mutating func append(_ key: Int64) {
    count += 1
    if let last = runs.last, last.upperBound + 1 == key {
      runs[runs.count - 1] = last.lowerBound...key
    } else {
      runs.append(key...key)
    }
  }

  package var isEmpty: Bool { count == 0 }

  /// The keys in their order.
  package var keys: some Sequence<Int64> { runs.lazy.flatMap(\.self) }

  /// The keys without some.
  package func subtracting(_ keys: Set<Int64>) -> KeyRuns {
    keys.isEmpty ? self : KeyRuns(self.keys.filter { !keys.contains($0) })
  }

  /// Those of some keys that are here.
  package func intersection(_ keys: some Sequence<Int64>) -> [Int64] {
    let sorted = runs.sorted { $0.lowerBound < $1.lowerBound }
    return keys.filter { key in
      var (low, high) = (0, sorted.count)
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle].upperBound < key { low = middle + 1 } else { high = middle }
      }
      return low < sorted.count && sorted[low].contains(key)
    }
  }
}
