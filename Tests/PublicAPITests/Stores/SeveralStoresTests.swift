// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// A note that lies in either of two stores.
@Managed final class StoredNote: ManagedObject {
  @Unique var title: String
  var number: Int = 0
  var topic: StoredTopic?
  var labels: ToMany<StoredLabel>
}

@Managed final class StoredTopic: ManagedObject {
  var name: String
  var notes: OrderedToMany<StoredNote>
}

@Managed final class StoredLabel: ManagedObject {
  var name: String
  var notes: ToMany<StoredNote>
}

@Suite("Several stores under one coordinator")
struct SeveralStoresTests {
  /// A container of two stores, and their files.
  private struct Two {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let first: PersistentStoreCoordinator.Store
    let second: PersistentStoreCoordinator.Store

    init(_ kind: StoreKind, _ other: StoreKind = .inMemory) throws {
      folder = try TemporaryFolder()
      let sub = try TemporaryFolder()
      var stores = [kind.description(in: folder), other.description(in: sub)]
      if kind != .json { stores[0].historyTracking = true }
      if other != .json { stores[1].historyTracking = true }
      container = try PersistentContainer(
        name: "Two",
        entities: StoredNote.self,
        StoredTopic.self,
        StoredLabel.self,
        stores: stores
      )
      self.sub = sub
      let found = container.persistentStoreCoordinator.persistentStores
      first = try #require(found.first)
      second = try #require(found.last)
    }

    private let sub: TemporaryFolder

    func context() -> ManagedObjectContext { container.newBackgroundContext(isolation: nil) }

    @discardableResult
    func note(
      _ title: String,
      _ number: Int,
      in store: PersistentStoreCoordinator.Store?,
      _ context: ManagedObjectContext
    ) throws -> StoredNote {
      let note = StoredNote(context: context)
      note.title = title
      note.number = number
      if let store { try context.assign(note, to: store) }
      return note
    }
  }

