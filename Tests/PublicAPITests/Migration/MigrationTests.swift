// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Synchronization
import Testing

/// Stores that are opened with another model than they were written with, over every store that has files.
@Suite("SEMANTICS 1J: migration of stores")
struct MigrationTests {
  private let folder = MigrationFolder()

  private let books1: ManagedObjectModel
  private let books2: ManagedObjectModel
  private let books3: ManagedObjectModel

  init() throws {
    books1 = try ManagedObjectModel(
      EntityDescription(
        "Book",
        properties: [
          .attribute("title", .string), .attribute("pages", .int64, optional: true),
          .attribute("writer", .string, optional: true),
        ]
      )
    )
    // One attribute more, and an entity that comes before the other.
    books2 = try ManagedObjectModel(
      EntityDescription(
        "Author",
        properties: [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]
      ),
      EntityDescription(
        "Book",
        properties: [
          .attribute("title", .string), .attribute("pages", .int64, optional: true),
          .attribute("writer", .string, optional: true), .attribute("rating", .int64, default: 3),
          .toOne("author", "Author", inverse: "books"),
        ]
      )
    )
    // The writer's name has become an object.
    books3 = try ManagedObjectModel(
      EntityDescription(
        "Author",
        properties: [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]
      ),
      EntityDescription(
        "Book",
        properties: [
          .attribute("title", .string), .attribute("pages", .int64, optional: true),
          .attribute("rating", .int64, default: 3), .toOne("author", "Author", inverse: "books"),
        ]
      )
    )
  }

  /// Writes three books.
  private func write(_ store: StoreDescription, _ model: ManagedObjectModel? = nil) throws {
    let container = try PersistentContainer(name: "Books", model: model ?? books1, store: store)
    let context = container.newBackgroundContext()
    for (title, pages, writer) in [("A", 10, "X"), ("B", 20, "Y"), ("C", nil, "X")]
      as [(String, Int?, String)]
    {
      let book = try context.insert(entityNamed: "Book")
      try book.setValue(title, forKey: "title")
      try book.setValue(pages, forKey: "pages")
      try book.setValue(writer, forKey: "writer")
    }
    try context.save()
  }

  private func rows(
    _ store: StoreDescription,
    _ model: ManagedObjectModel,
    _ keys: String...
  ) throws -> [[String]] {
    let container = try PersistentContainer(name: "Books", model: model, store: store)
    let context = container.newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Book")
    request.sortDescriptors = [FetchSort("title")]
    return try context.fetch(request).map { book in
      try keys.map { key in try book.value(forKey: key).map { "\($0)" } ?? "-" }
    }
  }

