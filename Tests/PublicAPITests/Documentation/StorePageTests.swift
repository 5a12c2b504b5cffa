// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles
import Testing

/// Samples of the articles on models, migration and stores.
@Suite("Samples of articles: models and stores")
struct StorePageTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "Store.sqlite")
  }

  /// A class as the article on macros has it.
  enum Marked {
    enum Kind: Int, Codable, Sendable { case normal, merge }

    @Managed(indexes: ["date", "sha"]) final class Commit: ManagedObject {
      @Unique var sha: String
      @Attribute(renamedFrom: "msg") var message: String
      @Indexed var date: Date
      var kind: Kind = .normal
      @Transient var isSelected: Bool = false
      @Relationship(inverse: \Author.commits, optional: false) var author: Author?
      var parents: ToMany<Commit>
    }

    @Managed final class Author: ManagedObject {
      var name: String
      var commits: ToMany<Commit>
    }
  }

  @Test func `the class of the article is a model`() throws {
    let model = try ManagedObjectModel(Marked.Commit.entity, Marked.Author.entity)
    #expect(model.entities.count == 2)
  }

  /// They name files in the folder of the program: compiled only.
  private func inTheFolderOfTheProgram() throws {
    do {
      let container = try PersistentContainer(
        name: "Project38",
        entities: Commit.self,
        Author.self,
        store: .json(URL(filePath: "commits.json"))
      )
      _ = container
    }
    do {
      let model = try ManagedObjectModel(contentsOf: URL(filePath: "Library.xcdatamodeld"))
      let container = try PersistentContainer(name: "Library", model: model, store: .inMemory)
      _ = container
    }
    do {
      let model = try ManagedObjectModel(contentsOf: URL(filePath: "Library.xcdatamodeld"))
      let store = StoreDescription.sqlite(URL(filePath: "Library.sqlite"))
      let container = try PersistentContainer(name: "Library", model: model, store: store)
      _ = container
    }
  }

  @Test func `a model is written, and its file read`() throws {
    let folder = folder.url.appending(path: "Library.xcdatamodel")
    let url = folder
    let model = try ManagedObjectModel(Marked.Commit.entity, Marked.Author.entity)
    let document = ModelDocument(model, named: "Library")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try document.contents.write(to: folder.appending(path: "contents"))

    let file = try ModelFile(contentsOf: url)
    let former = try file.version(named: file.versionNames[0])
    for diagnostic in former.diagnostics { print(diagnostic) }
    #expect(former.model.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  private static func version(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
    try ManagedObjectModel(EntityDescription("Commit", properties: properties))
  }

  @Test func `a store goes from version to version`() throws {
    let version1 = try Self.version(.attribute("authorName", .string))
    let version2 = try Self.version(
      .attribute("authorName", .string),
      .attribute("url", .string, optional: true)
    )
    let version3 = try Self.version(.attribute("author", .string))
    let plan = MigrationPlan(from: version1, to: version2)
    print(plan)
    #expect(plan.risk == .safe)
    do {
      let container = try PersistentContainer(name: "M", model: version1, store: .sqlite(url))
      let context = container.newBackgroundContext()
      try context.insert(entityNamed: "Commit").setValue("Ada", forKey: "authorName")
      try context.save()
    }

    var store = StoreDescription.sqlite(url)
    store.migration.earlierModels = [version1]
    // Or: store.migration.allowsLoss = true
    store.migration.stages = [
      .lightweight(from: version1, to: version2),
      .custom(from: version2, to: version3, label: "authors") { migration in
        try migration.forEach("Commit") { old, new in
          let name = try old.value(forKey: "authorName") as? String
          try new.setValue(name ?? "nobody", forKey: "author")
        }
      },
    ]
    let container = try PersistentContainer(name: "M", model: version3, store: store)
    let all = FetchRequest<ManagedObject>(entityName: "Commit")
    let context = container.newBackgroundContext()
    let commits = try context.fetch(all)
    #expect(try commits.map { try $0.value(forKey: "author") as? String } == ["Ada"])
  }

  @Test func `duplicates become one`() throws {
    func model(_ unique: [[String]]) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "Author",
          uniqueness: unique,
          properties: [.attribute("email", .string)]
        )
      )
    }
    do {
      let container = try PersistentContainer(name: "A", model: model([]), store: .sqlite(url))
      let context = container.newBackgroundContext()
      for _ in 1...2 {
        try context.insert(entityNamed: "Author").setValue("a@b.c", forKey: "email")
      }
      try context.save()
    }
    var store = StoreDescription.sqlite(url)
    store.migration.deduplications = [Deduplication("Author", by: "email", keeping: .merged)]
    let container = try PersistentContainer(name: "A", model: model([["email"]]), store: store)
    let all = FetchRequest<ManagedObject>(entityName: "Author")
    #expect(try container.newBackgroundContext().count(for: all) == 1)
  }

  @Test func `a draft goes to the second store`() throws {
    typealias Book = Cached.Book
    typealias Cover = Cached.Cover
    var cache = StoreDescription.inMemory
    cache.configuration = "Cache"
    let container = try PersistentContainer(
      name: "Library",
      entities: Book.self,
      Cover.self,
      configurations: ["Cache": [Cover.self]],
      stores: [.sqlite(url), cache]
    )
    let context = container.newBackgroundContext()
    let draft = Cover(context: context)
    draft.title = "Draft"
    let stores = container.persistentStoreCoordinator.persistentStores
    try context.assign(draft, to: stores[1])
    try context.save()
    #expect(draft.objectID.uriRepresentation.host() == stores[1].identifier.uuidString)
  }

  @Test func `a notebook is opened as any store`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Note", properties: [.attribute("title", .string)])
    )
    let container = try PersistentContainer(
      name: "Notes",
      model: model,
      store: .custom { NotebookStore() }
    )
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Note").setValue("Buy bread", forKey: "title")
    try context.save()

    var bread = FetchRequest<ManagedObject>(entityName: "Note")
    bread.predicate = "title CONTAINS 'bread'"
    let count = try container.newBackgroundContext().count(for: bread)  // 1
    #expect(count == 1)
  }
}
