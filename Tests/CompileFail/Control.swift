// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// What the refused cases resemble, done rightly: this file must compile.

import Perennial

@MainActor func readTitle(of id: ManagedObjectID, in container: PersistentContainer) throws
  -> String
{
  try container.viewContext.object(Commit.self, with: id).message
}

func importCommits(_ container: PersistentContainer) async throws -> [ManagedObjectID] {
  try await container.performBackgroundTask { context in
    let commit = Commit(context: context)
    commit.sha = "2f77f2fc"
    try context.save()
    return try context.fetch(Commit.all).map(\.objectID)
  }
}

func countCommits(_ container: PersistentContainer) async throws -> Int {
  try await container.performBackgroundTask { try $0.count(for: Commit.all) }
}

actor Titles {
  private let context: ManagedObjectContext

  init(_ container: PersistentContainer) {
    context = container.newBackgroundContext()
  }

  func title(of id: ManagedObjectID) throws -> String {
    try context.object(Commit.self, with: id).message
  }
}

func filtered(by word: String) -> [FetchRequest<Commit>] {
  [
    Commit.all.filter(format: "message CONTAINS[c] %@", word),
    Commit.all.filter("message CONTAINS[c] \(word)"),
    Commit.filter("message CONTAINS[c] \(word)"),
    Commit.filter(#FetchPredicate(Commit.self, "author.commits.@count > 3 AND sha != \(word)")),
  ]
}
