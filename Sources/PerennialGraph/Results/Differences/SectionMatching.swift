// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Which sections two lists have in common.
///
/// Invariant: kept sections have the same name in both lists and stand in the same order. Of sections
/// that changed their order those are kept that hold the most rows; the others are deleted and inserted.
struct SectionMatching {
  /// For each section of the old list its place in the new one, or -1.
  private(set) var newPlaces: [Int]
  /// The sections of the old list that are not kept, ascending.
  private(set) var deleted: [Int] = []
  /// The sections of the new list that are not kept, ascending.
  private(set) var inserted: [Int] = []

  init(_ old: [ResultsList.Section], _ new: [ResultsList.Section]) {
    newPlaces = Array(repeating: -1, count: old.count)
    var head = 0
    while head < min(old.count, new.count), old[head].isNamed(new[head].name) {
      newPlaces[head] = head
      head += 1
    }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > head, newEnd > head, old[oldEnd - 1].isNamed(new[newEnd - 1].name) {
      oldEnd -= 1
      newEnd -= 1
      newPlaces[oldEnd] = newEnd
    }
    if oldEnd > head, newEnd > head { matchByName(old, head..<oldEnd, new, head..<newEnd) }

    deleted = (head..<oldEnd).filter { newPlaces[$0] < 0 }
    let kept = Set(newPlaces[head..<oldEnd])
    inserted = (head..<newEnd).filter { !kept.contains($0) }
  }

  private mutating func matchByName(
    _ old: [ResultsList.Section],
    _ oldPlaces: Range<Int>,
    _ new: [ResultsList.Section],
    _ newRange: Range<Int>
  ) {
    // As values, names are compared by their bytes.
    let named = Dictionary(
      newRange.map { (PropertyValue.string(new[$0].name), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let common = oldPlaces.compactMap { place in
      named[.string(old[place].name)].map { (old: place, new: $0) }
    }
    let staying = IncreasingSubsequence.heaviest(
      common.map { $0.new - newRange.lowerBound },
      weights: common.map { min(old[$0.old].range.count, new[$0.new].range.count) + 1 },
      below: newRange.count
    )
    for place in staying { newPlaces[common[place].old] = common[place].new }
  }
}
