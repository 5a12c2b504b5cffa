// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Computes what turns one list of results into another.
///
/// In each section that both lists have, the objects that did not change stay, and as many of the changed
/// ones as possible: a longest increasing subsequence. Changed objects that stay are updates, the others
/// moves; an object that is in another section is a move. So nobody moves only because others do, and no
/// move has equal places in a section that stayed (see ``PinnedRows``).
///
/// Lists may differ in ways that `changed` does not explain (a fetch with another sort): objects then
/// come, go and move that are not in it, but only changed ones are updates.
struct ResultsDifference {
  private let old: ResultsList
  private let new: ResultsList
  private let changed: Set<ObjectReference>
  private let sections: SectionMatching

  /// The change from one list to another.
  ///
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list after; references mean the same objects as in the list before.
  ///   - changed: The objects whose values may have changed; others than those of the lists do not
  ///     matter.
  /// - Returns: What is reported; nothing when both lists are the same and no object of them changed.
  /// - Complexity: Both lists are read once when only changed objects come, go and move; the rest is
  ///   O(n log n) in the number of changed objects. Otherwise O(n log n) in the lists' length.
  static func change(
    from old: ResultsList,
    to new: ResultsList,
    changed: Set<ObjectReference>
  ) -> ResultsChange {
    let difference = ResultsDifference(
      old: old,
      new: new,
      changed: changed,
      sections: SectionMatching(old.sections, new.sections)
    )
    var pairs = RowPairs(difference.touchedRows(), old, new)
    let stays = difference.stayingRows(&pairs)
    return difference.change(pairs, stays: stays)
  }

  private func change(_ pairs: RowPairs, stays: [Bool]) -> ResultsChange {
    var change = ResultsChange(before: ResultsSnapshot(old), after: ResultsSnapshot(new))
    change.deletedSectionPlaces = sections.deleted.reversed()
    change.insertedSectionPlaces = sections.inserted
    var isSurvivor = [Bool](repeating: false, count: pairs.new.rows.count)
    for (place, partner) in pairs.partners.enumerated() {
      guard partner >= 0 else {
        change.deletions.append(pairs.old.path(place))
        continue
      }
      isSurvivor[partner] = true
      let paths = ResultsChange.RowChange(
        from: pairs.old.path(place),
        to: pairs.new.path(partner)
      )
      if !stays[place] {
        change.moves.append(paths)
      } else if changed.contains(pairs.old.reference(place)) {
        change.updates.append(paths)
      }
    }
    change.deletions.reverse()
    change.insertions = isSurvivor.indices.filter { !isSurvivor[$0] }.map(pairs.new.path)
    return change
  }
}

// Who stays.
extension ResultsDifference {
  /// Which touched rows of the old list stay in their place among the others.
  ///
  /// More rows are touched when others have to move for pinned ones.
  private func stayingRows(_ pairs: inout RowPairs) -> [Bool] {
    let stays = stayingRows(pairs, [:])
    var pinned: [Int: PinnedRows] = [:]
    for place in pairs.partners.indices where !stays[place] && isPinned(place, pairs) {
      let section = pairs.old.sections[place]
      guard pinned[section] == nil else { continue }
      pinned[section] = PinnedRows(
        section: section,
        newSection: sections.newPlaces[section],
        pairs: pairs,
        changed: changed
      )
    }
    if pinned.isEmpty { return stays }
    let displaced = pinned.values.flatMap(\.displaced)
    if let rows = TouchedRows(pairs.references.union(displaced), old: old, new: new) {
      pairs = RowPairs(rows, old, new)
    }
    return stayingRows(pairs, pinned)
  }

  /// The same with rows that must stay, by section of the old list.
  private func stayingRows(_ pairs: RowPairs, _ pinned: [Int: PinnedRows]) -> [Bool] {
    let candidates = pairs.partners.indices.filter { place in
      guard isInItsSection(place, pairs), pairs.isBetweenTheSameRows(place) else { return false }
      if pinned.isEmpty { return true }
      return pinned[pairs.old.sections[place]]?.allow(
        from: pairs.old.rowInSection(place),
        to: pairs.new.rowInSection(pairs.partners[place])
      ) ?? true
    }
    var stays = [Bool](repeating: false, count: pairs.partners.count)
    for place in IncreasingSubsequence.longest(candidates.map { pairs.partners[$0] }) {
      stays[candidates[place]] = true
    }
    return stays
  }

  private func isInItsSection(_ place: Int, _ pairs: RowPairs) -> Bool {
    let partner = pairs.partners[place]
    return partner >= 0
      && sections.newPlaces[pairs.old.sections[place]] == pairs.new.sections[partner]
  }

  private func isPinned(_ place: Int, _ pairs: RowPairs) -> Bool {
    isInItsSection(place, pairs)
      && pairs.old.rowInSection(place) == pairs.new.rowInSection(pairs.partners[place])
  }
}

// Who is touched.
extension ResultsDifference {
  /// The rows that may have moved, come or gone; the others stay in their sections.
  private func touchedRows() -> TouchedRows {
    if let rows = TouchedRows(changed, old: old, new: new), areOthersInTheirSections(rows) {
      return rows
    }
    return TouchedRows(changed.union(displaced()), old: old, new: new)
      ?? TouchedRows(allOf: old, new)
  }

  private func areOthersInTheirSections(_ rows: TouchedRows) -> Bool {
    let before = Self.otherCounts(rows.old, in: old)
    let after = Self.otherCounts(rows.new, in: new)
    return zip(before, sections.newPlaces).allSatisfy { count, place in
      place < 0 ? count == 0 : count == after[place]
    }
  }

  /// How many rows of each section are not among some rows.
  private static func otherCounts(_ rows: [Int], in list: ResultsList) -> [Int] {
    var counts = list.sections.map { $0.range.count }
    for section in list.sectionPlaces(ofRows: rows) { counts[section] -= 1 }
    return counts
  }

  /// The objects that came, went or moved without having changed, and changed ones.
  private func displaced() -> Set<ObjectReference> {
    let oldSections = old.sectionPlaces(ofRows: old.references.indices)
    let newSections = new.sectionPlaces(ofRows: new.references.indices)
    var newRows: [ObjectReference: Int] = [:]
    newRows.reserveCapacity(new.references.count)
    for (row, reference) in new.references.enumerated() { newRows[reference] = row }

    var candidates: [ObjectReference] = []
    var targets: [Int] = []
    for (row, reference) in old.references.enumerated() where !changed.contains(reference) {
      guard let newRow = newRows[reference],
        sections.newPlaces[oldSections[row]] == newSections[newRow]
      else { continue }
      candidates.append(reference)
      targets.append(newRow)
    }
    var displaced = Set(old.references).union(new.references)
    for place in IncreasingSubsequence.longest(targets) { displaced.remove(candidates[place]) }
    return displaced
  }
}