  @Test(arguments: StoreKind.allCases, StoreKind.allCases)
  func `1I.3 objects of two stores are fetched as one list`(
    _ kind: StoreKind,
    _ other: StoreKind
  ) throws {
    let two = try Two(kind, other)
    let context = two.context()
    for (number, title) in ["d", "a", "e", "b", "c"].enumerated() {
      try two.note(title, number, in: number.isMultiple(of: 2) ? two.first : two.second, context)
    }
    try context.save()
    let reader = two.context()
    func titles(_ request: FetchRequest<StoredNote>) throws -> [String] {
      try reader.fetch(request).map(\.title)
    }
    let sorted = StoredNote.sorted(by: \.title)
    #expect(try titles(sorted) == ["a", "b", "c", "d", "e"])
    #expect(try titles(StoredNote.sorted(by: \.title, .reverse)) == ["e", "d", "c", "b", "a"])
    var window = sorted
    window.fetchOffset = 1
    window.fetchLimit = 3
    #expect(try titles(window) == ["b", "c", "d"])
    #expect(try reader.count(for: window) == 3)
    #expect(try reader.count(for: StoredNote.all) == 5)
    #expect(try titles(sorted.filter("number > 1")) == ["b", "c", "e"])
    var some = sorted
    some.affectedStores = [two.second.identifier]
    #expect(try titles(some) == ["a", "b"])
    some.affectedStores = [UUID()]
    #expect(try titles(some).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 an object's ID has its own store and the key that it has there`(
    _ kind: StoreKind
  ) throws {
    let two = try Two(kind)
    let context = two.context()
    let here = try two.note("here", 1, in: two.first, context)
    let there = try two.note("there", 2, in: two.second, context)
    try context.save()
    let uri = there.objectID.uriRepresentation.absoluteString
    #expect(uri == "x-coredata://\(two.second.identifier.uuidString)/StoredNote/p1")
    #expect(here.objectID.uriRepresentation.lastPathComponent == "p1")
    #expect(here.objectID != there.objectID)
    let coordinator = two.container.persistentStoreCoordinator
    let id = try #require(
      coordinator.managedObjectID(forURIRepresentation: there.objectID.uriRepresentation)
    )
    #expect(id == there.objectID)
    let other = two.context()
    #expect(try other.object(StoredNote.self, with: id).title == "there")
    let request = StoredNote.all.filter(format: "SELF == %@", there.objectID)
    #expect(try other.fetch(request).map(\.title) == ["there"])
    #expect(two.container.storeID == two.first.identifier)
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 relationships work within each store, and not between two`(
    _ kind: StoreKind
  ) throws {
    let two = try Two(kind)
    let context = two.context()
    for (store, name) in [(two.first, "one"), (two.second, "two")] {
      let topic = StoredTopic(context: context)
      topic.name = name
      try context.assign(topic, to: store)
      let label = StoredLabel(context: context)
      label.name = name
      try context.assign(label, to: store)
      for number in [2, 1] {
        let note = try two.note("\(name)\(number)", number, in: store, context)
        topic.notes.append(note)
        label.notes.insert(note)
      }
    }
    try context.save()
    let reader = two.context()
    let topics = try reader.fetch(StoredTopic.sorted(by: \.name))
    #expect(topics.map { $0.notes.map(\.title) } == [["one2", "one1"], ["two2", "two1"]])
    let labels = try reader.fetch(StoredLabel.sorted(by: \.name))
    #expect(labels.map { Set($0.notes.map(\.title)) } == [["one1", "one2"], ["two1", "two2"]])
    #expect(try reader.fetch(StoredNote.all.filter("topic.name == 'two'")).count == 2)

    let stray = try two.note("stray", 3, in: two.first, reader)
    stray.topic = topics[1]
    let error = try failure { try reader.save() }
    #expect(error.code == .managedObjectExternalRelationship)
    #expect(error.entity == "StoredNote" && error.property == "topic")
    #expect(stray.isInserted)
    stray.topic = topics[0]
    try reader.save()
    labels[1].notes.insert(stray)
    #expect(try failure { try reader.save() }.code == .managedObjectExternalRelationship)
    reader.rollback()
    #expect(try two.context().fetch(StoredNote.sorted(by: \.title)).first?.title == "one1")
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 new objects go to the first store, and only new ones are assigned`(
    _ kind: StoreKind
  ) throws {
    let two = try Two(kind)
    let context = two.context()
    let note = try two.note("new", 1, in: nil, context)
    try context.save()
    #expect(note.objectID.uriRepresentation.host() == two.first.identifier.uuidString)
    #expect(try failure { try context.assign(note, to: two.second) }.code == .invalidRequest)
    let other = try two.note("other", 2, in: nil, context)
    #expect(
      try failure { try context.assign(other, toStore: UUID()) }.code == .invalidRequest
    )
    try context.assign(other, to: two.second)
    try context.obtainPermanentIDs(for: [other])
    #expect(other.objectID.uriRepresentation.host() == two.second.identifier.uuidString)
    #expect(try failure { try context.assign(other, to: two.first) }.code == .invalidRequest)
    try context.save()
    #expect(other.objectID.uriRepresentation.lastPathComponent == "p1")
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 a conflict in one store keeps the others as they were`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    try two.note("one", 1, in: two.first, context)
    try two.note("two", 1, in: two.second, context)
    try context.save()
    let late = two.context()
    let notes = try late.fetch(StoredNote.sorted(by: \.title))
    for note in try context.fetch(StoredNote.all.filter("title == 'two'")) { note.number = 5 }
    try context.save()
    for note in notes { note.number = 9 }
    #expect(try failure { try late.save() }.code == .managedObjectMerge)
    #expect(try two.context().fetch(StoredNote.sorted(by: \.title)).map(\.number) == [1, 5])
    late.mergePolicy = .mergeByPropertyObjectTrump
    try late.save()
    #expect(try two.context().fetch(StoredNote.sorted(by: \.title)).map(\.number) == [9, 9])

    try two.note("three", 3, in: two.first, late)
    try two.note("two", 3, in: two.second, late)
    late.mergePolicy = .error
    #expect(try failure { try late.save() }.code == .managedObjectConstraintMerge)
    #expect(try two.context().count(for: StoredNote.all) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 a value is unique in each store`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    try two.note("same", 1, in: two.first, context)
    try context.save()
    let other = two.context()
    try two.note("same", 2, in: two.second, other)
    try other.save()
    #expect(try two.context().fetch(StoredNote.sorted(by: \.number)).map(\.number) == [1, 2])

