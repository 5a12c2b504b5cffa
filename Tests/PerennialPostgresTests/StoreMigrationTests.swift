// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Synchronization
import Testing

/// A store of an earlier version of the model is migrated when it is opened, in one transaction.
@Suite("Migration on a server", .needsServer)
struct StoreMigrationTests {
  private let url: URL

  init() throws { url = try TestServer.emptySchema() }

  /// Shelves with books in an order; a second version has pages, another name for titles, and tags.
  static func model(_ version: Int) throws -> ManagedObjectModel {
    let isNew = version > 1
    let title = AttributeDescription("title", .string)
    let name = AttributeDescription("name", .string, renamingIdentifier: "title")
    var book: [PropertyDescription] = [
      .attribute(isNew ? name : title), .toOne("shelf", "Shelf", inverse: "books"),
    ]
    let shelf: [PropertyDescription] = [
      .attribute("name", .string), .toMany("books", "Book", inverse: "shelf", ordered: true),
    ]
    guard isNew else {
      return try ManagedObjectModel(
        EntityDescription("Book", properties: book),
        EntityDescription("Shelf", properties: shelf)
      )
    }
    book += [.attribute("pages", .int64, default: 1), .toMany("tags", "Tag", inverse: "books")]
    let tag: [PropertyDescription] = [
      .attribute("name", .string), .toMany("books", "Book", inverse: "tags"),
    ]
    return try ManagedObjectModel(
      EntityDescription("Book", properties: book),
      EntityDescription("Shelf", properties: shelf),
      EntityDescription("Tag", properties: tag)
    )
  }

  private func open(
    _ version: Int,
    _ change: (inout StoreDescription) throws -> Void = { _ in }
  ) throws -> PersistentContainer {
    var store = StoreDescription.postgres(url)
    try change(&store)
    return try PersistentContainer(name: "Library", model: Self.model(version), store: store)
  }

  /// Saves a shelf with books.
  private func fill(_ container: PersistentContainer, _ titles: [String]) throws {
    let context = container.newBackgroundContext()
    let shelf = try context.insert(entityNamed: "Shelf")
    try shelf.setValue("first", forKey: "name")
    for title in titles {
      let book = try context.insert(entityNamed: "Book")
      try book.setValue(title, forKey: "title")
      try book.setObject(shelf, forKey: "shelf")
    }
    try context.save()
  }

  private func names(_ container: PersistentContainer, _ key: String) throws -> [String] {
    let context = container.newBackgroundContext()
    return try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
      .compactMap { try $0.value(forKey: key) as? String }.sorted()
  }

