// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The statements of opening a store, which no change may raise unnoticed.
@Suite("Operation counts: opening")
struct OpenCountTests {
  /// The statements that opening a store runs, and those of a first fetch and a first save after it.
  private func statements(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> (opening: [String], fetch: [String], save: [String]) {
    let log = DebuggingTests.Log()
    var description = kind.description(in: folder)
    description.log = { log.note($0) }
    description.logLevel = .statements
    func take() -> [String] { log.take().filter { $0.kind == .sql }.map(\.message) }
    let container = try PersistentContainer(
      name: "Counted",
      entities: Commit.self,
      Author.self,
      store: description
    )
    let opening = take()
    let context = container.newBackgroundContext()
    _ = try context.fetch(Commit.all.limit(20))
    let fetch = take()
    CountedStore.commit(container.counters.rows, in: context)
    try context.save()
    return (opening, fetch, take())
  }

  @Test func `opening a store that fits reads four times and writes nothing`() throws {
    let folder = try TemporaryFolder()
    _ = try statements(.sqlite, folder)
    let counts = try statements(.sqlite, folder)
    let settings = counts.opening.filter { $0.hasPrefix("PRAGMA") }
    let queries = counts.opening.filter { $0.hasPrefix("SELECT") }
    // The encoding, the journal, how long a save waits, the cache.
    #expect(settings.count == 4)
    // The tables, the metadata, the entities, the indexes.
    #expect(queries.count == 4)
    #expect(counts.opening.count == settings.count + queries.count)
  }

  @Test func `the first fetch is one statement, and two settings`() throws {
    let folder = try TemporaryFolder()
    _ = try statements(.sqlite, folder)
    let fetch = try statements(.sqlite, folder).fetch
    // That it only reads, and its cache.
    #expect(fetch.count == 3)
    #expect(fetch.filter { $0.hasPrefix("SELECT") }.count == 1)
  }

  @Test(arguments: [StoreKind.inMemory, .json])
  func `other stores run no statements`(_ kind: StoreKind) throws {
    let counts = try statements(kind, TemporaryFolder())
    #expect(counts.opening.isEmpty)
  }
}
