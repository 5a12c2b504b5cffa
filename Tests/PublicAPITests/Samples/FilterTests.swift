// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// One filter in all its spellings, as the documentation shows them, over both stores.
@Suite("Filters")
struct FilterTests {
  @Test(arguments: StoreKind.allCases)
  func `a filter has many spellings`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let word = "fix"
    func messages(_ request: FetchRequest<Commit>) throws -> [String] {
      try context.fetch(request.sorted(by: \.date)).map(\.message)
    }

    var request = FetchRequest<Commit>(entityName: "Commit")
    request.predicate = FetchPredicate(
      format: "message CONTAINS[c] %@ AND NOT message BEGINSWITH 'Merge pull request'",
      "fix"
    )
    #expect(try messages(request) == ["Fix a bug"])
    #expect(
      try messages(
        Commit.all.filter(
          format: "message CONTAINS[c] %@ AND NOT message BEGINSWITH 'Merge pull request'",
          "fix"
        )
      ) == ["Fix a bug"]
    )
    #expect(
      try messages(
        Commit.filter {
          $0.message.contains("fix", .caseInsensitive)
            && !$0.message.hasPrefix("Merge pull request")
        }
      ) == ["Fix a bug"]
    )
    #expect(
      try messages(
        Commit.all.filter(
          #Predicate {
            $0.message.contains("fix") && !$0.message.starts(with: "Merge pull request")
          }
        )
      ).isEmpty
    )
    #expect(
      try messages(
        Commit.filter(#Predicate { $0.message.localizedStandardContains(word) })
      ) == ["Fix a bug", "Merge pull request 7: fix"]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `typed conditions reach through relationships`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()

    let recent = try context.fetch(
      Commit.filter { $0.author.name == "Joe Groff" && $0.date < .now.addingTimeInterval(-43_200) }
        .sorted(by: \.author, \.name)
        .sorted(by: \.date)
    )
    let busy = try context.fetch(
      Author.filter { $0.commits.count > 1 && $0.commits.any { $0.message.contains("fix") } }
    )

    #expect(recent.map(\.sha) == ["sha1", "sha2"])
    #expect(busy.map(\.name) == ["Joe Groff"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a request can insist on SQL`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()

    let fixes = try context.fetch(Commit.filter("message CONTAINS[c] 'fix'").requireSQL())
    #expect(fixes.count == 2)

    let computed = Commit.filter("uppercase(message) == 'FIX A BUG'")
    #expect(try context.count(for: computed) == 1)
    guard kind == .sqlite else {
      #expect(try context.count(for: computed.requireSQL()) == 1)
      return
    }
    let error = try #require(throws: PerennialError.self) {
      try context.fetch(computed.requireSQL())
    }
    #expect(error.code == .requiresMemory)
    #expect(error.message.contains("'uppercase(message)'"))
    #expect(throws: PerennialError.self) { try context.count(for: computed.requireSQL()) }
    let child = ManagedObjectContext(parent: context)
    #expect(throws: PerennialError.self) { try child.fetch(computed.requireSQL()) }
  }
}