  @Test func `what is added and renamed is migrated, and objects keep their IDs`() throws {
    let before: [String]
    do {
      let old = try open(1)
      try fill(old, ["Emma", "Persuasion"])
      let context = old.newBackgroundContext()
      before = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        .map { $0.objectID.uriRepresentation.absoluteString }.sorted()
    }
    let new = try open(2)
    #expect(try names(new, "name") == ["Emma", "Persuasion"])
    let context = new.newBackgroundContext()
    let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
    #expect(books.map { $0.objectID.uriRepresentation.absoluteString }.sorted() == before)
    #expect(try books.allSatisfy { try $0.value(forKey: "pages") as? Int64 == 1 })
    let shelf = try #require(
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Shelf")).first
    )
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Tag")) == 0)
    // It is a store like another.
    let added = try context.insert(entityNamed: "Book")
    try added.setValue("Emma II", forKey: "name")
    try added.setObject(shelf, forKey: "shelf")
    try context.save()
    #expect(!before.contains(added.objectID.uriRepresentation.absoluteString))
    #expect(try names(open(2), "name") == ["Emma", "Emma II", "Persuasion"])
  }

  @Test(arguments: [false, true])
  func `a program that has it open with the old model cannot save any more`(
    keepsOldValues: Bool
  ) throws {
    let old = try open(1) { $0.historyKeepsOldValues = keepsOldValues }
    try fill(old, ["Emma"])
    let context = old.newBackgroundContext()
    let book = try #require(
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first
    )
    try book.setValue("Sanditon", forKey: "title")
    let new = try open(2)
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.message.contains("migrated") == true)
    #expect(try names(new, "name") == ["Emma"])
  }

  @Test func `what cannot be migrated stays as it is`() throws {
    do { try fill(open(1), ["Emma"]) }
    let error = #expect(throws: PerennialError.self) {
      _ = try open(2) { $0.shouldMigrateStoreAutomatically = false }
    }
    #expect(error?.code == .incompatibleVersionHash)
    struct Stop: Error {}
    let stopped = #expect(throws: PerennialError.self) {
      _ = try open(2) { store in
        store.migration.stages = [
          .custom(from: try Self.model(1), to: try Self.model(2), label: "stop") { _ in
            throw Stop()
          }
        ]
      }
    }
    #expect(stopped?.code == .migration)
    #expect(try names(open(1), "title") == ["Emma"])
  }

  @Test func `of programs that open it at the same time one migrates it`() async throws {
    do { try fill(open(1), ["Emma", "Persuasion"]) }
    final class Migrations: Sendable { let count = Mutex(0) }
    let migrations = Migrations()
    let found = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
              continuation.resume(
                with: Result {
                  let container = try open(2) { store in
                    store.migration.willMigrate = { _ in migrations.count.withLock { $0 += 1 } }
                  }
                  return try names(container, "name")
                }
              )
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found == Array(repeating: ["Emma", "Persuasion"], count: 4))
    #expect(migrations.count.withLock(\.self) == 1)
  }

  @Test func `values are computed anew when they are derived otherwise`() throws {
    func open(_ derivation: String, migrates: Bool = true) throws -> PersistentContainer {
      let key = PropertyDescription.attribute(
        "key",
        .string,
        optional: true,
        derived: derivation
      )
      let book = EntityDescription("Book", properties: [.attribute("title", .string), key])
      var store = StoreDescription.postgres(url)
      store.shouldMigrateStoreAutomatically = migrates
      return try PersistentContainer(
        name: "Library",
        model: ManagedObjectModel(book),
        store: store
      )
    }
    do {
      let context = try open("title").newBackgroundContext()
      try context.insert(entityNamed: "Book").setValue("EMMA", forKey: "title")
      try context.save()
    }
    let error = #expect(throws: PerennialError.self) {
      try open("lowercase:(title)", migrates: false)
    }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(try names(open("lowercase:(title)"), "key") == ["emma"])
    #expect(try names(open("lowercase:(title)", migrates: false), "key") == ["emma"])
  }

  /// The connection that holds the lock gets too old for a pool, is idle for longer than the server allows, or its
  /// transaction takes longer, which servers know from version 17 on.
  @Test(
    arguments: [
      "&pool_age=1&timeout=5", "%20-cidle_in_transaction_session_timeout%3D500",
      "%20-ctransaction_timeout%3D500",
    ]
  )
  func `a migration may take longer than connections live`(parameters: String) throws {
    let version = try PostgresConnection.open(PostgresLocation(url)).serverVersion
    guard version >= 170_000 || !parameters.contains("transaction_timeout") else { return }
    do { try fill(open(1), ["Emma", "Persuasion"]) }
    var store = StoreDescription.postgres(
      try #require(URL(string: url.absoluteString + parameters))
    )
    store.migration.stages = [
      .custom(from: try Self.model(1), to: try Self.model(2), label: "sleep") { _ in
        Thread.sleep(forTimeInterval: 1.2)
      }
    ]
    let new = try PersistentContainer(name: "Library", model: Self.model(2), store: store)
    #expect(try names(new, "name") == ["Emma", "Persuasion"])
  }

  @Test func `counters of keys go on where they were`() throws {
    let connection = try PostgresConnection.open(PostgresLocation(url))
    func counters() throws -> [Int64] {
      let rows = try connection.run(
        """
        SELECT z_max FROM z_primarykey WHERE z_name IN ('Book', 'Shelf') ORDER BY z_name
        """
      )
      return (0..<rows.count).map { rows.integer($0, 0) }
    }
    do { try fill(open(1), ["Emma", "Persuasion"]) }
    try connection.execute("UPDATE z_primarykey SET z_max = 1000 WHERE z_name = 'Shelf'")
    #expect(try counters() == [256, 1000])
    _ = try open(2)
    #expect(try counters() == [256, 1000])
    let more = try connection.run("SELECT z_max FROM z_primarykey WHERE z_name = 'Tag'")
    #expect(more.integer(0, 0) == 1000)
  }

  @Test func `a stage sees old and new objects`() throws {
    do { try fill(open(1), ["Emma", "Persuasion"]) }
    let new = try open(2) { store in
      store.migration.stages = [
        .custom(from: try Self.model(1), to: try Self.model(2), label: "shout") { migration in
          try migration.forEach("Book") { old, new in
            let title = try old.value(forKey: "title") as? String ?? ""
            try new.setValue(title.uppercased(), forKey: "name")
          }
        }
      ]
    }
    #expect(try names(new, "name") == ["EMMA", "PERSUASION"])
  }
}
#endif
