// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.4: old values, and what undoes a transaction")
struct RevertTests {
  @Test(arguments: StoreKind.havingHistory)
  func `1H.4 updates and deletions keep the values that they replace`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind, keepsOldValues: true)
    let context = bench.context()
    let house = House(context: context)
    let person = Person(context: context)
    person.name = "old"
    person.height = -.infinity
    person.home = house
    try context.save()
    let token = try bench.coordinator.historyToken()
    person.name = "new"
    person.home = nil
    try context.save()
    context.delete(person)
    try context.save()
    let history = try context.history(after: token)
    let changes = history.flatMap(\.changes).filter {
      $0.changedObjectID.entityName == "Person"
    }
    #expect(changes.map(\.changeType) == [.update, .delete])
    let update = try #require(changes.first)
    #expect(update.oldValues["name"] == .string("old"))
    #expect(update.oldValues["home"] == .objectID(house.objectID))
    #expect(update.oldValues["height"] == nil)
    #expect(update.oldValue(\Person.name) == "old")
    #expect(update.hasUpdated(\Person.name) && !update.hasUpdated(\Person.notes))
    let deletion = try #require(changes.last)
    #expect(deletion.oldValues["height"] == .double(-.infinity))
    #expect(deletion.oldValues["notes"] == .null)
    #expect(deletion.tombstone(\Person.name) == "new")
    #expect(deletion.tombstone(\Person.notes) == nil)
  }

  @Test(arguments: StoreKind.havingHistory)
  func `1H.4 a transaction is undone by a new pending change`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind, keepsOldValues: true)
    let context = bench.context()
    let houses = House.make("street 0", "street 1", in: context)
    let club = Club(context: context)
    club.title = "club"
    for number in 0..<4 {
      let person = Person(context: context)
      person.name = "person \(number)"
      person.born = Date(timeIntervalSinceReferenceDate: Double(number))
      person.home = houses[number % 2]
      if number < 3 { club.members.append(person) }
    }
    try context.save()
    let before = try bench.historyWords()
    let token = try bench.coordinator.historyToken()
    // Takes two people along.
    context.delete(houses[0])
    let people = try context.fetch(Person.sorted(by: \.name))
    let stays = try #require(people.first { $0.name == "person 3" })
    stays.notes = "changed"
    stays.home = nil
    club.members.append(stays)
    let new = Person(context: context)
    new.name = "new"
    club.members.append(new)
    try context.save()
    #expect(try bench.historyWords() != before)
    let transaction = try #require(try context.history(after: token).first)
    let other = bench.context()
    try other.revert(transaction)
    #expect(other.hasChanges)
    #expect(try bench.historyWords() != before)
    try other.save()
    #expect(try bench.historyWords() == before)
    // The reversal is a transaction that can be undone itself.
    let reversal = try #require(try context.history(after: transaction.token).first)
    let third = bench.context()
    try third.revert(reversal)
    try third.save()
    let again = try bench.historyWords()
    #expect(again.contains { $0.hasPrefix("new") })
    #expect(!again.contains { $0.hasPrefix("person 0") })
  }

  @Test(arguments: StoreKind.havingHistory)
  func `1H.4 without old values nothing is undone`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    let person = try Person.stored("a", in: context)
    person.notes = "b"
    try context.save()
    let history = try context.history()
    #expect(code { try context.revert(history[1]) } == .persistentStoreUnsupportedRequestType)
    #expect(!context.hasChanges)
    try context.revert(history[0])
    #expect(person.isDeleted)
  }

  @Test(arguments: StoreKind.havingHistory)
  func `1H.4 an update of an object that is gone is not undone, and changes nothing`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench.history(kind, keepsOldValues: true)
    let context = bench.context()
    let (club, person) = (Club(context: context), Person(context: context))
    person.name = "a"
    try context.save()
    person.notes = "b"
    club.title = "c"
    try context.save()
    context.delete(person)
    try context.save()
    let history = try context.history()
    #expect(code { try context.revert(history[1]) } == .objectGone)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.havingHistory, [false, true])
  func `1H.4 a deletion that is not saved keeps a transaction from being undone`(
    _ kind: StoreKind,
    _ deletesTarget: Bool
  ) throws {
    let bench = try Bench.history(kind, keepsOldValues: true)
    let context = bench.context()
    let (house, person) = (House(context: context), Person(context: context))
    (person.name, person.home) = ("a", house)
    try context.save()
    person.home = nil
    try context.save()
    let history = try context.history()
    context.delete(deletesTarget ? house : person)
    #expect(code { try context.revert(history[1]) } == .objectGone)
    #expect(person.home == nil)
    try context.save()
    #expect(try context.count(for: Person.all) == (deletesTarget ? 1 : 0))
  }

  @Test
  func `1H.4 old values that are not of their property's type are refused, and change nothing`()
    throws
  {
    let bench = try Bench.history(.inMemory, keepsOldValues: true)
    let context = bench.context()
    let person = try Person.stored("a", in: context)
    person.notes = "b"
    try context.save()
    let saved = try #require(try context.history().last)
    let strangers: [(String, PropertyValue)] = [
      ("notes", .integer(4_503_599_627_469_648)), ("born", .string("b")),
      ("height", .data(Data([1]))), ("home", .integer(1)), ("home", .objectID(person.objectID)),
    ]
    for (name, value) in strangers {
      var details = HistoryDetails()
      details.values["notes"] = .null
      details.values[name] = value
      let change = PersistentHistoryChange(
        changeID: 1,
        changedObjectID: person.objectID,
        changeType: .update,
        updatedProperties: ["notes"],
        details: details
      )
      let transaction = PersistentHistoryTransaction(
        transactionNumber: saved.transactionNumber,
        timestamp: saved.timestamp,
        author: nil,
        contextName: nil,
        processID: nil,
        bundleID: nil,
        storeID: saved.storeID,
        changes: [change]
      )
      let words: Comment = "\(name) \(value)"
      let failure = code { try context.revert(transaction) }
      #expect(failure == .persistentStoreUnsupportedRequestType, words)
      #expect(!context.hasChanges && person.notes == "b", words)
    }
  }

  private static let listClasses: [ManagedObject.Type] = [
    PNode.self, PBox.self, PTag.self, PBadge.self,
  ]

  /// What a save does to the lists "abcde" and "xyz".
  enum ListEdit: CaseIterable {
    case reorder, remove, move, delete, deleteList, insert, replace
  }

  @Test(arguments: StoreKind.havingHistory, ListEdit.allCases)
  func `1H.4 an undone transaction restores the order of relationships`(
    _ kind: StoreKind,
    _ edit: ListEdit
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(entities: Self.listClasses.map { $0.entity }),
      classes: Self.listClasses,
      history: HistoryOptions(isOn: true, keepsOldValues: true)
    )
    let context = bench.context()
    func node(_ name: Character) throws -> PNode {
      let node = PNode(context: context)
      try node.setValue(String(name), forKey: "name")
      return node
    }
    let lists = try ["abcde", "xyz"].map { names in
      let list = PBox(context: context)
      for name in names { list.items.append(try node(name)) }
      return list
    }
    try context.save()
    let token = try bench.coordinator.historyToken()
    let items = Array(lists[0].items)
    switch edit {
    case .reorder: lists[0].items = OrderedToMany(items.reversed())
    case .remove:
      for index in [1, 3] { items[index].box = nil }
    case .move:
      for index in [0, 2] { items[index].box = lists[1] }
    case .delete:
      for index in [0, 3, 4] { context.delete(items[index]) }
    case .deleteList: context.delete(lists[0])
    case .insert: lists[0].items.insert(try node("n"), at: 0)
    case .replace: lists[0].items = OrderedToMany([items[4], items[0]])
    }
    try context.save()
    #expect(try Self.order(bench) != ["abcde", "xyz"])
    let transaction = try #require(try context.history(after: token).first)
    try context.revert(transaction)
    try context.save()
    let restored = try Self.order(bench)
    #expect(restored == ["abcde", "xyz"])
  }

  /// The names of the items of each list.
  private static func order(_ bench: Bench) throws -> [String] {
    let context = bench.context()
    return try context.fetch(PBox.all).map { list in
      try list.items.map { "\(try $0.value(forKey: "name") ?? "")" }.joined()
    }
    .sorted()
  }
}
