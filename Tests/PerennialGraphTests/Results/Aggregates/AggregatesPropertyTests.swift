// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import RandomTesting
import Testing

/// Aggregates follow random changes of every kind; after each they are what a fetch adds up to, and what
/// the reported changes add up to.
@Suite("Aggregates: random changes against fetches")
struct AggregatesPropertyTests {
  private static func lists(_ context: ManagedObjectContext) throws -> [any CheckedList] {
    let ofAll: [any CheckedList] = [
      try AggregatedCommits(Commit.all, nil, context) { _ in nil },
      try AggregatedCommits(Commit.all, "author.name", context) { authorName($0) },
      try AggregatedCommits(Commit.all, "size", context) { $0.size },
      try AggregatedCommits(Commit.all, "kind", context) { $0.kind.rawValue },
    ]
    let ofSome: [any CheckedList] = [
      try AggregatedCommits(Commit.filter("message CONTAINS 'x'"), "message", context) {
        $0.message
      },
      try AggregatedCommits(Commit.filter("author.name BEGINSWITH 'b'"), nil, context) { _ in nil },
    ]
    // A child looks at members in memory when it has changes, and has those of above from its last fetch.
    if context.parent != nil { return ofAll + ofSome }
    let filter = Commit.filter("author.commits.@count > 2")
    return ofAll + ofSome + [try AggregatedCommits(filter, "date", context) { $0.date }]
  }

  @Test(arguments: StoreKind.allCases, PropertyRuns.seeds(usually: 10, from: 1))
  func `aggregates are what a fetch adds up to, and reports add up`(
    kind: StoreKind,
    seed: UInt64
  ) throws {
    func failure(_ steps: [ControllerPropertyTests.Step]) throws -> String? {
      try ResultsWorldRun(kind, watching: Self.lists).failure(of: steps)
    }
    let steps = ControllerPropertyTests.steps(seed: seed, count: 40)
    guard let found = try failure(steps) else { return }
    let fewer = PropertyRuns.shrink(steps) { (try? failure($0)) != .some(nil) }
    let least = try failure(fewer)
    Issue.record("seed \(seed), \(kind): \(found); \(fewer.count) steps \(fewer): \(least ?? "")")
  }
}

/// Live aggregates, and what the reported changes make of them.
private final class AggregatedCommits: CheckedList {
  private typealias Group = AggregateGroup<Commit>

  private static let aggregates: [Aggregate<Commit>] = [
    .count, .sum("size"), .average("size"), .min("size"), .max("size"), .max(\.date),
    .min(\.message), .max("author.name"),
  ]

  private let live: LiveAggregates<Commit>
  private let key: (Commit) -> (any Sendable)?
  private let mirror: Mirror

  /// What the reported changes add up to.
  private final class Mirror {
    var groups: [String: Group] = [:]
    var complaint: String?

    func apply(_ change: AggregatesChange<Commit>) {
      for group in change.deleted where groups.removeValue(forKey: text(group.key)) == nil {
        complaint = "a group is deleted that was not there"
      }
      for group in change.updated where groups.updateValue(group, forKey: text(group.key)) == nil {
        complaint = "a group is updated that was not there"
      }
      for group in change.inserted where groups.updateValue(group, forKey: text(group.key)) != nil {
        complaint = "a group is inserted that was there"
      }
      if change.groups.map({ text($0.key) }) != groups.keys.sorted() {
        complaint = "a change has other groups, or another order, than its reports"
      }
    }
  }

  init(
    _ request: FetchRequest<Commit>,
    _ groupKeyPath: String?,
    _ context: ManagedObjectContext,
    key: @escaping (Commit) -> (any Sendable)?
  ) throws {
    self.key = key
    let mirror = Mirror()
    self.mirror = mirror
    live = try context.aggregates(of: request, Self.aggregates, groupedBy: groupKeyPath)
    for group in live.groups { mirror.groups[text(group.key)] = group }
    live.onChange = { mirror.apply($0) }
  }

  func check() throws -> String? {
    if let complaint = mirror.complaint { return complaint }
    let fetched = try live.managedObjectContext.fetch(
      live.fetchRequest.prefetching("author")
    )
    // Objects of a child may be behind what has changed above; its fetches are not.
    if live.managedObjectContext.parent != nil { return try checkAnew() }
    let expected = Dictionary(grouping: fetched) { text(key($0)) }
    let keys = live.groups.map { text($0.key) }
    let wanted = live.groupKeyPath == nil ? [text(nil)] : expected.keys.sorted()
    guard keys == wanted else { return "groups \(keys), not \(wanted)" }
    for group in live.groups {
      if let wrong = check(group, expected[text(group.key)] ?? []) {
        let anew = try checkAnew().map { "; anew: \($0)" } ?? ""
        return "group \(text(group.key)): \(wrong)\(anew)"
      }
      guard mirror.groups[text(group.key)] == group else {
        return "group \(text(group.key)): nobody told of \(group.values)"
      }
    }
    return nil
  }

  private func checkAnew() throws -> String? {
    let fresh = try live.managedObjectContext.aggregates(
      of: live.fetchRequest,
      Self.aggregates,
      groupedBy: live.groupKeyPath
    )
    let texts = [live, fresh].map { $0.groups.map { "\(text($0.key)): \($0.values.map(text))" } }
    return texts[0] == texts[1] ? nil : "\(texts[0]), not \(texts[1])"
  }

  private func check(_ group: Group, _ commits: [Commit]) -> String? {
    let sizes = commits.compactMap(\.size)
    let sum = sizes.reduce(0, +)
    let expected: [(any Sendable)?] = [
      Int64(commits.count), sum, sizes.isEmpty ? nil : sum / Double(sizes.count), sizes.min(),
      sizes.max(), commits.map(\.date).max(), commits.map(\.message).min(),
      commits.compactMap(authorName).max(),
    ]
    guard group.count == commits.count else { return "count \(group.count), not \(commits.count)" }
    let texts = (group.values.map(text), expected.map(text))
    return texts.0 == texts.1 ? nil : "\(texts.0), not \(texts.1)"
  }
}

/// What the author is called; a deleted one has no name for conditions and groups.
private func authorName(_ commit: Commit) -> String? {
  commit.author.flatMap { $0.isDeleted ? nil : $0.name }
}

/// Ascending as values are; texts sort before others.
private func text(_ value: (any Sendable)?) -> String {
  switch value {
  case nil: ""
  case let date as Date: String(format: "%09.1f", date.timeIntervalSinceReferenceDate)
  case let value?: "\(value)"
  }
}
