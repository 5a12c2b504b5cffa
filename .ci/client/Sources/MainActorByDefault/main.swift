// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// The same in a target as Xcode makes it for apps: everything is on the main actor by default.
// Managed classes are not, with `nonisolated` and without it.
@Managed nonisolated final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var date: Date
  var author: Author?
}

@Managed final class Author: ManagedObject {
  var name: String
  var commits: ToMany<Commit>
}

final class CommitList {
  private let container: PersistentContainer

  init(storedAt file: URL) throws {
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: .sqlite(file)
    )
  }

  func add(_ message: String, by name: String) throws {
    let context = container.viewContext
    try context.persist {
      let commit = Commit(context: context)
      commit.sha = "2f77f2fc"
      commit.message = message
      commit.date = .now
      let author = Author(context: context)
      author.name = name
      commit.author = author
    }
  }

  func sign() async throws -> Int {
    try await container.performBackgroundTask { context in
      let commits = try context.fetch(Commit.all)
      for commit in commits { commit.author?.name += "!" }
      try context.save()
      return commits.count
    }
  }

  func lines() throws -> [String] {
    try container.viewContext.fetch(Commit.sorted(by: \.date, .reverse)).map { commit in
      "\(commit.message) on \(commit.author?.name ?? "nobody")"
    }
  }
}

let list = try CommitList(storedAt: URL(filePath: CommandLine.arguments[1]))
try list.add("Fix a bug", by: "the main actor")
guard try await list.sign() == 1 else { fatalError("the background task found no commit") }
for line in try list.lines() {
  print(line)
}
