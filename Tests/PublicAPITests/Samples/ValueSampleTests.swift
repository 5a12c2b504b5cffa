// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples of fetching values instead of objects.
@Suite("Value samples")
struct ValueSampleTests {
  private func fill(_ context: ManagedObjectContext) throws {
    for (name, count) in [("Ada", 3), ("Joe", 1)] {
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
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `the busiest authors, counted by the store`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()

    let rows = try context.fetchDictionaries(
      Commit.all.fetching(
        "author.name",
        .expression(ExpressionDescription("commits", format: "count(sha)")),
        .expression(ExpressionDescription("newest", format: "max:(date)"))
      )
      .grouped(by: "author.name").having("commits > 1")
      .sorted(by: FetchSort("commits", ascending: false))
    )

    #expect(rows.map { $0["author.name"] as? String } == ["Ada"])
    #expect(rows.first?["commits"] as? Int64 == 3)
    #expect(rows.first?["newest"] as? Date == Date(timeIntervalSinceReferenceDate: 2))
  }

  @Test(arguments: StoreKind.allCases)
  func `tuples of attributes, without objects`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()

    let newest = Commit.filter { $0.author.name == "Ada" }.sorted(by: \.date, .reverse).limit(2)
    let pairs: [(String, Date)] = try context.fetch(newest, \.message, \.date)

    #expect(pairs.map(\.0) == ["message 2", "message 1"])
    #expect(try context.fetch(newest, \.sha) == ["Ada 2", "Ada 1"])
    #expect(try context.fetchObjectIDs(newest).count == 2)
  }
}
