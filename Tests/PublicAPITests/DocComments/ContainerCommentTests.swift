// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples in the comments of containers, coordinators and migration.
@Suite("Samples in comments: containers")
struct ContainerCommentTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "Library.sqlite")
  }

  /// What `perennial-model-generator` writes beside the classes.
  private enum LibraryModel {
    static func model() throws -> ManagedObjectModel {
      try ManagedObjectModel(Borrower.entity, Loan.entity)
    }
    static let entities: [any ManagedEntity.Type] = [Borrower.self, Loan.self]
  }

  /// They would make stores in the user's folder, so they are compiled only.
  @MainActor private func inTheUsersFolder() async throws {
    do {
      let container = try PersistentContainer(name: "Project38", entities: Commit.self, Author.self)
      let newest = try await container.performBackgroundTask { context in
        try context.first(Commit.sorted(by: \.date, .reverse))?.message
      }
      _ = newest
    }
    do {
      let container = try await PersistentContainer.open(
        name: "Library",
        entities: Book.self,
        Writer.self
      )
      _ = container
    }
    do {
      let container = try PersistentContainer(
        name: "Library",
        model: LibraryModel.model(),
        classes: LibraryModel.entities
      )
      _ = container
    }
  }

  @Test func `the model of generated classes is theirs`() throws {
    let container = try PersistentContainer(
      name: "Library",
      model: LibraryModel.model(),
      classes: LibraryModel.entities,
      store: .inMemory
    )
    #expect(container.managedObjectModel.entities.count == 2)
  }

  @Test func `stores are added to a coordinator`() throws {
    let model = try ManagedObjectModel(Borrower.entity, Loan.entity)
    let library = url
    let coordinator = try PersistentStoreCoordinator(model: model)
    try coordinator.addPersistentStore(.sqlite(library))
    let drafts = try coordinator.addPersistentStore(.inMemory)
    let container = PersistentContainer(name: "Library", coordinator: coordinator)
    #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    #expect(coordinator.persistentStores.last == drafts)
  }

  /// Streams that do not end by themselves: compiled only.
  @MainActor private func streams(_ container: PersistentContainer) async {
    let context = container.viewContext
    for await save in container.saves where save.author != "importer" {
      context.mergeChanges(fromContextDidSave: save)
    }
    for await change in container.remoteChanges {
      print("written by somebody else, history up to", change.historyToken as Any)
    }
  }

  @Test func `a migration splits names and reads ages`() throws {
    let version1 = try ManagedObjectModel(
      EntityDescription(
        "Person",
        properties: [.attribute("name", .string), .attribute("ageText", .string, optional: true)]
      )
    )
    let version2 = try ManagedObjectModel(
      EntityDescription(
        "Person",
        properties: [
          .attribute("first", .string, optional: true), .attribute("last", .string, optional: true),
          .attribute("age", .int64, optional: true), .attribute("ageText", .string, optional: true),
        ]
      )
    )
    do {
      let container = try PersistentContainer(name: "P", model: version1, store: .sqlite(url))
      let context = container.newBackgroundContext()
      let person = try context.insert(entityNamed: "Person")
      try person.setValue("Ada Lovelace", forKey: "name")
      try person.setValue("36", forKey: "ageText")
      try context.save()
    }

    var store = StoreDescription.sqlite(url)
    store.migration.stages = [
      .custom(from: version1, to: version2, label: "split names") { migration in
        try migration.forEach("Person") { old, new in
          let name = try old.value(forKey: "name") as? String ?? ""
          let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
          try new.setValue(parts.first, forKey: "first")
          try new.setValue(parts.last, forKey: "last")
        }
      }
    ]
    let split = store.migration.stages[0]
    store.migration.stages = [
      .custom(from: split.source, to: split.destination, label: "ages, too") { migration in
        try migration.forEach("Person") { old, new in
          let text = try old.value(forKey: "ageText") as? String ?? ""
          try new.setValue(Int(text), forKey: "age")
        }
      }
    ]
    let plan = MigrationPlan(from: version1, to: version2)
    #expect(plan.risk == .destructive)
    let container = try PersistentContainer(name: "P", model: version2, store: store)
    let context = container.newBackgroundContext()
    let person = try #require(
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first
    )
    #expect(try person.value(forKey: "age").map { "\($0)" } == "36")
  }

  @Test func `of authors with one address the last that was seen stays`() throws {
    func model(_ unique: [[String]]) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "Author",
          uniqueness: unique,
          properties: [.attribute("email", .string), .attribute("seen", .int64)]
        )
      )
    }
    do {
      let container = try PersistentContainer(name: "A", model: model([]), store: .sqlite(url))
      let context = container.newBackgroundContext()
      for seen in [2, 3, 1] {
        let author = try context.insert(entityNamed: "Author")
        try author.setValue("ada@example.org", forKey: "email")
        try author.setValue(seen, forKey: "seen")
      }
      try context.save()
    }
    var store = StoreDescription.sqlite(url)
    store.migration.deduplications = [
      Deduplication("Author", by: "email", keeping: .last, sortedBy: "seen")
    ]
    let container = try PersistentContainer(name: "A", model: model([["email"]]), store: store)
    let all = FetchRequest<ManagedObject>(entityName: "Author")
    let context = container.newBackgroundContext()
    let authors = try context.fetch(all)
    #expect(try authors.map { "\(try $0.value(forKey: "seen") ?? 0)" } == ["3"])
  }
}