  private func expectIncompatible(_ body: () throws -> some Any) {
    let error = #expect(throws: PerennialError.self) { _ = try body() }
    #expect(error?.code == .incompatibleVersionHash)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `an added attribute and entity are inferred`(_ kind: MigrationStoreKind) throws {
    let store = folder.store(kind)
    try write(store)
    let rows = try rows(store, books2, "title", "pages", "rating", "author")
    #expect(rows == [["A", "10", "3", "-"], ["B", "20", "3", "-"], ["C", "-", "3", "-"]])
    #expect(try folder.hasOnlyCompanions(kind))
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `nothing is done that the description forbids`(_ kind: MigrationStoreKind) throws {
    var store = folder.store(kind)
    try write(store)
    let before = try folder.contents(kind)
    store.shouldMigrateStoreAutomatically = false
    let error = #expect(throws: PerennialError.self) { try rows(store, books2, "title") }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(
      error?.message.contains(
        "model used to open the store is incompatible with the one used to create the store"
      ) == true
    )
    #expect(error?.message.contains("Book.author: relationship added") == true)
    store.shouldMigrateStoreAutomatically = true
    store.shouldInferMappingModelAutomatically = false
    expectIncompatible { try rows(store, books2, "title") }
    store.shouldInferMappingModelAutomatically = true
    store.isReadOnly = true
    expectIncompatible { try rows(store, books2, "title") }
    #expect(try folder.contents(kind) == before)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `loss has to be allowed`(_ kind: MigrationStoreKind) throws {
    var store = folder.store(kind)
    try write(store, books2)
    let error = #expect(throws: PerennialError.self) { try rows(store, books3, "title") }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.message.contains("Book.writer: attribute removed") == true)
    store.migration.earlierModels = [books2]
    #expect(try rows(store, books3, "title", "pages").first == ["A", "10"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a closure sees old and new objects together`(_ kind: MigrationStoreKind) throws {
    var store = folder.store(kind)
    try write(store)
    store.migration.stages = [
      .lightweight(from: books1, to: books2),
      .custom(from: books2, to: books3, label: "writers become objects") { migration in
        let context = migration.destinationContext
        try migration.forEach("Book") { old, new in
          guard let name = try old.value(forKey: "writer") as? String else { return }
          var request = FetchRequest<ManagedObject>(entityName: "Author")
          request.predicate = FetchPredicate(format: "name == %@", name)
          let author = try context.fetch(request).first ?? context.insert(entityNamed: "Author")
          try author.setValue(name, forKey: "name")
          try new.setObject(author, forKey: "author")
        }
      },
    ]
    #expect(
      try rows(store, books3, "title", "rating") == [["A", "3"], ["B", "3"], ["C", "3"]]
    )
    let container = try PersistentContainer(name: "Books", model: books3, store: store)
    let context = container.newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Author")
    request.sortDescriptors = [FetchSort("name")]
    let authors = try context.fetch(request).map { author in
      "\(try author.value(forKey: "name") ?? "-") \(try author.objects(forKey: "books").count)"
    }
    #expect(authors == ["X 2", "Y 1"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `an error in a stage leaves the store as it was`(_ kind: MigrationStoreKind) throws {
    struct Stop: Error {}
    var store = folder.store(kind)
    try write(store)
    let before = try rows(store, books1, "title", "pages")
    store.migration.stages = [
      .custom(from: books1, to: books2) { migration in
        try migration.forEach("Book") { _, new in try new.setValue(1, forKey: "rating") }
        throw Stop()
      }
    ]
    let error = #expect(throws: PerennialError.self) { try rows(store, books2, "title") }
    #expect(error?.code == .migration && error?.underlying is Stop)
    #expect(try rows(store.asIs, books1, "title", "pages") == before)
    store.migration.stages = []
    #expect(try rows(store, books2, "rating") == [["3"], ["3"], ["3"]])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `the plan is shown before, a backup is kept after`(_ kind: MigrationStoreKind) throws {
    struct Refusal: Error {}
    var store = folder.store(kind)
    try write(store)
    store.migration.willMigrate = { plan in
      #expect(plan.risk == .safe)
      #expect(plan.description.hasPrefix("3 changes: 3 safe\n"))
      throw Refusal()
    }
    #expect(throws: PerennialError.self) { try rows(store, books2, "title") }
    store.migration.willMigrate = nil
    let backup = folder.url.appending(path: "Books.before")
    store.migration.backup = backup
    _ = try rows(store, books2, "title")
    #expect(
      try rows(folder.store(kind, at: backup), books1, "title") == [["A"], ["B"], ["C"]]
    )
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `progress is told, and can be cancelled`(_ kind: MigrationStoreKind) throws {
    var store = folder.store(kind)
    try write(store)
    let before = try rows(store, books1, "title", "pages")
    let cancelled = Progress(totalUnitCount: 10)
    store.migration.progress = cancelled
    store.migration.willMigrate = { _ in cancelled.cancel() }
    let error = #expect(throws: PerennialError.self) { try rows(store, books2, "title") }
    #expect(error?.code == .migrationCancelled)
    #expect(try rows(store.asIs, books1, "title", "pages") == before)
    store.migration.willMigrate = nil
    let progress = Progress(totalUnitCount: 10)
    store.migration.progress = progress
    _ = try rows(store, books2, "title")
    #expect(progress.fractionCompleted == 1 && progress.isFinished)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a constraint over duplicates needs a deduplication`(_ kind: MigrationStoreKind) throws {
    let old = try ManagedObjectModel(
      EntityDescription(
        "Author",
        properties: [
          .attribute("name", .string), .attribute("mail", .string, optional: true),
          .toMany("books", "Book", inverse: "author"),
        ]
      ),
      EntityDescription(
        "Book",
        properties: [.attribute("title", .string), .toOne("author", "Author", inverse: "books")]
      )
    )
    var author = try #require(old.entitiesByName["Author"])
    author.uniquenessConstraints = [["name"]]
    let new = try ManagedObjectModel(author, #require(old.entitiesByName["Book"]))
    var store = folder.store(kind)
    try {
      let context = try PersistentContainer(name: "B", model: old, store: store)
        .newBackgroundContext()
      for (index, name) in ["X", "Y", "X", "X"].enumerated() {
        let author = try context.insert(entityNamed: "Author")
        try author.setValue(name, forKey: "name")
        if index >= 2 { try author.setValue("mail\(index)", forKey: "mail") }
        let book = try context.insert(entityNamed: "Book")
        try book.setValue("\(index)", forKey: "title")
        try book.setObject(author, forKey: "author")
      }
      try context.save()
    }()
    let error = #expect(throws: PerennialError.self) {
      try PersistentContainer(name: "B", model: new, store: store)
    }
    #expect(error?.code == .migrationConstraintViolation)
    #expect(error?.entity == "Author" && error?.property == "name")
    #expect(error?.message.contains("3 objects") == true)
    store.migration.deduplications = [Deduplication("Author", by: "name", keeping: .merged)]
    let context = try PersistentContainer(name: "B", model: new, store: store)
      .newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Author")
    request.sortDescriptors = [FetchSort("name")]
    let authors = try context.fetch(request).map { author in
      let mail = try author.value(forKey: "mail") ?? "-"
      let titles = try author.objects(forKey: "books").map {
        try $0.value(forKey: "title") as? String ?? ""
      }
      return "\(try author.value(forKey: "name") ?? "") \(mail) \(titles.sorted().joined())"
    }
    #expect(authors == ["X mail2 023", "Y - 1"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `large values are there for stages, and for a backup of any name`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try folder.bookModel()
    let new = try folder.bookModel([.attribute("size", .int64, optional: true)])
    let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    var store = folder.store(kind)
    try {
      let context = try PersistentContainer(name: "B", model: old, store: store)
        .newBackgroundContext()
      let book = try context.insert(entityNamed: "Book")
      try book.setValue("A", forKey: "title")
      try book.setValue(large, forKey: "cover")
      try context.save()
    }()
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        try migration.forEach("Book") { old, new in
          let before = try old.value(forKey: "cover") as? Data
          #expect(try new.value(forKey: "cover") as? Data == before)
          try new.setValue(before?.count, forKey: "size")
        }
      }
    ]
    let backup = folder.url.appending(path: "kept \(kind.rawValue) copy.store")
    store.migration.backup = backup
    #expect(try rows(store, new, "size") == [["300000"]])
    for (store, model) in [(store, new), (folder.store(kind, at: backup), old)] {
      let context = try PersistentContainer(name: "B", model: model, store: store)
        .newBackgroundContext()
      let book = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first
      #expect(try book?.value(forKey: "cover") as? Data == large)
    }
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `of several that open a store at once one migrates it, and all have it`(
    _ kind: MigrationStoreKind
  ) async throws {
    var store = folder.store(kind)
    store.busyTimeout = .seconds(240)
    try write(store)
    let migrations = Mutex(0)
    store.migration.willMigrate = { _ in migrations.withLock { $0 += 1 } }
    let containers = try await withThrowingTaskGroup(of: PersistentContainer.self) { group in
      for _ in 0..<6 {
        group.addTask { [books2, store] in
          try await PersistentContainer.open(name: "Books", model: books2, stores: [store])
        }
      }
      // All stay open.
      return try await group.reduce(into: [PersistentContainer]()) { $0.append($1) }
    }
    #expect(containers.count == 6 && migrations.withLock(\.self) == 1)
    for container in containers {
      let request = FetchRequest<ManagedObject>(entityName: "Book")
      #expect(try container.newBackgroundContext().count(for: request) == 3)
    }
  }

  @Test func `a store that is open is migrated when it is let go`() async throws {
    let store = folder.store(.sqlite)
    try write(store)
    var user: PersistentContainer? = try PersistentContainer(
      name: "Books",
      model: books1,
      store: store
    )
    let isOpen = Mutex(false)
    let opening = Task { [books2] in
      let container = try await PersistentContainer.open(
        name: "Books",
        model: books2,
        stores: [store]
      )
      isOpen.withLock { $0 = true }
      return container
    }
    try await Task.sleep(for: .milliseconds(100))
    #expect(isOpen.withLock { $0 } == false)
    withExtendedLifetime(user) {}
    user = nil
    let container = try await opening.value
    let request = FetchRequest<ManagedObject>(entityName: "Book")
    #expect(try container.newBackgroundContext().count(for: request) == 3)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a derived attribute that is added has its values`(_ kind: MigrationStoreKind) throws {
    var book = try #require(books1.entitiesByName["Book"])
    book.properties.append(
      .attribute("key", .string, optional: true, derived: "uppercase:(writer)")
    )
    let new = try ManagedObjectModel(book)
    let store = folder.store(kind)
    try write(store)
    #expect(try rows(store, new, "key") == [["X"], ["Y"], ["X"]])
  }
}

extension StoreDescription {
  /// The same store, opened only if it has not been migrated.
  fileprivate var asIs: StoreDescription {
    var store = self
    store.migration = Migration()
    store.shouldMigrateStoreAutomatically = false
    return store
  }
}
