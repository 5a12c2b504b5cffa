// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Synchronization
import Testing

/// What the commits tutorial shows of the store itself.
@Suite("The commits tutorial: debugging")
@MainActor
struct CommitsDebuggingTests {
  /// The messages of a log.
  private final class Log: Sendable {
    let messages = Mutex<[String]>([])
  }

  @Test func `the log shows the statements`() throws {
    let folder = try TemporaryFolder()
    let log = Log()
    var store = StoreDescription.sqlite(folder.url.appending(path: "Project38.sqlite"))
    store.logLevel = .statements
    store.log = { event in log.messages.withLock { $0.append(event.message) } }
    let container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: store
    )
    _ = try container.viewContext.fetch(Commit.filter("author.name == 'Joe Groff'"))
    let messages = log.messages.withLock(\.self)
    #expect(messages.contains { $0.hasPrefix("SELECT") && $0.contains("ZAUTHOR") })
  }

  @Test func `the first version's model has commits without authors`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Project38.sqlite")
    let first = try PersistentContainer(
      name: "Project38",
      model: try ManagedObjectModel(
        EntityDescription(
          "Commit",
          uniqueness: [["sha"]],
          properties: [
            .attribute("sha", .string), .attribute("message", .string),
            .attribute("url", .string), .attribute("date", .date),
          ]
        )
      ),
      store: .sqlite(url)
    )
    let commit = try first.viewContext.insert(entityNamed: "Commit")
    for key in ["sha", "message", "url"] { try commit.setValue(key, forKey: key) }
    try commit.setValue(moment(0), forKey: "date")
    try first.viewContext.save()

    // The second version asks for authors; the file is left as it is unless it may be migrated.
    var store = StoreDescription.sqlite(url)
    store.shouldMigrateStoreAutomatically = false
    let error = #expect(throws: PerennialError.self) {
      try PersistentContainer(
        name: "Project38",
        entities: Commit.self,
        Author.self,
        store: store
      )
    }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(
      error?.message.hasPrefix(
        "The model used to open the store is incompatible with the one used to create the store"
      ) == true
    )
    #expect(error?.message.contains("Commit.author: relationship added (to-one Author)") == true)
    #expect(error?.message.contains("Author: entity added") == true)
    #expect(
      try first.viewContext.count(for: FetchRequest<ManagedObject>(entityName: "Commit")) == 1
    )
  }
}
