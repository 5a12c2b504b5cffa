// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What contexts do with objects of two stores.
@Suite("The object graph over several stores")
struct SeveralStoresGraphTests {
  /// A container of two stores, and their files.
  private struct Two {
    let folders: [TemporaryFolder]
    let container: PersistentContainer
    let stores: [PersistentStoreCoordinator.Store]

    init(
      _ kind: StoreKind,
      _ change: (inout StoreDescription) -> Void = { _ in }
    ) throws {
      let folders = [try TemporaryFolder(), try TemporaryFolder()]
      container = try PersistentContainer(
        name: "Two",
        entities: StoredNote.self,
        StoredTopic.self,
        StoredLabel.self,
        stores: folders.map { folder in
          var description = kind.description(in: folder)
          change(&description)
          return description
        }
      )
      self.folders = folders
      stores = container.persistentStoreCoordinator.persistentStores
    }

    func context() -> ManagedObjectContext { container.newBackgroundContext(isolation: nil) }

    /// Notes whose titles are digits: the odd ones go to the second store.
    @discardableResult
    func add(_ numbers: [Int], _ context: ManagedObjectContext) throws -> [StoredNote] {
      try numbers.map { number in
        let note = StoredNote(context: context)
        note.title = "\(number)"
        note.number = number
        try context.assign(note, to: stores[number % 2])
        return note
      }
    }
  }

  private static var numbers: FetchRequest<StoredNote> { StoredNote.sorted(by: \.number) }

