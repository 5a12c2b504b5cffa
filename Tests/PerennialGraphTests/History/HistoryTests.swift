// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.4: persistent history")
struct HistoryTests {
  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a save is one transaction with who saved and what`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    context.name = "import"
    context.transactionAuthor = "importer"
    let before = Date()
    let people = (0..<20).map { number in
      let person = Person(context: context)
      person.name = "person \(number)"
      return person
    }
    try context.save()
    let history = try context.history()
    #expect(history.count == 1)
    let transaction = try #require(history.first)
    #expect(transaction.transactionNumber == 1)
    #expect(transaction.author == "importer")
    #expect(transaction.contextName == "import")
    #expect(transaction.processID == ProcessInfo.processInfo.processName)
    #expect(transaction.bundleID?.isEmpty == false)
    #expect(bench.coordinator.naming.names(transaction.storeID))
    #expect(transaction.timestamp >= before && transaction.timestamp <= Date())
    #expect(transaction.changes.allSatisfy { $0.changeType == .insert })
    #expect(Set(transaction.changes.map(\.changedObjectID)) == Set(people.map(\.objectID)))
    #expect(Set(transaction.changes.map(\.changeID)).count == 20)

    people[3].notes = "tall"
    people[3].height = 2
    people[4].notes = "short"
    try context.save()
    let second = try #require(try context.history(after: transaction.token).first)
    #expect(second.transactionNumber == 2)
    #expect(
      Set(second.changes.map(words)) == [
        "update \(people[3].objectID) height,notes", "update \(people[4].objectID) notes",
      ]
    )
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a save without changes is no transaction`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    try context.save()
    #expect(try context.history().isEmpty)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a deletion keeps the preserved values, also of what a delete rule takes along`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    let house = House(context: context)
    for number in 0..<2 {
      let person = Person(context: context)
      person.name = "person \(number)"
      person.born = number == 0 ? Date(timeIntervalSinceReferenceDate: 77.5) : nil
      person.notes = "not kept"
      person.home = house
    }
    try context.save()
    let token = try bench.coordinator.historyToken()
    context.delete(house)
    try context.save()
    let changes = try #require(try context.history(after: token).first).changes
    #expect(changes.count == 3)
    #expect(changes.allSatisfy { $0.changeType == .delete })
    let tombstones = changes.filter { $0.changedObjectID.entityName == "Person" }.map(\.tombstone)
    #expect(tombstones.count == 2)
    let first = try #require(tombstones.first { $0["name"] == .string("person 0") })
    #expect(first["born"] == .date(Date(timeIntervalSinceReferenceDate: 77.5)))
    #expect(first["notes"] == nil)
    let second = try #require(tombstones.first { $0["name"] == .string("person 1") })
    #expect(second["born"] ?? .null == .null)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 both objects of a many-to-many relationship are updated, once each`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    let (club, person) = (Club(context: context), Person(context: context))
    person.name = "a"
    try context.save()
    let token = try bench.coordinator.historyToken()
    club.members.append(person)
    person.notes = "member"
    try context.save()
    let changes = try #require(try context.history(after: token).first).changes
    #expect(
      Set(changes.map(words)) == [
        "update \(club.objectID) members", "update \(person.objectID) clubs,notes",
      ]
    )
    #expect(changes.count == 2)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 an object whose derived attribute the store rewrites is updated`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    let houses = (0..<2).map { _ in House(context: context) }
    let person = Person(context: context)
    person.name = "a"
    person.home = houses[0]
    try context.save()
    let token = try bench.coordinator.historyToken()
    person.home = houses[1]
    try context.save()
    let changes = try #require(try context.history(after: token).first).changes
    #expect(
      Set(changes.map(words)) == [
        "update \(person.objectID) home", "update \(houses[0].objectID) size",
        "update \(houses[1].objectID) size",
      ]
    )
  }

  @Test(arguments: [false, true])
  func `1H.4 a process writes history from when another has turned it on`(
    isBatch: Bool
  ) throws {
    let early = try Bench(.sqlite, model: historyModel(), classes: historyClasses)
    let context = early.context()
    let person = try Person.stored("a", in: context)
    let late = try StoreKind.sqlite.open(
      historyModel().layout,
      in: early.folder,
      history: HistoryOptions(isOn: true)
    )
    let store = try #require(late as? any HistoryStore)
    #expect(try store.history(HistoryQuery()).isEmpty)
    context.transactionAuthor = "early"
    if isBatch {
      var request = BatchUpdateRequest(Person.self)
      request.set(\Person.notes, to: "b")
      try context.execute(request)
    } else {
      person.notes = "b"
      try context.save()
    }
    let transactions = try store.history(HistoryQuery())
    #expect(transactions.map(\.author) == ["early"])
    #expect(transactions.first?.changes.map(\.changedObjectID) == [person.objectID])
    #expect(try context.history().count == 1)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a save that fails leaves no history`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    _ = try Person.stored("taken", in: context)
    let other = bench.context()
    let twin = Person(context: other)
    twin.name = "taken"
    Club(context: other).title = "beside it"
    #expect(code { try other.save() } == .managedObjectConstraintMerge)
    #expect(try context.history().count == 1)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a save that a merge policy changes is in the history as it was written`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    let person = try Person.stored("a", in: context)
    let other = bench.context()
    other.mergePolicy = .mergeByPropertyObjectTrump
    let same = try other.object(Person.self, with: person.objectID)
    _ = same.name
    person.notes = "mine"
    try context.save()
    let token = try bench.coordinator.historyToken()
    same.height = 3
    let twin = try Person.stored("b", in: other)
    let history = try context.history(after: token)
    #expect(history.count == 1)
    #expect(
      Set(history.flatMap(\.changes).map(words)) == [
        "insert \(twin.objectID)", "update \(same.objectID) height",
      ]
    )
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a change set that is given again is in the history once`(_ kind: StoreKind) throws {
    // Several stores have no history of their own.
    guard kind != .second else { return }
    let bench = try Bench.history(kind)
    let store = try #require(bench.coordinator.store as? any HistoryStore)
    let entity = try store.model.entity(named: "Club")
    let key = try store.reserveKeys(root: entity.index, count: 1)
    var builder = PageBuilder(byteCount: 512)
    builder.begin(key: key, version: 1, entity: entity.index, slotCount: entity.slots.count)
    builder.end()
    var changes = ChangeSet()
    changes.insertions = [.init(entity: entity.index, pages: [builder.seal()])]
    try store.save(changes)
    try store.save(changes)
    #expect(try store.history(HistoryQuery()).count == 1)
    #expect(try store.historyExtent() == HistoryExtent(first: 1, last: 1))
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 batch requests are in the history as saves are`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind, keepsOldValues: true)
    let context = bench.context()
    let clubs = (0..<3).map { Club.make("club \($0)", in: context) }
    let person = Person(context: context)
    person.name = "a"
    person.notes = "old"
    try context.save()
    let token = try bench.coordinator.historyToken()
    let other = bench.context()
    other.transactionAuthor = "batch"
    var update = BatchUpdateRequest(entityName: "Person")
    update.propertiesToUpdate = ["notes": "new"]
    try other.execute(update)
    try other.execute(BatchDeleteRequest(Person.all))
    try other.execute(BatchDeleteRequest(Club.filter("title == 'club 1'")))
    let history = try other.history(after: token)
    #expect(history.map(\.author) == ["batch", "batch", "batch"])
    #expect(
      history.map { $0.changes.map(words) } == [
        ["update \(person.objectID) notes"], ["delete \(person.objectID) name=string(\"a\")"],
        ["delete \(clubs[1].objectID)"],
      ]
    )
    #expect(history[0].changes[0].oldValues == ["notes": .string("old")])
  }

  /// A database has one always: others learn by it of what is saved.
  @Test(arguments: StoreKind.keepingHistory.filter { $0 != .postgres })
  func `1H.4 a store without history says so`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let author = Author(context: context)
    author.name = "a"
    try context.save()
    #expect(try bench.coordinator.historyToken() == nil)
    #expect(code { _ = try context.history() } == .persistentStoreUnsupportedRequestType)
    let delete = PersistentHistoryChangeRequest.deleteHistory(before: Date())
    #expect(code { try context.execute(delete) } == .persistentStoreUnsupportedRequestType)
  }
}
