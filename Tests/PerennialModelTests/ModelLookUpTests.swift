// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Testing

@Suite("What models and histories are asked for")
struct ModelLookUpTests {
  private let animal = EntityDescription("Animal", properties: [.toOne("owner", "Person")])
  private let cat = EntityDescription(
    "Cat",
    parent: "Animal",
    properties: [.toOne("bed", "Person")]
  )
  private let person = EntityDescription("Person", properties: [])

  @Test func `entities by name, and nothing of unknown names`() throws {
    let model = try ManagedObjectModel(animal, cat, person)
    #expect(model.subentities(of: "Animal").map(\.name) == ["Cat"])
    #expect(model.subentities(of: "Dog").isEmpty)
    #expect(model.superentity(of: "Cat")?.name == "Animal")
    #expect(model.superentity(of: "Dog") == nil)
    #expect(model.isEntity("Cat", kindOf: "Animal") && !model.isEntity("Animal", kindOf: "Cat"))
    #expect(!model.isEntity("Dog", kindOf: "Animal") && !model.isEntity("Cat", kindOf: "Dog"))
    let found = model.relationships(of: "Cat", toDestination: "Person")
    #expect(found.map(\.name) == ["bed", "owner"])
    #expect(model.relationships(of: "Dog", toDestination: "Person").isEmpty)
  }

  @Test(
    arguments: [
      ("titel", "title"), ("nmae", "name"), ("naem", "name"), ("mesage", "message"),
      ("authro", "author"), ("tilte", "title"), ("eman", nil),
    ] as [(String, String?)]
  )
  func `letters that are transposed are one slip of the finger`(
    _ word: String,
    _ meant: String?
  ) {
    let known = ["author", "message", "name", "title"]
    #expect(PerennialError.nearest(to: word, among: known) == meant)
    let isAsked = PerennialError.suggestion(for: word, among: known).hasPrefix("did you mean")
    #expect(isAsked == (meant != nil))
  }

  @Test func `models that are merged have each fetch request once`() throws {
    func model(_ templates: [FetchRequestTemplate], _ entities: [EntityDescription]) throws
      -> ManagedObjectModel
    {
      try ManagedObjectModel(entities: entities, fetchRequestTemplates: templates)
    }
    let all = FetchRequestTemplate("all", entity: "Person")
    let some = FetchRequestTemplate("some", entity: "Animal", fetchLimit: 3)
    let merged = try ManagedObjectModel(merging: [
      model([all], [person]), model([some, all], [animal, cat, person]),
    ])
    #expect(merged.fetchRequestTemplates == [all, some])
    #expect(merged.entities.map(\.name).sorted() == ["Animal", "Cat", "Person"])
    let other = FetchRequestTemplate("all", entity: "Animal")
    let error = #expect(throws: PerennialError.self) {
      _ = try model([all, other], [animal, cat, person])
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.message == "The model has two fetch requests named 'all'.")
  }

  @Test func `models that are merged keep their configurations`() throws {
    let main = try ManagedObjectModel(entities: [person], configurations: ["Main": ["Person"]])
    let pets = try ManagedObjectModel(
      entities: [animal, cat, person],
      configurations: ["Pets": ["Animal"], "Main": ["Animal"]]
    )
    let merged = try ManagedObjectModel(merging: [main, pets])
    #expect(merged.configurations == ["Main", "Pets"])
    #expect(merged.entities(forConfiguration: "Pets")?.map(\.name) == ["Animal", "Cat"])
    #expect(
      merged.entities(forConfiguration: "Main")?.map(\.name) == ["Animal", "Cat", "Person"]
    )
    #expect(try ManagedObjectModel(merging: [pets]) == pets)
  }

  @Test func `a configuration of an entity that is missing is an error with a suggestion`() {
    let error = #expect(throws: PerennialError.self) {
      _ = try ManagedObjectModel(entities: [person], configurations: ["Part": ["Persn"]])
    }
    #expect(error?.code == .invalidModel && error?.entity == "Persn")
    #expect(error?.message.contains("'Part' names 'Persn'") == true)
    #expect(error?.recovery.contains("'Person'") == true)
  }

  // MARK: Histories

  private func transaction(_ number: Int64, of store: UUID) -> PersistentHistoryTransaction {
    PersistentHistoryTransaction(
      transactionNumber: number,
      timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
      author: nil,
      contextName: nil,
      processID: nil,
      bundleID: nil,
      storeID: store
    )
  }

  @Test(arguments: [
    PersistentHistoryResultType.statusOnly, .objectIDs, .count, .transactionsOnly, .changesOnly,
    .transactionsAndChanges,
  ])
  func `a result of a history has what was asked for`(_ type: PersistentHistoryResultType) {
    let result = PersistentHistoryResult(type, [transaction(1, of: UUID())], count: 1)
    let hasTransactions = [.transactionsOnly, .transactionsAndChanges].contains(type)
    #expect(result.transactions.count == (hasTransactions ? 1 : 0))
    #expect(result.transactions.map(\.id) == (hasTransactions ? [1] : []))
    #expect(result.changes.isEmpty && result.objectIDs.isEmpty)
    #expect(result.count == 1)
  }

  @Test func `what several stores have deleted of their histories is counted together`() {
    let results = [2, 3].map { PersistentHistoryResult(.statusOnly, [], count: $0) }
    let merged = PersistentHistoryResult(merging: results, limit: 1)
    #expect(merged.count == 5 && merged.resultType == .statusOnly)
  }

  @Test func `places in histories have an order, of several stores too`() throws {
    let low = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
    let high = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000002"))
    func token(_ store: UUID, _ number: Int64) -> PersistentHistoryToken {
      PersistentHistoryToken(storeID: store, transactionNumber: number)
    }
    #expect(token(low, 1) < token(low, 2) && !(token(low, 2) < token(low, 2)))
    #expect(token(low, 9) < token(high, 1) && !(token(high, 1) < token(low, 9)))
  }

  @Test(arguments: [
    ("postgres://ada:secret@db/library", "postgres://ada@db/library"),
    ("postgres://db/library?sslpassword=x&port=1", "postgres://db/library?port=1"),
    ("postgres://db/library?PASSWORD=x", "postgres://db/library"),
    ("postgres://db/library?pass%77ord=x&a%zz=1", "postgres://db/library?a%zz=1"),
    ("a text", "a text"), ("postgres://ada@db", "postgres://ada@db"),
    ("postgres://a:b@c:d@db?user=@", "postgres://a@db?user=@"),
  ])
  func `an address is shown without its password`(_ text: String, _ shown: String) {
    #expect(URL.withoutPassword(text) == shown)
  }
}
