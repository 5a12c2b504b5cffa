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

  @Test(arguments: StoreKind.allCases)
  func `tuples of enums, Codable values and composites`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Values",
      entities: Ticket.self,
      Contact.self,
      Firm.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    for number in 1...2 {
      let ticket = Ticket(context: context)
      (ticket.repository, ticket.number, ticket.date) = ("r", number, .distantPast)
      guard number == 2 else { continue }
      (ticket.priority, ticket.label) = (.high, .bug)
      (ticket.place, ticket.tags) = (Place(file: "a", line: 1), ["x", "y"])
    }
    let contact = Contact(context: context)
    (contact.name, contact.address) = ("Ada", Address(city: "Bonn"))
    try context.save()

    let tickets = Ticket.sorted(by: \.number)
    let values = try context.fetch(tickets, \.number, \.priority, \.label, \.place, \.tags)
    #expect(values.map(\.0) == [1, 2])
    #expect(values.map(\.1) == [.normal, .high])
    #expect(values.map(\.2) == [nil, .bug])
    #expect(values.map(\.3) == [nil, Place(file: "a", line: 1)])
    #expect(values.map(\.4) == [[], ["x", "y"]])
    let priorities: [Priority] = try context.fetch(tickets, \.priority)
    #expect(priorities == [.normal, .high])
    let people = try context.fetch(Contact.all, \.name, \.address)
    #expect(people.map(\.0) == ["Ada"] && people.map(\.1) == [Address(city: "Bonn")])

    #expect(throws: PerennialError.self) { try context.fetch(tickets, \.key) }
    #expect(throws: PerennialError.self) { try context.fetch(tickets, \.isSelected, \.label) }
  }
}