    // The same for objects of one context, and for fetches that merge.
    let third = two.context()
    third.mergePolicy = .mergeByPropertyObjectTrump
    let numbers = StoredNote.sorted(by: \.number)
    try two.note("more", 3, in: two.first, third)
    try two.note("more", 4, in: two.second, third)
    #expect(try third.fetch(numbers).map(\.number) == [1, 2, 3, 4])
    try third.save()
    try two.note("same", 5, in: two.second, third)
    #expect(try third.fetch(numbers).map(\.number) == [1, 3, 4, 5])
    try third.save()
    #expect(try two.context().fetch(numbers).map(\.number) == [1, 3, 4, 5])
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1I.3 batches, aggregates and history span the stores`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    for number in 1...6 {
      try two.note("\(number)", number, in: number < 4 ? two.first : two.second, context)
    }
    try context.save()
    let rows = try context.fetchDictionaries(StoredNote.all.fetching("number").distinct())
    #expect(Set(rows.compactMap { $0["number"] as? Int64 }) == Set(1...6))
    let token: PersistentHistoryToken? = nil
    let history = try context.execute(.fetchHistory(after: token))
    let stores = [two.first.identifier, two.second.identifier]
    #expect(Set(history.transactions.map(\.storeID)) == Set(stores))
    #expect(history.changes.count == 6)
    var update = BatchUpdateRequest(StoredNote.self, where: "number > 2")
    update.propertiesToUpdate = ["number": 10]
    #expect(try context.execute(update).count == 4)
    let deletion = BatchDeleteRequest(StoredNote.all.filter("number == 10"))
    #expect(try context.execute(deletion).count == 4)
    #expect(try two.context().fetch(StoredNote.sorted(by: \.number)).map(\.number) == [1, 2])
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.2 a configuration says which store keeps an entity`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    var main = kind.description(in: folder)
    main.configuration = "Main"
    var cache = StoreDescription.inMemory
    cache.configuration = "Cache"
    func open() throws -> PersistentContainer {
      try PersistentContainer(
        name: "Configured",
        entities: StoredNote.self,
        StoredTopic.self,
        StoredLabel.self,
        configurations: [
          "Main": [StoredNote.self, StoredTopic.self], "Cache": [StoredLabel.self],
        ],
        stores: [main, cache]
      )
    }
    let container = try open()
    #expect(container.managedObjectModel.configurations == ["Cache", "Main"])
    let entities = container.managedObjectModel.entities(forConfiguration: "Cache")
    #expect(entities?.map(\.name) == ["StoredLabel"])
    let context = container.newBackgroundContext(isolation: nil)
    let label = StoredLabel(context: context)
    label.name = "cached"
    let note = StoredNote(context: context)
    note.title = "kept"
    let stores = container.persistentStoreCoordinator.persistentStores
    let error = try failure { try context.assign(label, to: stores[0]) }
    #expect(error.code == .invalidRequest && error.entity == "StoredLabel")
    try context.save()
    #expect(label.objectID.uriRepresentation.host() == stores[1].identifier.uuidString)
    #expect(note.objectID.uriRepresentation.host() == stores[0].identifier.uuidString)
    cache.configuration = "Cash"
    let wrong = try failure { _ = try open() }
    #expect(wrong.code == .persistentStoreOpen && wrong.message.contains("'Cash'"))
  }

  @Test func `1I.3 stores come and go while contexts live`() throws {
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self
    )
    let container = PersistentContainer(name: "Alive", coordinator: coordinator)
    let context = container.newBackgroundContext(isolation: nil)
    #expect(try context.count(for: StoredNote.all) == 0)
    let homeless = StoredNote(context: context)
    homeless.title = "homeless"
    let error = try failure { try context.save() }
    #expect(error.code == .persistentStoreSave && error.entity == "StoredNote")

    let first = try coordinator.addPersistentStore(.inMemory)
    try context.save()
    let second = try coordinator.addPersistentStore(.inMemory)
    let other = StoredNote(context: context)
    other.title = "other"
    try context.assign(other, to: second)
    try context.save()
    #expect(try context.count(for: StoredNote.all) == 2)

    try coordinator.remove(first)
    #expect(coordinator.persistentStores == [second])
    #expect(try context.fetch(StoredNote.all).map(\.title) == ["other"])
    homeless.title = "gone"
    #expect(try failure { try context.save() }.code == .persistentStoreSave)
    context.rollback()
    #expect(try failure { try coordinator.remove(first) }.code == .persistentStoreOpen)
  }

  @Test func `1I.3 a store is added once, and a container of one store keeps it`() throws {
    let folder = try TemporaryFolder()
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredLabel.self,
      StoredNote.self,
      StoredTopic.self
    )
    let store = StoreDescription.sqlite(folder.url.appending(path: "Store.sqlite"))
    let opened = try coordinator.addPersistentStore(store)
    #expect(try failure { try coordinator.addPersistentStore(store) }.code == .persistentStoreOpen)
    #expect(coordinator.persistentStores == [opened])
    let url = try #require(store.url)
    #expect(coordinator.persistentStore(for: url) == opened)
    #expect(coordinator.url(for: opened) == url && opened.type == "SQLite")
    let single = try PersistentContainer(
      name: "Single",
      entities: StoredLabel.self,
      StoredNote.self,
      StoredTopic.self,
      store: .inMemory
    )
    #expect(
      try failure { try single.persistentStoreCoordinator.addPersistentStore(.inMemory) }.code
        == .persistentStoreOpen
    )
  }

  @Test func `1I.3 nothing is written when one of the stores is only read`() throws {
    let folder = try TemporaryFolder()
    var store = StoreDescription.sqlite(folder.url.appending(path: "Store.sqlite"))
    func open(_ stores: [StoreDescription]) throws -> PersistentContainer {
      try PersistentContainer(
        name: "Two",
        entities: StoredNote.self,
        StoredTopic.self,
        StoredLabel.self,
        stores: stores
      )
    }
    func add(_ context: ManagedObjectContext, _ title: String) -> StoredNote {
      let note = StoredNote(context: context)
      note.title = title
      return note
    }
    do {
      let context = try open([store]).newBackgroundContext(isolation: nil)
      _ = add(context, "old")
      try context.save()
    }
    store.isReadOnly = true
    let container = try open([.inMemory, store])
    let context = container.newBackgroundContext(isolation: nil)
    for note in try context.fetch(StoredNote.all) { note.number = 7 }
    _ = add(context, "new")
    #expect(try failure { try context.save() }.code == .persistentStoreSave)
    let reader = container.newBackgroundContext(isolation: nil)
    #expect(try reader.fetch(StoredNote.all).map(\.number) == [0])
  }
}
