// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples of numbers, and of rows, that stay up to date.
@Suite("Aggregate and replica samples")
struct AggregateSampleTests {
  private func add(_ count: Int, by name: String, to context: ManagedObjectContext) throws {
    let author = Author(context: context)
    author.name = name
    for number in 0..<count {
      let commit = Commit(context: context)
      commit.sha = "\(name) \(number)"
      commit.message = "message \(number)"
      commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
      commit.author = author
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the busiest authors, counted while commits come in`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    try add(2, by: "Ada", to: context)

    let live = try context.aggregates(
      of: Commit.all,
      [.count, .max(\.date)],
      groupedBy: \.author,
      \.name
    )
    var told: [String] = []
    live.onChange = { change in
      told += change.inserted.map { "\($0.key(as: String.self) ?? "nobody"): \($0.count)" }
    }
    try add(3, by: "Joe", to: context)
    try context.save()

    #expect(told == ["Joe: 3"])
    #expect(live.groups.map(\.count) == [2, 3])
    let newest = live["Joe"]?.value(of: .max(\.date), as: Date.self)
    #expect(newest == Date(timeIntervalSinceReferenceDate: 2))
    let total = try context.aggregates(of: Commit.filter("date > \(Date.distantPast)"), [.count])
    #expect(total.value(of: .count, as: Int.self) == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `rows of a terminal, kept by the changes of a list`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    try add(2, by: "Ada", to: context)
    let results = try context.results(Commit.sorted(by: \.sha), sectionedBy: "author.name")
    var changes = results.changes.makeAsyncIterator()

    var rows = ResultsReplica()
    try rows.apply(try #require(await changes.next()))
    try add(1, by: "Joe", to: context)
    try context.save()
    let change = try #require(await changes.next())
    try rows.apply(change)

    #expect(rows.sections.map(\.name) == ["Ada", "Joe"])
    #expect(rows.objectIDs == results.fetchedObjects?.map(\.objectID))
    #expect(change.tableUpdates.insertedSections == [1])
    #expect(change.tableUpdates.insertedRows.isEmpty)
    #expect(change.events.count == 2)
    #expect(change.difference.insertions.count == 1)
    #expect(rows[IndexPath(row: 0, section: 1)] == change.after.objectIDs.last)
  }
}
