// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles
import Testing

/// Samples in the comments of models, descriptions of stores, and what is told of stores.
@Suite("Samples in comments: models and stores")
struct ModelCommentTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "Store.sqlite")
  }

  @Test func `descriptions make models`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        properties: [.attribute("sha", .string), .toOne("author", "Author", inverse: "commits")]
      ),
      EntityDescription(
        "Author",
        properties: [.attribute("name", .string), .toMany("commits", "Commit", inverse: "author")]
      )
    )
    #expect(model.entities.count == 2)

    let commit = EntityDescription(
      "Commit",
      uniqueness: [["sha"]],
      indexes: [["date"]],
      properties: [.attribute("sha", .string), .attribute("date", .date)]
    )
    #expect(try ManagedObjectModel(commit).entities == [commit])

    let properties: [PropertyDescription] = [
      .attribute("sha", .string),
      .toOne("author", "Author", inverse: "commits"),
    ]
    #expect(properties.map(\.name) == ["sha", "author"])

    let byDate = FetchIndexDescription(["date"])
    let byWords = FetchIndexDescription(fullText: "message")
    #expect(byDate != byWords)

    let namesakes = FetchedPropertyDescription(
      "namesakes",
      entity: "Author",
      predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE"
    )
    var author = EntityDescription("Author", properties: [.attribute("name", .string)])
    author.fetchedProperties = [namesakes]
    #expect(try ManagedObjectModel(author).entities.count == 1)
  }

  @Test func `entities are changed`() throws {
    var entity = EntityDescription(
      "Picture",
      properties: [.attribute("photo", .binaryData), .toOne("author", "Author", inverse: nil)]
    )
    let before = entity
    entity.changeAttribute("photo") { $0.versionHashModifier = "2" }
    entity.changeRelationship("author") { $0.userInfo = ["label": "Author"] }
    #expect(entity != before)
    let secure =
      ValidationPredicate("SELF BEGINSWITH 'https:'", message: "The address must be a secure one.")
    #expect(secure.message == "The address must be a secure one.")
  }

  @Test func `a plan is looked at`() throws {
    let released = try ManagedObjectModel(
      EntityDescription("Note", properties: [.attribute("text", .string)])
    )
    let model = try ManagedObjectModel(
      EntityDescription("Note", properties: [.attribute("title", .string)])
    )
    let plan = MigrationPlan(from: released, to: model)
    print(plan)
    if plan.risk >= .destructive { print("something would be lost") }
    #expect(plan.risk == .destructive)
  }

  @Test func `model files are read`() throws {
    let library = folder.url.appending(path: "Library.xcdatamodel")
    try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
    let original = try ManagedObjectModel(
      EntityDescription("Note", properties: [.attribute("title", .string, optional: true)])
    )
    try ModelDocument(original, named: "Library").contents.write(
      to: library.appending(path: "contents")
    )
    let url = library
    do {
      let source = try ModelDocument(contentsOf: url).swiftSource()
      for file in source.files { print(file.name) }
      #expect(source.files.count == 2)
    }
  }

  /// They name files that are not there: compiled only.
  private func namedFiles() throws {
    do {
      let document = try ModelDocument(contentsOf: URL(filePath: "Library.xcdatamodeld"))
      for diagnostic in document.diagnostics { print(diagnostic) }
      let container = try PersistentContainer(name: "Library", model: document.model)
      _ = container
    }
    do {
      let file = try ModelFile(contentsOf: URL(filePath: "Library.xcdatamodeld"))
      print(file.versionNames, try file.currentVersionName)
      let first = try file.version(named: "Library")
      _ = first
    }
  }

  @Test func `descriptions of stores`() throws {
    do {
      var store = StoreDescription.sqlite(URL(filePath: "/tmp/Project38.sqlite"))
      store.busyTimeout = .seconds(2)
      store.pragmas = ["cache_size": "-131072", "secure_delete": "ON"]
      #expect(store.pragmas.count == 2)
    }
    var store = StoreDescription.sqlite(url)
    store.log = { event in print(event.kind, event.message) }
    store.logLevel = .off
    let container = try PersistentContainer(
      name: "S",
      entities: Commit.self,
      Author.self,
      store: store
    )
    let context = container.newBackgroundContext()
    func show(_ commits: [Commit]) { #expect(commits.isEmpty) }
    let before = container.counters
    show(try context.fetch(Commit.all))
    assert((container.counters - before).statements == 1)
  }

  @Test func `metadata are read and written`() throws {
    _ = try PersistentContainer(name: "S", entities: Commit.self, Author.self, store: .sqlite(url))
    var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: .sqlite(url))
    metadata["lastImport"] = .date(.now)
    try PersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreAt: .sqlite(url))
    let read = try PersistentStoreCoordinator.metadataForPersistentStore(at: .sqlite(url))
    #expect(read["lastImport"] == metadata["lastImport"])
  }

  @Test func `a condition becomes SQL`() throws {
    func sql(_ condition: StoreCondition) throws -> String {
      switch condition {
      case .and(let parts): try "(" + parts.map(sql).joined(separator: " AND ") + ")"
      case .comparison(let path, .equal, .integer(let number), _) where path.count == 1:
        "\(path[0]) IS \(number)"
      default: throw PreferInMemory.filter
      }
    }
    let predicate: FetchPredicate = "pages == 3 AND year == 2008"
    #expect(try sql(predicate.condition) == "(pages IS 3 AND year IS 2008)")
  }

  @Test func `a list of members is changed`() throws {
    let text = """
      {"relationship": {"entityName": "Author", "name": "posts", "table": "Author",
        "destinationTable": "Post", "isOrdered": true},
       "owner": 1, "removed": [5], "added": [7, 6], "order": [8, 6], "replacesList": false}
      """
    let change = try JSONDecoder().decode(StoreChanges.MemberChange.self, from: Data(text.utf8))
    var lists = [change.relationship: [Int64(1): [Int64(4), 5, 6]]]
    keep(change, &lists)
    #expect(lists == [change.relationship: [1: [6, 4, 7]]])
  }

  @Test func `a problem of a store's own is told`() throws {
    func damaged() throws {
      throw StoreProblem(
        .unreadable,
        "The file 'Commit.csv' has no first line.",
        recovery: "restore it from a backup; it has been left as it is"
      )
    }
    let problem = #expect(throws: StoreProblem.self) { try damaged() }
    #expect(problem?.recovery.hasPrefix("restore it") == true)
  }

  /// As a store keeps its lists.
  private func keep(
    _ change: StoreChanges.MemberChange,
    _ lists: inout [StoreRelationship: [Int64: [Int64]]]
  ) {
    let old = lists[change.relationship]?[change.owner] ?? []
    lists[change.relationship, default: [:]][change.owner] = change.applied(to: old)
  }
}
