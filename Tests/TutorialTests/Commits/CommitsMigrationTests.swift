// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialCoreDataNames
import Testing

/// The step of the tutorial that adds authors to a model whose store is full of commits.
@MainActor
@Suite("The commits tutorial: the second version of the model")
struct CommitsMigrationTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.url.appending(path: "Project38.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    let model = try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["date"]],
        properties: [
          .attribute("sha", .string), .attribute("message", .string), .attribute("url", .string),
          .attribute("date", .date),
        ]
      )
    )
    let container = try PersistentContainer(name: "Project38", model: model, store: .sqlite(url))
    let context = container.newBackgroundContext()
    for number in 1...3 {
      let commit = try context.insert(entityNamed: "Commit")
      for key in ["sha", "message", "url"] { try commit.setValue("\(key) \(number)", forKey: key) }
      try commit.setValue(moment(Double(number)), forKey: "date")
    }
    try context.save()
  }

  private func open(_ options: [AnyHashable: Any]?) throws -> PersistentContainer {
    try NSPersistentStoreCoordinator(entities: Commit.self, Author.self).addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: options
    )
  }

  @Test func `the store is migrated, and commits have no author yet`() throws {
    let context = try open([
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]).viewContext
    var request = Commit.createFetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: false)]
    let commits = try context.fetch(request)
    #expect(commits.map(\.sha) == ["sha 3", "sha 2", "sha 1"])
    #expect(commits.map(\.message) == ["message 3", "message 2", "message 1"])
    #expect(commits.allSatisfy { $0.author == nil })
    let author = Author(context: context)
    author.name = "Joe Groff"
    author.email = "joe@example.com"
    let newest = try #require(commits.first)
    newest.author = author
    try context.save()
    #expect(author.commits.count == 1)
  }

  @Test func `without the options the error says what differs`() throws {
    let before = try Data(contentsOf: url)
    let optionLists: [[AnyHashable: Any]?] = [
      nil, [NSMigratePersistentStoresAutomaticallyOption: true],
    ]
    for options in optionLists {
      let error = #expect(throws: PerennialError.self) { try open(options) }
      #expect(error?.code == .incompatibleVersionHash)
      #expect(
        error?.message.hasPrefix(
          "The model used to open the store is incompatible with the one used to create the store"
        ) == true
      )
      #expect(error?.problems.map(\.property).contains("author") == true)
    }
    #expect(try Data(contentsOf: url) == before)
  }
}
