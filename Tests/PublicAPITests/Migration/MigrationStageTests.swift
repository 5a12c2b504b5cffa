// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Stages of a program, over more objects than are held at once and more models than the stages know.
@Suite("SEMANTICS 1J: stages")
struct MigrationStageTests {
  private let folder = MigrationFolder()

  /// Books with a writer's name, and with an author besides.
  private func models() throws -> (old: ManagedObjectModel, new: ManagedObjectModel) {
    let writer = PropertyDescription.attribute("writer", .string, optional: true)
    return (
      try ManagedObjectModel(EntityDescription("Book", properties: [writer])),
      try ManagedObjectModel(
        EntityDescription(
          "Author",
          properties: [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]
        ),
        EntityDescription(
          "Book",
          properties: [writer, .toOne("author", "Author", inverse: "books")]
        )
      )
    )
  }

  private func writeBooks(
    _ count: Int,
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws {
    let context = try PersistentContainer(name: "B", model: model, store: store)
      .newBackgroundContext()
    for index in 0..<count {
      try context.insert(entityNamed: "Book").setValue("w\(index % 3)", forKey: "writer")
    }
    try context.save()
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `objects that a stage keeps can be used for all others`(_ kind: MigrationStoreKind) throws {
    let (old, new) = try models()
    var store = folder.store(kind)
    try writeBooks(1_200, store, old)
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        var authors: [String: ManagedObject] = [:]
        var firsts: [String: ManagedObject] = [:]
        try migration.forEach("Book") { old, new in
          let name = try old.value(forKey: "writer") as? String ?? ""
          if authors[name] == nil {
            let author = try migration.destinationContext.insert(entityNamed: "Author")
            try author.setValue(name, forKey: "name")
            (authors[name], firsts[name]) = (author, old)
          }
          #expect(try firsts[name]?.value(forKey: "writer") as? String == name)
          try new.setObject(authors[name], forKey: "author")
        }
      }
    ]
    let context = try PersistentContainer(name: "B", model: new, store: store)
      .newBackgroundContext()
    let authors = try context.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
    #expect(try authors.map { try $0.objects(forKey: "books").count } == [400, 400, 400])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `an object that has left its context is an error, not a loss`(
    _ kind: MigrationStoreKind
  ) throws {
    let (old, new) = try models()
    var store = folder.store(kind)
    try writeBooks(1, store, old)
    for isInLoop in [true, false] {
      store.migration.stages = [
        .custom(from: old, to: new) { migration in
          let context = migration.destinationContext
          let author = try context.insert(entityNamed: "Author")
          try author.setValue("w0", forKey: "name")
          try context.save()
          context.reset()
          if isInLoop {
            try migration.forEach("Book") { _, new in try new.setObject(author, forKey: "author") }
          } else {
            let book = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first
            try book?.setObject(author, forKey: "author")
          }
        }
      ]
      let error = #expect(throws: PerennialError.self) {
        try PersistentContainer(name: "B", model: new, store: store)
      }
      #expect(error?.code == .foreignObject && error?.property == "author")
    }
  }

  /// Models of one entity, each with one attribute more.
  private func versions() throws -> [ManagedObjectModel] {
    try (1...5).map { count in
      try ManagedObjectModel(
        EntityDescription(
          "Book",
          properties: (1...count).map { .attribute("a\($0)", .string, optional: true) }
        )
      )
    }
  }

  private func open(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "B", model: model, store: store).newBackgroundContext()
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store whose model was inferred after the stages goes on`(
    _ kind: MigrationStoreKind
  ) throws {
    let versions = try versions()
    var store = folder.store(kind)
    try {
      let context = try open(store, versions[1])
      try context.insert(entityNamed: "Book").setValue("x", forKey: "a1")
      try context.save()
    }()
    store.migration.stages = [.custom(from: versions[1], to: versions[2]) { _ in }]
    for model in versions[3...] { _ = try open(store, model) }
    // Loss needs consent, as without stages.
    let error = #expect(throws: PerennialError.self) { try open(store, versions[3]) }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.message.contains("Book.a5: attribute removed") == true)
    store.migration.earlierModels = [versions[4]]
    let context = try open(store, versions[3])
    let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
    #expect(try books.map { try $0.value(forKey: "a1") as? String } == ["x"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store of a model before the stages does not go past their code`(
    _ kind: MigrationStoreKind
  ) throws {
    let versions = try versions()
    var store = folder.store(kind)
    _ = try open(store, versions[0])
    store.migration.stages = [.custom(from: versions[1], to: versions[2]) { _ in }]
    store.migration.earlierModels = [versions[0]]
    for model in versions[2...] {
      let error = #expect(throws: PerennialError.self) { try open(store, model) }
      #expect(error?.code == .incompatibleVersionHash)
      #expect(error?.recovery.contains("no migration stage begins with the store's model") == true)
    }
  }

  @Test func `a progress tells of one migration after the other`() throws {
    struct Stop: Error {}
    let progress = Progress(totalUnitCount: 10)
    let (old, new) = try models()
    for kind in MigrationStoreKind.allCases {
      var store = folder.store(kind)
      try writeBooks(1, store, old)
      store.migration.progress = progress
      store.migration.stages = [.custom(from: old, to: new) { _ in throw Stop() }]
      #expect(throws: PerennialError.self) { try open(store, new) }
      #expect(progress.fractionCompleted == 0)
      store.migration.stages = [
        .custom(from: old, to: new) { _ in
          #expect(0 < progress.fractionCompleted && progress.fractionCompleted < 1)
        }
      ]
      _ = try open(store, new)
      #expect(progress.fractionCompleted == 1 && progress.isFinished)
      #expect(progress.totalUnitCount == 10)
    }
  }
}
