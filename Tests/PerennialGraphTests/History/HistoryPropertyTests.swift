// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import RandomTesting
import Testing

/// The same random saves in both stores make the same history, and undoing all of it backwards leads
/// through the same contents.
@Suite("SEMANTICS 1H.4: random saves, the histories of both stores")
struct HistoryPropertyTests {
  /// One save, chosen by numbers that mean the same in both stores.
  private struct Step {
    let actions: [(kind: Int, first: Int, second: Int)]
  }

  private static func steps(seed: UInt64) -> [Step] {
    var generator = SeededGenerator(seed: seed)
    return (0..<12).map { _ in
      Step(
        actions: (0..<Int.random(in: 1...4, using: &generator)).map { _ in
          (
            Int.random(in: 0..<14, using: &generator), Int.random(in: 0..<1000, using: &generator),
            Int.random(in: 0..<1000, using: &generator)
          )
        }
      )
    }
  }

  private static func run(_ step: Step, _ number: Int, in context: ManagedObjectContext) throws {
    for (place, action) in step.actions.enumerated() {
      let people = try context.fetch(Person.sorted(by: \.name))
      let houses = try context.fetch(House.all.sorted(by: FetchSort("street")))
      let clubs = try context.fetch(Club.all.sorted(by: FetchSort("title")))
      let person = people.isEmpty ? nil : people[action.first % people.count]
      let house = houses.isEmpty ? nil : houses[action.second % houses.count]
      let club = clubs.isEmpty ? nil : clubs[action.second % clubs.count]
      switch action.kind {
      case 0, 1, 2:
        let new = Person(context: context)
        new.name = "person \(number) \(place)"
        new.born = action.first % 2 == 0 ? nil : Date(timeIntervalSinceReferenceDate: 5)
        new.home = house
      case 3: House(context: context).street = "street \(number)"
      case 4: Club(context: context).title = "club \(number)"
      case 5: person?.notes = "note \(number) \(action.second)"
      case 6: person?.home = house
      case 7: person?.home = nil
      case 8, 9:
        if let person, let club { club.members.insert(person, at: 0) }
      case 10:
        if let person, let club { club.members.remove(person) }
      case 11: if let person { context.delete(person) }
      case 12: if let house, action.first % 3 == 0 { context.delete(house) }
      default: if let club, action.first % 3 == 0 { context.delete(club) }
      }
    }
    try context.save()
  }

  private static func words(_ transactions: [PersistentHistoryTransaction]) -> [[String]] {
    transactions.map { transaction in
      transaction.changes.map { change in
        var values = change.oldValues
        // IDs name the store.
        for (name, value) in values {
          if case .objectID(let id) = value { values[name] = .string("\(id)") }
        }
        let old = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return PerennialGraphTests.words(change) + " was " + old.joined(separator: " ")
      }.sorted()
    }
  }

  @Test(arguments: PropertyRuns.seeds(usually: 20))
  func `1H.4 all stores keep the same history, and its last transaction can be undone`(
    seed: UInt64
  ) throws {
    var histories: [[[String]]] = []
    for kind in StoreKind.havingHistory {
      let bench = try Bench.history(kind, keepsOldValues: true)
      var contents: [(number: Int64, content: [String])] = [(0, try bench.historyWords())]
      for (number, step) in Self.steps(seed: seed).enumerated() {
        try Self.run(step, number, in: bench.context())
        let last = try bench.coordinator.historyToken()?.transactionNumber ?? 0
        if last > contents[contents.count - 1].number {
          contents.append((last, try bench.historyWords()))
        }
      }
      let history = try bench.context().history()
      histories.append(Self.words(history))
      // Objects that come back have other IDs: only the last transaction can be undone for sure.
      guard let last = history.last, contents.count > 1 else { continue }
      let context = bench.context()
      try context.revert(last)
      try context.save()
      #expect(
        try bench.historyWords() == contents[contents.count - 2].content,
        "seed \(seed), \(kind)"
      )
    }
    for (kind, history) in zip(StoreKind.havingHistory, histories) {
      #expect(history == histories[0], "seed \(seed), \(kind)")
    }
  }
}
