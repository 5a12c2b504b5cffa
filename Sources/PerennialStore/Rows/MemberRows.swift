// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The members that a to-many relationship of several owners leads to: rows, owner by owner.
///
/// Invariant: the rows of a run follow each other, from page to page; the runs follow each other.
package struct MemberRows: Sendable {
  /// The rows of one owner.
  package struct Run: Sendable {
    package let owner: Int64
    /// The place of the first row: its page and its number there.
    package let page: Int
    package let row: Int
    package fileprivate(set) var count: Int
  }

  package private(set) var pages: [RowPage] = []
  /// Owners that have members, each once.
  package private(set) var runs: [Run] = []

  /// Owners below this key have all their rows here; the rest was left out for its number.
  package private(set) var end = Int64.max
  private var count = 0

  package init() {}

  /// Whether the rows of one more owner would be too many: then it and those after it are left out.
  package mutating func isFull(for owner: Int64, limit: Int) -> Bool {
    guard limit > 0, count >= limit, runs.last?.owner != owner else { return false }
    end = min(end, owner)
    return true
  }

  /// Adds a page; its rows have been noted.
  package mutating func append(_ page: RowPage) { pages.append(page) }

  /// Notes that a row of the page that is added next belongs to an owner.
  package mutating func noteRow(of owner: Int64, at row: Int) {
    count += 1
    if let last = runs.indices.last, runs[last].owner == owner {
      runs[last].count += 1
    } else {
      runs.append(Run(owner: owner, page: pages.count, row: row, count: 1))
    }
  }

  /// How many rows there are.
  package var rowCount: Int { count }

  /// Adds the rows that a store has found, with keys that say which store that is.
  ///
  /// - Parameters:
  ///   - other: The rows, with the store's own keys.
  ///   - store: The number of the store.
  ///   - moved: Makes a page with keys of all stores.
  /// - Throws: What `moved` throws.
  mutating func append(
    _ other: MemberRows,
    store: Int,
    _ moved: (RowPage) throws(PerennialError) -> RowPage
  ) throws(PerennialError) {
    var owners = other.runs.lazy.flatMap { repeatElement($0.owner, count: $0.count) }
      .makeIterator()
    for page in other.pages {
      for row in 0..<page.count {
        guard let owner = owners.next() else { break }
        noteRow(of: StoreKey.combined(owner, store: store), at: row)
      }
      append(try moved(page))
    }
    if other.end < .max { end = min(end, StoreKey.combined(other.end, store: store)) }
  }

  /// Calls a closure with every row of a run.
  package func visit(_ run: Run, _ body: (RowPage, Int) -> Void) {
    var page = run.page
    var row = run.row
    var rest = run.count
    while rest > 0, page < pages.count {
      while rest > 0, row < pages[page].count {
        body(pages[page], row)
        row += 1
        rest -= 1
      }
      page += 1
      row = 0
    }
  }
}
