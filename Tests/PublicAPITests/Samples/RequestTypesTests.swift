// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The types of requests and of their answers, by their names.
@Suite("Samples: types of requests")
struct RequestTypesTests {
  @Test(arguments: StoreKind.allCases)
  func `batch requests tell a number or IDs`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    var insertion = BatchInsertRequest(
      entityName: "Author",
      objects: [["name": "Ada"], ["name": "Joe"]]
    )
    insertion.resultType = BatchResultType.objectIDs
    let result: BatchResult = try context.execute(insertion)
    #expect(result.count == 2)
    #expect(try context.object(Author.self, with: result.objectIDs[0]).name == "Ada")
    let deletion = BatchDeleteRequest(objectIDs: [result.objectIDs[1]])
    #expect(try context.execute(deletion).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a request is explained, and lists come in batches`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let explanation: FetchExplanation = try context.explain(Commit.filter("message BEGINSWITH 'F'"))
    #expect(explanation.sql.isEmpty == (kind != .sqlite))
    let list: FetchResultsCollection<Commit> = try context.fetch(
      Commit.sorted(by: \.date),
      batchSize: 2
    )
    #expect(list.count == 3 && list[2].message.hasPrefix("Merge"))
    let property: PropertyToFetch = "author.name"
    let rows = try context.fetchDictionaries(Commit.all.fetching(property).distinct())
    #expect(Set(rows.compactMap { $0["author.name"] as? String }) == ["Ada", "Joe Groff"])
    let sql: RawSQL = "SELECT Z_PK FROM ZCOMMIT WHERE ZMESSAGE = \("Begin")"
    guard kind == .sqlite else { return }
    #expect(try context.fetch(Commit.self, sql: sql).map(\.message) == ["Begin"])
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `history tells who has changed what`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    var description = kind.description(in: folder)
    description.historyTracking = true
    let container = try PersistentContainer(
      name: "History",
      entities: Commit.self,
      Author.self,
      store: description
    )
    let context = container.newBackgroundContext()
    context.transactionAuthor = "import"
    let before: PersistentHistoryToken? = try container.currentPersistentHistoryToken()
    let author = Author(context: context)
    author.name = "Ada"
    try context.save()

    var request = PersistentHistoryChangeRequest.fetchHistory(after: before)
    let transactions: [PersistentHistoryTransaction] = try context.execute(request).transactions
    #expect(transactions.map(\.author) == ["import"])
    #expect(transactions[0].storeID == container.storeID && transactions[0].token != before)
    let change: PersistentHistoryChange = try #require(transactions[0].changes.first)
    #expect(change.changeType == PersistentHistoryChangeType.insert)
    #expect(change.changedObjectID == author.objectID)

    request.resultType = PersistentHistoryResultType.objectIDs
    let result: PersistentHistoryResult = try context.execute(request)
    #expect(result.objectIDs == [author.objectID])
    let counters: StoreCounters = container.counters
    #expect(counters.statements > 0)
  }

  @Test(.timeLimit(.minutes(30)))
  func `another container's save is told with the place in the history`() async throws {
    let folder = try TemporaryFolder()
    var store = StoreKind.sqlite.description(in: folder)
    store.historyTracking = true
    store.remoteChangeInterval = .milliseconds(20)
    let near = try PersistentContainer(
      name: "Near",
      entities: Commit.self,
      Author.self,
      store: store
    )
    store.remoteChangeInterval = nil
    let far = try PersistentContainer(name: "Far", entities: Commit.self, Author.self, store: store)
    var changes = near.remoteChanges.makeAsyncIterator()
    let context = far.newBackgroundContext()
    Author(context: context).name = "Ada"
    try context.save()
    let change: PersistentStoreRemoteChange = try #require(await changes.next())
    #expect(change.storeID == near.storeID)
    #expect(change.historyToken == (try far.currentPersistentHistoryToken()))
  }

  @Test(arguments: StoreKind.allCases)
  func `a model keeps requests, and objects have fetched properties`(_ kind: StoreKind) throws {
    var person = EntityDescription("Person", properties: [.attribute("name", .string)])
    person.fetchedProperties = [
      FetchedPropertyDescription(
        "namesakes",
        entity: "Person",
        predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE"
      )
    ]
    let template = FetchRequestTemplate("named", entity: "Person", predicate: "name == $NAME")
    let model = try ManagedObjectModel(entities: [person], fetchRequestTemplates: [template])
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "People",
      model: model,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    let people = try ["Ann", "Bob", "Ann"].map { name in
      let person = try context.insert(entityNamed: "Person")
      try person.setValue(name, forKey: "name")
      return person
    }
    try context.save()
    #expect(try people[0].fetchedObjects(forKey: "namesakes") == [people[2]])
    let request: FetchRequest<ManagedObject> = try model.fetchRequest(
      fromTemplate: "named",
      substitutionVariables: ["NAME": "Bob"]
    )
    #expect(try context.fetch(request) == [people[1]])
  }
}
