// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A store with 100 commits by 10 authors, and what is asked of it.
struct CountedStore {
  /// What a piece of work has asked of its store.
  struct Counts: Equatable, CustomStringConvertible {
    var statements: Int
    var rows = 0
    var faults = 0

    var description: String { "\(statements) statements, \(rows) rows, \(faults) faults" }
  }

  static let commitCount = 100
  static let authorCount = 10

  let container: PersistentContainer
  private let folder: TemporaryFolder

  init(_ kind: StoreKind) throws {
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "Counted",
      entities: Commit.self,
      Author.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    let authors = (0..<Self.authorCount).map { number in
      let author = Author(context: context)
      author.name = "author \(number)"
      return author
    }
    for number in 0..<Self.commitCount {
      let commit = Self.commit(number, in: context)
      commit.author = authors[number % Self.authorCount]
    }
    try context.save()
  }

  /// A new commit whose values depend on its number.
  @discardableResult
  static func commit(_ number: Int, in context: ManagedObjectContext) -> Commit {
    let commit = Commit(context: context)
    commit.sha = "sha \(1_000 + number)"
    commit.message = "message \(number)"
    commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
    return commit
  }

  /// A context that takes no row from another one.
  func context() -> ManagedObjectContext {
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    return context
  }

  /// What is asked of the store while a closure runs.
  func counts(_ body: () throws -> Void) rethrows -> Counts {
    let before = container.counters
    try body()
    let counters = container.counters - before
    return Counts(
      statements: counters.statements,
      rows: counters.rows,
      faults: counters.faultsFired
    )
  }
}
