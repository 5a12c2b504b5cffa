// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The rows of a section that have the same place in it before and after: a move of theirs would be none.
///
/// A longest increasing subsequence may leave such a row out, for example the middle one when three rows
/// are turned round. Where that happens, pinned rows come first, then the objects that did not change,
/// then the changed ones; so now and then an object moves that did not change. Pinned rows never
/// contradict each other.
struct PinnedRows {
  /// How many pinned rows there are before each place of the section.
  private var counts = [0]
  /// The objects that did not change and cannot stay beside the pinned rows.
  private(set) var displaced: [ObjectReference] = []

  /// The pinned rows of a section that both lists have.
  ///
  /// - Parameters:
  ///   - section: The section's place in the old list.
  ///   - newSection: Its place in the new list.
  ///   - pairs: The touched rows; the others follow each other in both lists in the same way.
  ///   - changed: The objects whose values may have changed.
  init(
    section: Int,
    newSection: Int,
    pairs: RowPairs,
    changed: Set<ObjectReference>
  ) {
    let targets = Self.targets(section: section, newSection: newSection, pairs)
    let newCount = pairs.new.list.sections[newSection].range.count
    for row in 0..<max(targets.count, newCount) {
      counts.append(counts[row] + (row < targets.count && targets[row] == row ? 1 : 0))
    }
    let references = pairs.old.list.references[pairs.old.list.sections[section].range]
    let unchanged = zip(references, targets).filter { $1 >= 0 && !changed.contains($0) }
    let possible = targets.indices.filter { row in
      targets[row] >= 0 && allow(from: row, to: targets[row])
        && !changed.contains(references[references.startIndex + row])
    }
    let staying = IncreasingSubsequence.longest(possible.map { targets[$0] })
    let stayingReferences = Set(staying.map { references[references.startIndex + possible[$0]] })
    displaced = unchanged.map(\.0).filter { !stayingReferences.contains($0) }
  }

  /// Whether a row that goes from one place of the section to another passes no pinned row.
  func allow(from row: Int, to newRow: Int) -> Bool { counts[row] == counts[newRow] }

  /// For each row of a section its place in the section of the new list, or -1 when it is not there.
  private static func targets(section: Int, newSection: Int, _ pairs: RowPairs) -> [Int] {
    let (old, new) = (pairs.old, pairs.new)
    let oldRange = old.list.sections[section].range
    let newRange = new.list.sections[newSection].range
    var targets = [Int](repeating: -1, count: oldRange.count)
    var touched = old.rows.indices.lazy.filter { old.sections[$0] == section }.makeIterator()
    var nextTouched = touched.next()
    var untouchedNew = untouched(newRange, new.rows).makeIterator()
    for row in oldRange {
      guard let place = nextTouched, old.rows[place] == row else {
        targets[row - oldRange.lowerBound] = untouchedNew.next() ?? -1
        continue
      }
      let partner = pairs.partners[place]
      if partner >= 0, new.sections[partner] == newSection {
        targets[row - oldRange.lowerBound] = new.rowInSection(partner)
      }
      nextTouched = touched.next()
    }
    return targets
  }

  /// The places in a section of the rows that are not touched.
  private static func untouched(_ range: Range<Int>, _ touched: [Int]) -> [Int] {
    let touched = Set(touched.lazy.filter(range.contains))
    return range.filter { !touched.contains($0) }.map { $0 - range.lowerBound }
  }
}
