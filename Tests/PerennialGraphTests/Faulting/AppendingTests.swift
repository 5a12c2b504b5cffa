// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1C.5: growing a to-many relationship")
struct AppendingTests {
  /// Inserting costs the same however many members there are already: nothing is asked.
  @Test(arguments: StoreKind.allCases, [10, 2_000])
  func `1C.5 inserting members one by one asks the store nothing, however many there are`(
    _ kind: StoreKind,
    _ members: Int
  ) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: members)
    let context = bench.context()
    let author = try #require(try context.first(Author.all))
    let asked = try bench.asked {
      for number in 0..<100 {
        let commit = Commit(context: context)
        commit.sha = "new \(number)"
        author.commits.insert(commit)
      }
      try context.processPendingChanges()
    }
    #expect(asked.total == 0)
    #expect(try bench.asked { try context.save() }.total == 0)
    #expect(author.commits.count == members + 100)
  }

  @Test(arguments: StoreKind.allCases, [10, 2_000])
  func `1C.5 testing and counting the members loads no row`(
    _ kind: StoreKind,
    _ members: Int
  ) throws {
    let bench = try FaultBench(kind, authors: 2, commitsEach: members)
    let context = bench.context()
    let authors = try context.fetch(Author.all)
    let author = try #require(authors.first)
    let commit = try #require(try context.first(Commit.filter("author == \(author)")))
    let before = bench.store.givenRows
    let asked = bench.asked {
      #expect(author.commits.contains(commit))
      #expect(author.commits.count == members)
    }
    #expect(bench.store.givenRows == before && asked.members == 0, "\(asked)")
  }

  /// A COUNT beside it could be another number, once somebody has saved in between.
  @Test(arguments: StoreKind.allCases)
  func `1C.4 an array of ordered members is one question`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = bench.context()
    let team = try #require(try context.first(Team.all))
    var names: [String] = []
    let asked = bench.asked { names = Array(team.members).map(\.name) }
    #expect(names == ["author 0"])
    #expect(asked.counts + asked.memberCounts == 0 && asked.total == 1, "\(asked)")
  }
}
