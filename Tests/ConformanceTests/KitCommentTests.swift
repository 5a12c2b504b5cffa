// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSVStore
import Foundation
import Perennial
import PerennialSQL
import PerennialTestKit
import Testing

private let csv = StoreUnderTest("CSV folder", capabilities: [.durable]) {
  let folder = try makeEmptyFolder()
  return .custom { try CSVStore(folder: folder) }
}

private func makeEmptyFolder() throws -> URL { try Scratch.shared.folder() }

@Managed private final class Commit: ManagedObject {
  @Unique var sha: String
  var author: Author?
}

@Managed private final class Author: ManagedObject {
  var name: String
  var commits: ToMany<Commit>
}

/// Samples in the comments of the kit, and of stores of one's own.
@Suite("Samples in comments: stores of one's own")
struct KitCommentTests {
  @Test(arguments: csv.behaviours)
  func `a CSV folder is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: csv)
  }

  @Test func `a store in a folder keeps commits`() throws {
    let folder = try makeEmptyFolder()
    let container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: .custom { try CSVStore(folder: folder) }
    )
    let context = container.newBackgroundContext()
    let commit = Commit(context: context)
    commit.sha = "a1"
    let author = Author(context: context)
    author.name = "Ada"
    commit.author = author
    Commit(context: context).sha = "b2"
    try context.save()
    try assertGraph(
      Commit.sorted(by: \.sha),
      in: context,
      properties: ["sha", "author.name"],
      """
      sha   author.name
      a1    Ada
      b2    nil
      """
    )
    let request = Commit.sorted(by: \.sha)
    let table = try GraphTable(of: request, in: context, properties: ["sha", "author.name"])
    #expect(table.rows == [["a1", "Ada"], ["b2", "nil"]])
    do {
      let store = StoreDescription.custom { try CSVStore(folder: folder) }
      #expect(
        try PersistentContainer(name: "P", entities: Commit.self, Author.self, store: store).storeID
          == container.storeID
      )
    }
  }

  @Test func `a graph is made of a seed`() throws {
    let container = try PersistentContainer(
      name: "Graph",
      model: BehaviourModel.make(),
      store: .inMemory
    )
    let context = container.newBackgroundContext()
    let graph = SampleGraph(seed: 7, people: 1000)
    try graph.save(in: context)
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 1000)
  }

  @Test func `every call fails once`() throws {
    func work(in store: any PersistentStore) throws {
      let container = try PersistentContainer(
        name: "F",
        entities: Commit.self,
        Author.self,
        store: .custom { store }
      )
      let context = container.newBackgroundContext()
      Commit(context: context).sha = "a1"
      try context.save()
    }
    var failures = 0
    for number in 1... {
      let store = FailingStore(try CSVStore(folder: makeEmptyFolder()), at: number)
      do { try work(in: store) } catch { failures += 1 }
      if store.callCount < number { break }
    }
    #expect(failures > 2)
  }

  @Test func `calls are noted`() throws {
    func work(in context: ManagedObjectContext) throws {
      try context.insert(entityNamed: "Author").setValue("Ada", forKey: "name")
      try context.save()
    }
    let folder = try makeEmptyFolder()
    let model = try ManagedObjectModel(Commit.entity, Author.entity)
    let store = RecordingStore(try CSVStore(folder: folder))
    let container = try PersistentContainer(name: "A", model: model, store: .custom { store })
    try work(in: container.newBackgroundContext())
    #expect(store.calls.filter { $0.kind == .save }.count == 1)
  }

  @Test func `a save whose answer is lost is made again`() throws {
    let folder = try makeEmptyFolder()
    let model = try ManagedObjectModel(Commit.entity, Author.entity)
    let store = FailingStore(try CSVStore(folder: folder), in: [.save], at: 1, afterwards: true)
    let container = try PersistentContainer(name: "A", model: model, store: .custom { store })
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Author").setValue("Ada", forKey: "name")
    #expect(throws: PerennialError.self) { try context.save() }
    try context.save()
    let request = FetchRequest<ManagedObject>(entityName: "Author")
    #expect(try container.newBackgroundContext().count(for: request) == 1)
  }
}

/// What a driver of a database has: compiled only.
private protocol Connection {
  @discardableResult func run(_ statement: SQLStatement) throws -> [[SQLValue]]
  func transaction(_ body: () throws -> Void) throws
}

/// Parts of a store on a database: compiled only; `TablesStore` is a whole one.
private struct DatabaseParts {
  let connection: any Connection
  let tables: SQLTables

  init(_ model: ManagedObjectModel, _ connection: any Connection) throws {
    self.connection = connection
    var tables = SQLTables(model, engine: MySQL())
    for statement in tables.definitions { try connection.run(statement) }
    tables.storeID = UUID()
    self.tables = tables
  }

  func members(of relationship: StoreRelationship, owners: [Int64]) throws -> [Int64: [Int64]] {
    [:]
  }

  func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    try connection.run(tables.fetch(request)).map { try tables.row($0, of: request.table) }
  }

  func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    try connection.transaction {
      let statements = try tables.save(changes) { try members(of: $0, owners: [$1])[$1] ?? [] }
      for statement in statements { try connection.run(statement) }
    }
    return []
  }
}
