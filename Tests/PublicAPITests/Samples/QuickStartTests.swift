// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The README's first sample; `make client-test` runs it as a program.
enum QuickStart {
  @Managed final class Commit: ManagedObject {
    @Unique var sha: String
    var message: String
    var date: Date
  }
}

@Suite("Quick start")
struct QuickStartTests {
  @Test @MainActor func `a saved commit is fetched`() throws {
    typealias Commit = QuickStart.Commit
    let container = try PersistentContainer.inMemory(Commit.self)
    var lines: [String] = []
    let moc = container.viewContext
    try moc.persist {
      let commit = Commit(context: moc)
      commit.sha = "2f77f2fc"
      commit.message = "Fix a bug"
      commit.date = .now
    }
    for commit in try moc.fetch(Commit.sorted(by: \.date, .reverse).limit(20)) {
      lines.append(commit.message)
    }
    #expect(lines == ["Fix a bug"])
  }

  @Test func `a store in memory for tests needs one line`() throws {
    let container = try PersistentContainer.inMemory(Commit.self, Author.self)
    #expect(container.storeDescription.url == nil)
    #expect(Set(container.managedObjectModel.entitiesByName.keys) == ["Commit", "Author"])
  }

  @Test func `a store of a file keeps what was saved`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "Project38.sqlite")
    for expected in [1, 2] {
      let container = try PersistentContainer(
        name: "Project38",
        entities: QuickStart.Commit.self,
        store: .sqlite(file)
      )
      let count = try await container.performBackgroundTask { context in
        let commit = QuickStart.Commit(context: context)
        commit.sha = "sha\(expected)"
        commit.message = "Fix a bug"
        commit.date = .now
        try context.save()
        return try context.count(for: QuickStart.Commit.all)
      }
      #expect(count == expected)
    }
  }
}
