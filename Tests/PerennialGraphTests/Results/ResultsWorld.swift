// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

@testable import PerennialGraph

/// The objects of random results: sorted by section, then by a number, and cut into sections.
struct ResultsWorld {
  /// What a random test does to the objects; numbers that are too great mean another object.
  enum Step {
    case insert(section: Int, rank: Int)
    case delete(Int)
    case rank(Int, Int)
    case section(Int, Int)
    case touch(Int)
    /// Every object of one section goes to another.
    case renameSection(Int, to: Int)
    /// The sections' names sort differently, as when other objects say what they are.
    case sortSections(multiplier: Int)
    /// Another sort, which changes no object.
    case reverse
    /// What happened so far is reported.
    case report
  }

  private struct Row {
    var section: Int
    var rank: Int
  }

  private let lists: SampleLists
  private let isSectioned: Bool
  private var rows: [Int64: Row] = [:]
  private var lastKey: Int64 = 0
  private var multiplier = 1
  private var isReversed = false
  /// The objects that were inserted or changed since the last report.
  private(set) var changed: Set<ObjectReference> = []
  /// Whether ``changed`` holds every object that moves, comes or goes.
  private(set) var isExplained = true

  init(_ lists: SampleLists, isSectioned: Bool) {
    self.lists = lists
    self.isSectioned = isSectioned
  }

  /// The list as it should be now.
  func list() -> ResultsList {
    guard isSectioned else { return lists.list(ofKeys: [("", sorted(Array(rows.keys)))]) }
    let sections = Dictionary(grouping: rows.keys) { rows[$0]?.section ?? 0 }
    let order = sections.keys.sorted { place(ofSection: $0) < place(ofSection: $1) }
    return lists.list(ofKeys: order.map { ("section \($0)", sorted(sections[$0] ?? [])) })
  }

  /// Forgets what changed.
  mutating func reported() {
    changed = []
    isExplained = true
  }

  mutating func perform(_ step: Step) {
    switch step {
    case .insert(let section, let rank):
      lastKey += 1
      rows[lastKey] = Row(section: section, rank: rank)
      note(lastKey)
    case .delete(let number):
      guard let key = key(number) else { return }
      rows[key] = nil
      note(key)
    case .rank(let number, let rank): edit(number) { $0.rank = rank }
    case .section(let number, let section): edit(number) { $0.section = section }
    case .touch(let number): edit(number) { _ in }
    case .renameSection(let section, let other):
      for key in rows.keys where rows[key]?.section == section {
        rows[key]?.section = other
        note(key)
      }
    case .sortSections(let multiplier):
      self.multiplier = multiplier
      isExplained = false
    case .reverse:
      isReversed.toggle()
      isExplained = false
    case .report: break
    }
  }

  private mutating func edit(_ number: Int, _ body: (inout Row) -> Void) {
    guard let key = key(number), var row = rows[key] else { return }
    body(&row)
    rows[key] = row
    note(key)
  }

  private mutating func note(_ key: Int64) {
    changed.insert(ObjectReference(key: key, entity: 0))
  }

  private func key(_ number: Int) -> Int64? {
    let keys = rows.keys.sorted()
    return keys.isEmpty ? nil : keys[number % keys.count]
  }

  /// Different for different sections below 31.
  private func place(ofSection section: Int) -> Int { section * multiplier % 31 }

  private func sorted(_ keys: [Int64]) -> [Int64] {
    keys.sorted { left, right in
      let ranks = (rows[left]?.rank ?? 0, rows[right]?.rank ?? 0)
      let ascends = ranks.0 == ranks.1 ? left < right : ranks.0 < ranks.1
      return ascends != isReversed
    }
  }
}
