// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialPostgres

/// Perennial's side, written as a user would: public API only.
struct OurPostgresSide {
  let container: PersistentContainer
  let context: ManagedObjectContext

  /// Opens the store, or makes it.
  init(_ url: String) throws {
    guard let url = URL(string: url) else { throw BenchmarkError("'\(url)' is no URL.") }
    container = try PersistentContainer(
      name: "Benchmark",
      entities: Commit.self,
      Author.self,
      store: .postgres(url)
    )
    context = container.newBackgroundContext()
  }

  /// How often somebody has waited for the server.
  var roundTrips: Int { container.counters.roundTrips }

  func insert(_ workload: Workload) throws {
    let authors = workload.authors.map { record in
      let author = Author(context: context)
      author.email = record.email
      author.name = record.name
      return author
    }
    for record in workload.commits {
      let commit = Commit(context: context)
      commit.sha = record.sha
      commit.message = record.message
      commit.url = record.url
      commit.date = record.date
      commit.author = authors[record.author]
    }
    try context.save()
  }

  func readAll() throws -> UInt64 { Self.sum(of: try context.fetch(Commit.all)) }

  func lookUp(_ batches: [[String]]) throws -> UInt64 {
    try batches.reduce(0) { sum, shas in
      if shas.count == 1 {
        return try context.first(Commit.filter("sha == \(shas[0])")).map { sum &+ Self.sum(of: $0) }
          ?? sum
      }
      return sum &+ Self.sum(of: try context.fetch(Commit.filter("sha IN \(shas)")))
    }
  }

  /// The commits with these shas, in this order.
  func commits(_ shas: [String]) throws -> [Commit] {
    var found: [String: Commit] = [:]
    for commit in try context.fetch(Commit.filter("sha IN \(shas)")) { found[commit.sha] = commit }
    return shas.compactMap { found[$0] }
  }

  func save(_ batches: [[(commit: Commit, message: String)]]) throws {
    for batch in batches {
      for (commit, message) in batch { commit.message = message }
      try context.save()
    }
  }

  private static func sum(of commits: [Commit]) -> UInt64 {
    var sum: UInt64 = 0
    for commit in commits { sum &+= self.sum(of: commit) }
    return sum
  }

  private static func sum(of commit: Commit) -> UInt64 {
    rowSum(message: commit.message, sha: commit.sha, url: commit.url, date: commit.date)
  }
}
