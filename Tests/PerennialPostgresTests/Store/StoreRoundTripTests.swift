// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

/// How often somebody waits for the server: a network costs a millisecond each time.
@Suite("Round trips to PostgreSQL", .needsServer)
struct StoreRoundTripTests {
  private let place: StorePlace
  private let container: PersistentContainer

  init() throws {
    place = try StorePlace()
    container = try place.container()
  }

  /// How many round trips a closure makes.
  private func trips(
    _ container: PersistentContainer? = nil,
    _ body: () throws -> Void
  ) throws -> Int {
    let container = container ?? self.container
    let before = container.counters
    try body()
    return (container.counters - before).roundTrips
  }

  /// A context with so many counters that are to be saved.
  private func context(_ count: Int, on shelves: Int = 0) -> ManagedObjectContext {
    let context = container.newBackgroundContext()
    let places = (0..<shelves).map { number in
      let shelf = TallyShelf(context: context)
      shelf.room = "\(number)"
      return shelf
    }
    for number in 0..<count {
      let tally = Tally(context: context)
      tally.name = "\(number)"
      if shelves > 0 { tally.shelf = places[number % shelves] }
    }
    return context
  }

  @Test func `opening a store that is there, and one that is not`() throws {
    let location = try PostgresLocation(place.url())
    let model = container.managedObjectModel.layout
    let there = try PostgresStore(location, model: model)
    // Two to connect are not counted: tables, metadata, columns, entities, indexes, two that tidy, the clock.
    #expect(there.counters.roundTrips == 8)
    let reading = try PostgresStore(location, model: model, isReadOnly: true)
    #expect(reading.counters.roundTrips == 5)
    let new = try PostgresStore(PostgresLocation(StorePlace().url()), model: model)
    // The tables, all in one.
    #expect(new.counters.roundTrips == 9)
  }

  @Test func `reading is one`() throws {
    try context(1_000).save()
    let context = container.newBackgroundContext()
    do {
      let made = try trips { _ = try context.count(for: Tally.all) }
      #expect(made == 1)
    }
    do {
      let made = try trips { _ = try context.fetch(Tally.all).map(\.count) }
      #expect(made == 1)
    }
    do {
      let made = try trips { _ = try context.first(Tally.filter("name == '7'")) }
      #expect(made == 1)
    }
  }

  @Test func `a list of 100 objects with their to-ones is two`() throws {
    try context(100, on: 100).save()
    let context = container.newBackgroundContext()
    let prefetched = try trips {
      let rooms = try context.fetch(Tally.all.prefetching(\.shelf)).map(\.shelf?.room)
      #expect(Set(rooms).count == 100)
    }
    #expect(prefetched == 2)
    // Siblings are loaded together also when nobody has asked for it.
    let other = try place.container()
    let lazy = other.newBackgroundContext()
    let unasked = try trips(other) {
      let rooms = try lazy.fetch(Tally.all).map(\.shelf?.room)
      #expect(Set(rooms).count == 100)
    }
    #expect(unasked == 2)
  }

  @Test(arguments: [1, 1_000])
  func `a save of new objects is one, and one more for keys now and then`(count: Int) throws {
    let first = context(count)
    // Keys are set aside, 256 at least.
    do {
      let made = try trips { try first.save() }
      #expect(made == 2)
    }
    let shelf = TallyShelf(context: first)
    shelf.room = "x"
    do {
      let made = try trips { try first.save() }
      #expect(made == 2)
    }
    for number in 0..<100 { TallyShelf(context: first).room = "\(number)" }
    do {
      let made = try trips { try first.save() }
      #expect(made == 1)
    }
  }

  @Test(arguments: [1, 1_000, 5_000])
  func `a save of changed objects is one`(count: Int) throws {
    let context = context(count)
    try context.save()
    for tally in try context.fetch(Tally.all) { tally.count += 1 }
    do {
      let made = try trips { try context.save() }
      #expect(made == 1)
    }
    #expect(try container.count(of: "0") == 1)
  }

  @Test func `a save of deleted objects is two, with the pairs of their links`() throws {
    let context = context(100)
    let label = TallyLabel(context: context)
    label.text = "all"
    let tallies = try context.fetch(Tally.all)
    for tally in tallies { label.tallies.insert(tally) }
    try context.save()
    // Rules that say what else is deleted have been followed before, by reading the pairs.
    for tally in tallies { context.delete(tally) }
    try context.processPendingChanges()
    do {
      let made = try trips { try context.save() }
      #expect(made == 2)
    }
    #expect(try place.number("SELECT count(*) FROM ztally") == 0)
  }

  @Test func `a save with an order is three, and one to read the members`() throws {
    let context = context(10, on: 1)
    try context.save()
    let shelf = try #require(try context.first(TallyShelf.all))
    let first = try #require(shelf.tallies.sorted { $0.name < $1.name }.first)
    shelf.tallies.remove(first)
    shelf.tallies.append(first)
    try context.processPendingChanges()
    do {
      let made = try trips { try context.save() }
      #expect(made == 4)
    }
    let other = container.newBackgroundContext()
    let again = try #require(try other.first(TallyShelf.all))
    #expect(again.tallies.last?.name == first.name)
  }

  @Test func `a batch update is two, and a deletion five, however many rows it has`() throws {
    try context(1_000).save()
    let context = container.newBackgroundContext()
    var update = BatchUpdateRequest(Tally.self, where: "count == 0")
    update.set(\Tally.count, to: 7)
    var count = 0
    do {
      let made = try trips { count = try context.execute(update).count }
      #expect(made == 2)
    }
    #expect(count == 1_000)
    // Objects with relationships are deleted as contexts do: the rows, and their labels 500 at a time, are read.
    let delete = BatchDeleteRequest(Tally.filter("count == 7"))
    do {
      let made = try trips { count = try context.execute(delete).count }
      #expect(made == 5)
    }
    #expect(count == 1_000)
  }

  @Test func `a conflict is found in three more`() throws {
    try context(1).save()
    let (one, two) = (container.newBackgroundContext(), container.newBackgroundContext())
    try #require(try one.first(Tally.all)).count = 1
    try #require(try two.first(Tally.all)).count = 2
    try one.save()
    // The statements, the end of the transaction, and the row as it is.
    #expect(try trips { _ = try storeError { try two.save() } } <= 5)
  }
}
#endif