  private func store(of object: ManagedObject) -> String? {
    object.objectID.uriRepresentation.host()
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 a list follows the objects of two stores`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    try two.add([1, 2, 4], context)
    try context.save()
    let list = try context.results(Self.numbers)
    var odd = Self.numbers
    odd.affectedStores = [two.stores[1].identifier]
    let oddList = try context.results(odd)
    // A list follows for those who read its changes.
    let readers = [list.changes, oddList.changes]
    defer { withExtendedLifetime(readers) {} }
    #expect(list.fetchedObjects?.map(\.number) == [1, 2, 4])
    try two.add([3, 5, 6], context)
    try context.processPendingChanges()
    #expect(list.fetchedObjects?.map(\.number) == [1, 2, 3, 4, 5, 6])
    #expect(oddList.fetchedObjects?.map(\.number) == [1, 3, 5])
    try context.save()
    #expect(oddList.fetchedObjects?.map(\.number) == [1, 3, 5])

    let writer = two.context()
    context.automaticallyMergesChangesFromParent = true
    try two.add([0, 7], writer)
    for note in try writer.fetch(StoredNote.all.filter("number IN {2, 3}")) { writer.delete(note) }
    try writer.save()
    try context.processPendingChanges()
    #expect(list.fetchedObjects?.map(\.number) == [0, 1, 4, 5, 6, 7])
    #expect(oddList.fetchedObjects?.map(\.number) == [1, 5, 7])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 changes in two stores are undone together`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    context.undoManager = ContextUndoManager()
    let notes = try two.add([1, 2], context)
    try context.save()
    context.undoManager?.removeAllActions()
    for note in notes { note.number += 10 }
    try two.add([3, 4], context)
    try context.processPendingChanges()
    context.undo()
    #expect(try context.fetch(Self.numbers).map(\.number) == [1, 2])
    context.redo()
    #expect(try context.fetch(Self.numbers).map(\.number) == [3, 4, 11, 12])
    try context.save()
    let stored = try two.context().fetch(Self.numbers)
    #expect(stored.map(\.number) == [3, 4, 11, 12])
    let homes = [1, 0, 1, 0].map { two.stores[$0].identifier.uuidString }
    #expect(stored.map { store(of: $0) } == homes)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child's objects go to the stores that it assigns`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let parent = two.context()
    let child = ManagedObjectContext(parent: parent)
    try two.add([1, 2], child)
    var second = Self.numbers
    second.affectedStores = [two.stores[1].identifier]
    #expect(try child.fetch(second).map(\.number) == [1])
    try child.save()
    #expect(try parent.fetch(second).map(\.number) == [1])
    #expect(try two.context().count(for: StoredNote.all) == 0)
    try two.add([3], child)
    #expect(try child.fetch(second).map(\.number) == [1, 3])
    try child.save()
    try parent.save()
    let stored = try two.context().fetch(Self.numbers)
    #expect(stored.map(\.number) == [1, 2, 3])
    let homes = [1, 0, 1].map { two.stores[$0].identifier.uuidString }
    #expect(stored.map { store(of: $0) } == homes)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.8 IDs are permanent before the save, each of its store`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    let notes = try two.add([1, 2, 3, 4], context)
    try context.obtainPermanentIDs(for: notes)
    let ids = notes.map(\.objectID)
    #expect(ids.allSatisfy { !$0.isTemporaryID } && Set(ids).count == 4)
    #expect(
      notes.map { store(of: $0) } == [1, 0, 1, 0].map { two.stores[$0].identifier.uuidString }
    )
    try context.save()
    #expect(notes.map(\.objectID) == ids)
    let reader = two.context()
    for (id, number) in zip(ids, 1...4) {
      let uri = id.uriRepresentation
      let same = two.container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri)
      #expect(same == id)
      #expect(try reader.object(StoredNote.self, with: id).number == number)
    }
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 each store has a history and a token of its own`(_ kind: StoreKind) throws {
    let two = try Two(kind) { $0.historyTracking = true }
    let context = two.context()
    try two.add([1, 2], context)
    try context.save()
    let tokens = try two.stores.map { store in
      try #require(try two.container.currentPersistentHistoryToken(of: store.identifier))
    }
    #expect(tokens.map(\.storeID) == two.stores.map(\.identifier))
    try two.add([3], context)
    try context.save()
    let first = try context.execute(.fetchHistory(after: tokens[0]))
    #expect(first.transactions.isEmpty)
    let second = try context.execute(.fetchHistory(after: tokens[1]))
    #expect(second.transactions.map(\.storeID) == [two.stores[1].identifier])
    let id = try #require(second.changes.first?.changedObjectID)
    #expect(try two.context().object(StoredNote.self, with: id).number == 3)

    var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    request.affectedStores = [two.stores[0].identifier]
    #expect(try context.execute(request).transactions.count == 1)
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: tokens[1]))
    let rest = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
    let left = try context.execute(rest).transactions.map(\.storeID)
    #expect(left.filter { $0 == two.stores[0].identifier }.count == 1)
  }

  @Test(.timeLimit(.minutes(30)), arguments: [StoreKind.sqlite, .json])
  func `1H.4 what others write to either store is told and merged`(_ kind: StoreKind) async throws {
    let two = try Two(kind) { store in
      store.remoteChangeInterval = .milliseconds(20)
      // Without a history, a SQLite store only tells that something was written.
      store.historyTracking = kind == .sqlite
    }
    let context = two.context()
    context.automaticallyMergesChangesFromParent = true
    let notes = try two.add([1, 2], context)
    try context.save()
    let changes = two.container.remoteChanges
    for folder in two.folders {
      let far = try PersistentContainer(
        name: "Far",
        entities: StoredNote.self,
        StoredTopic.self,
        StoredLabel.self,
        store: kind.description(in: folder)
      ).newBackgroundContext(isolation: nil)
      for note in try far.fetch(StoredNote.all) { note.number += 10 }
      try far.save()
    }
    var told: Set<UUID> = []
    for await change in changes {
      told.insert(change.storeID)
      try context.processPendingChanges()
      // The stream keeps the newest only: one of two may have taken the other's place.
      if notes.map(\.number) == [11, 12] { break }
    }
    #expect(told.isSubset(of: two.stores.map(\.identifier)) && !told.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.9 batches ask the stores that they name`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    let second: Set = [two.stores[1].identifier]
    var insertion = BatchInsertRequest(
      entityName: "StoredNote",
      objects: (1...3).map { (number: Int) in ["title": "\(number)", "number": number] }
    )
    insertion.affectedStores = second
    insertion.resultType = .objectIDs
    let ids = try context.execute(insertion).objectIDs
    #expect(ids.allSatisfy { $0.uriRepresentation.host() == second.first?.uuidString })
    insertion.affectedStores = [two.stores[0].identifier]
    #expect(try context.execute(insertion).count == 3)
    #expect(try context.count(for: StoredNote.all) == 6)
    insertion.affectedStores = [UUID()]
    #expect(try failure { try context.execute(insertion) }.code == .persistentStoreSave)

    var update = BatchUpdateRequest(StoredNote.self, where: "number > 1")
    update.propertiesToUpdate = ["number": 9]
    update.affectedStores = second
    #expect(try context.execute(update).count == 2)
    update.affectedStores = [UUID()]
    #expect(try context.execute(update).count == 0)
    var deletion = BatchDeleteRequest(objectIDs: ids)
    deletion.affectedStores = [two.stores[0].identifier]
    #expect(try context.execute(deletion).count == 0)
    deletion.affectedStores = second
    #expect(try context.execute(deletion).count == 3)
    #expect(try two.context().fetch(Self.numbers).map(\.number) == [1, 2, 3])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.9 rows of a batch name objects of their own store`(_ kind: StoreKind) throws {
    let two = try Two(kind)
    let context = two.context()
    // Notes have a unique title in each store; topics are found by the ID only.
    try two.add([1, 2], context)
    try context.save()
    var insertion = BatchInsertRequest(entityName: "StoredNote", objects: [["title": "1"]])
    insertion.affectedStores = [two.stores[0].identifier]
    #expect(try context.execute(insertion).count == 1)
    #expect(try failure { try context.execute(insertion) }.code == .managedObjectConstraintMerge)

    let topic = StoredTopic(context: context)
    topic.name = "other"
    try context.assign(topic, to: two.stores[0])
    try context.save()
    insertion = BatchInsertRequest(
      entityName: "StoredNote",
      objects: [["title": "3", "topic": topic.objectID]]
    )
    insertion.affectedStores = [two.stores[0].identifier]
    #expect(try context.execute(insertion).count == 1)
    #expect(try two.context().count(for: StoredNote.all.filter("topic.name == 'other'")) == 1)
    insertion.affectedStores = [two.stores[1].identifier]
    #expect(
      try failure { try context.execute(insertion) }.code == .managedObjectExternalRelationship
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a child's objects are no twins of unsaved ones for another store`(
    _ kind: StoreKind
  ) throws {
    let two = try Two(kind)
    let parent = two.context()
    let child = ManagedObjectContext(parent: parent)
    for (context, store) in zip([parent, child], two.stores) {
      let note = StoredNote(context: context)
      note.title = "same"
      try context.assign(note, to: store)
    }
    try child.save()
    try parent.save()
    #expect(try two.context().fetch(StoredNote.all).map(\.title) == ["same", "same"])
  }

  @Test(arguments: [StoreKind.sqlite, .json])
  func `1H.4 an object that a reversal brings back is in its store`(_ kind: StoreKind) throws {
    let two = try Two(kind) {
      $0.historyTracking = true
      $0.historyKeepsOldValues = true
    }
    let context = two.context()
    let topic = StoredTopic(context: context)
    topic.name = "topic"
    try context.assign(topic, to: two.stores[1])
    let note = try #require(try two.add([1], context).first)
    note.topic = topic
    try context.save()
    context.delete(note)
    try context.save()
    let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
    try context.revert(try #require(history.transactions.last))
    try context.save()
    let back = try #require(try two.context().fetch(Self.numbers).first)
    #expect(back.title == "1" && store(of: back) == two.stores[1].identifier.uuidString)
    #expect(topic.notes.count == 1)
  }

  @Test func `1I.3 a store that comes back at another place has the same objects`() throws {
    let folder = try TemporaryFolder()
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self
    )
    let container = PersistentContainer(name: "Moved", coordinator: coordinator)
    try coordinator.addPersistentStore(.inMemory)
    let old = StoreDescription.sqlite(folder.url.appending(path: "Old.sqlite"))
    let new = StoreDescription.sqlite(folder.url.appending(path: "New.sqlite"))
    let store = try coordinator.addPersistentStore(old)
    let context = container.newBackgroundContext(isolation: nil)
    let note = StoredNote(context: context)
    note.title = "kept"
    try context.assign(note, to: store)
    try context.save()
    let id = note.objectID
    try coordinator.remove(store)
    try PersistentStoreCoordinator.replacePersistentStore(at: new, withPersistentStoreFrom: old)
    let back = try coordinator.addPersistentStore(new)
    #expect(back.identifier == store.identifier && back.url != store.url)
    let reader = container.newBackgroundContext(isolation: nil)
    #expect(try reader.object(StoredNote.self, with: id).title == "kept")
    note.number = 3
    try context.save()
    #expect(try reader.count(for: StoredNote.all.filter("number == 3")) == 1)
  }

  @Test(.timeLimit(.minutes(30)))
  func `1I.3 no save is lost while its store is saved as another kind`() async throws {
    let folder = try TemporaryFolder()
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self
    )
    let container = PersistentContainer(name: "Moving", coordinator: coordinator)
    var store = try coordinator.addPersistentStore(
      .sqlite(folder.url.appending(path: "Store.sqlite"))
    )
    let saved = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<2 {
        group.addTask {
          var count = 0
          for number in 0..<40 {
            let context = container.newBackgroundContext(isolation: nil)
            StoredNote(context: context).title = "\(writer) \(number)"
            do {
              try context.save()
              count += 1
            } catch let error as PerennialError {
              // The store that an object was meant for may have gone.
              #expect(error.code == .persistentStoreSave, "\(error)")
            }
          }
          return count
        }
      }
      for kind in 0..<4 {
        let url = folder.url.appending(path: "Store\(kind)")
        store = try coordinator.migratePersistentStore(
          store,
          to: kind.isMultiple(of: 2) ? .json(url) : .sqlite(url)
        )
      }
      return try await group.reduce(0, +)
    }
    let reader = container.newBackgroundContext(isolation: nil)
    #expect(saved > 0)
    #expect(try reader.count(for: StoredNote.all) == saved)
  }
}
