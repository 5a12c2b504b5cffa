// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Puts rows into a sorted list, by looking at few of the list's own.
///
/// All rows are searched for at once, so that a round of all searches is one statement. A few rows look
/// at many places a round, many rows at one each; a row looks first where it was.
struct ResultsPlacement {
  /// How many rows of the list a round may look at, if the searches are few.
  private static let probeCount = 64

  private let base: ResultsList
  private let reader: ResultsReader
  /// Where rows were before, by their keys.
  private let places: [Int64: Int]
  /// The rows of the list that have been looked at, by their keys.
  private var known: [Int64: SortKeys] = [:]
  /// How many of the first sorts all rows that a search looks at have in common with its own.
  private var sharedSorts = 0

  /// Where in the list a row belongs: before the row of some place in this range.
  private struct Search {
    let row: SortKeys
    var range: ClosedRange<Int>
    var isDone: Bool { range.count == 1 }
  }

  init(_ base: ResultsList, _ reader: ResultsReader, places: [Int64: Int] = [:]) {
    self.base = base
    self.reader = reader
    self.places = places
  }

  /// The list with the rows in it; `nil` when a row of the list is gone, so that nothing can be said.
  ///
  /// - Complexity: A statement for each round of searches: at most the logarithm of the list's length.
  consuming func place(_ rows: [SortKeys]) throws(PerennialError) -> ResultsList? {
    guard !rows.isEmpty else { return base }
    var searches = searches(for: rows)
    var isFirst = true
    while searches.contains(where: { !$0.isDone }) {
      let probes = probes(of: searches, isFirst: isFirst)
      isFirst = false
      guard try look(at: probes.joined()) else { return nil }
      for index in searches.indices {
        for probe in probes[index] { narrow(&searches[index], at: probe) }
      }
    }
    return merge(searches)
  }

  /// The searches, each within the section of its row if there is one.
  private mutating func searches(for rows: [SortKeys]) -> [Search] {
    guard let section = reader.query.section else {
      return rows.map { Search(row: $0, range: 0...base.references.count) }
    }
    let names = Set(rows.map { PropertyValue.string($0.values[0].sectionName) })
    let ranges = ranges(of: names)
    // Other values than texts may have a name in common, as nil and the empty text have.
    let areTexts = rows.allSatisfy { row in
      if case .string(let text) = row.values[0] { !text.isEmpty } else { false }
    }
    if areTexts, ranges.count == names.count {
      sharedSorts = reader.query.store.sorts.prefix { $0.key == section.key }.count
    }
    return rows.map { row in
      let section = ranges[.string(row.values[0].sectionName)]
      return Search(
        row: row,
        range: section.map { $0.lowerBound...$0.upperBound } ?? 0...base.references.count
      )
    }
  }

  /// Where sections are, by their names, which as values are compared by their bytes.
  private func ranges(of names: Set<PropertyValue>) -> [PropertyValue: Range<Int>] {
    // Hashing the name of every section takes longer than comparing it with one.
    if names.count == 1, let name = names.first, case .string(let text) = name {
      return base.sections.first { $0.isNamed(text) }.map { [name: $0.range] } ?? [:]
    }
    var ranges: [PropertyValue: Range<Int>] = [:]
    for section in base.sections where names.contains(.string(section.name)) {
      ranges[.string(section.name)] = section.range
    }
    return ranges
  }

  /// The places to look at, for each search.
  private func probes(of searches: [Search], isFirst: Bool) -> [[Int]] {
    let open = searches.count { !$0.isDone }
    let share = max(1, Self.probeCount / open)
    return searches.map { search in
      guard !search.isDone else { return [] }
      let (low, high) = (search.range.lowerBound, search.range.upperBound)
      if isFirst, let place = places[search.row.reference.key], search.range.contains(place) {
        return [place - 1, place].filter { $0 >= low && $0 < high }
      }
      let count = high - low
      guard count > share else { return Array(low..<high) }
      return (1...share).map { low + count * $0 / (share + 1) }
    }
  }

  /// Reads the values of rows of the list.
  ///
  /// - Returns: Whether all were there.
  private mutating func look(at probes: some Sequence<Int>) throws(PerennialError) -> Bool {
    var missing: Set<Int64> = []
    for probe in probes where known[base.references[probe].key] == nil {
      missing.insert(base.references[probe].key)
    }
    let rows = try reader.rows(of: missing.sorted(), filtered: false, sortsFrom: sharedSorts)
    for row in rows { known[row.reference.key] = row }
    return rows.count == missing.count
  }

  private func narrow(_ search: inout Search, at probe: Int) {
    let (low, high) = (search.range.lowerBound, search.range.upperBound)
    guard probe >= low, probe < high, let row = known[base.references[probe].key] else { return }
    let sorts = reader.query.store.sorts
    let isBefore = SortKeys.order(search.row, row, sorts, from: sharedSorts) < 0
    search.range = isBefore ? low...probe : probe + 1...high
  }

  /// The list and the rows as one.
  private func merge(_ searches: [Search]) -> ResultsList {
    let sorts = reader.query.store.sorts
    let ordered = searches.sorted { left, right in
      left.range.lowerBound != right.range.lowerBound
        ? left.range.lowerBound < right.range.lowerBound
        : SortKeys.order(left.row, right.row, sorts) < 0
    }
    var list = ResultsList(naming: base.naming)
    list.isWithoutSections = base.isWithoutSections
    list.references.reserveCapacity(base.references.count + ordered.count)
    var section = 0
    var next = 0
    func copy(upTo end: Int) {
      list.references += base.references[next..<end]
      while next < end {
        while base.sections[section].range.upperBound <= next { section += 1 }
        let stop = min(end, base.sections[section].range.upperBound)
        list.append(stop - next, to: base.sections[section].name)
        next = stop
      }
    }
    for search in ordered {
      copy(upTo: search.range.lowerBound)
      list.references.append(search.row.reference)
      list.append(1, to: base.isWithoutSections ? "" : search.row.values[0].sectionName)
    }
    copy(upTo: base.references.count)
    return list
  }
}
