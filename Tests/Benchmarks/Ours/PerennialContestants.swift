// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Perennial's side, written as a user would: public API only.
enum PerennialContestants {
  /// Makes an empty store at `file`, which the raw contestants then use too.
  static func createStore(at file: URL) throws {
    _ = try container(at: file)
  }

  static func contestants(for operation: Operation) -> [Contestant] {
    switch operation {
    case .insert: [contestant(.stored, insert)]
    case .readAll: [contestant(.sum, readAll)]
    case .fetchUntouched: [contestant(.count, fetchUntouched)]
    case .fetchFaults:
      [
        contestant(.count, fetchFaults),
        contestant(.count, role: .variant("Perennial, IDs only"), fetchIDs),
      ]
    case .lookUp: [lookUp]
    case .lookUpBatches: [lookUpBatches]
    case .update: [edit { commits, context, workload in try update(commits, context, workload) }]
    case .delete: [edit { commits, context, _ in try delete(commits, context) }]
    case .toOne: [contestant(.sum, authorNames)]
    case .toManyCount: [contestant(.sum, commitCounts)]
    case .upsertEqual, .upsertChanged: [contestant(.stored, upsert)]
    case .first, .firstIndexed: [first(turns: operation.turnCount)]
    case .batchedIndexed, .batched: [contestant(.sum, batched)]
    case .memory, .memoryOfFew: [contestant(.sum, readAll)]
    case .faultMemory: [contestant(.count, fetchFaults)]
    case .listMemory: [contestant(.count, fetchList)]
    case .countMatches: [contestant(.sum, countMatches)]
    case .open: [open]
    case .readNumber, .readEditedNumber: [readNumber(isEdited: operation == .readEditedNumber)]
    case .readText: [readText]
    case .search, .scan, .accentScan: [contestant(.sum, finding(operation))]
    case .words, .rareWords: [indexed(operation)]
    case .parse: [contestant(.count, parse)]
    case .evaluate: [evaluate]
    case .groupedCount: [contestant(.sum, groupedCount)]
    case .history: history
    case .batchInsert: [batchInsert]
    case .batchUpdate: [contestant(.count, batchUpdate)]
    case .batchDelete: [contestant(.count, batchDelete)]
    case .results: [contestant(.sum, results)]
    case .oneChange: [changes(by: 1, .oneChange)]
    case .manyChanges: [changes(by: 1_000, .manyChanges)]
    case .controllers: [controllers]
    case .sectionedController: [sectionedController]
    case .jsonOpen, .jsonSave, .jsonMemory, .jsonSavingMemory: json(operation)
    case .migrateAttribute, .migrateEntity: migration(operation)
    }
  }

  static func container(at file: URL) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Benchmark",
      entities: Commit.self,
      Author.self,
      store: .sqlite(file)
    )
  }

  /// The same work in a store with a history and in one without, which is the yardstick here.
  private static var history: [Contestant] {
    [(Contestant.Role.ours, true), (.yardstick, false)].map { role, hasHistory in
      Contestant(role: role, check: .stored) { trial in
        var store = StoreDescription.sqlite(trial.file)
        store.historyTracking = hasHistory
        let container = try PersistentContainer(
          name: "Benchmark",
          entities: Commit.self,
          Author.self,
          store: store
        )
        let context = container.newBackgroundContext()
        return {
          defer { withExtendedLifetime(container) {} }
          return try insert(context, trial.workload)
        }
      }
    }
  }

  /// A contestant whose container is opened anew and whose context is new for each repetition.
  static func contestant(
    _ check: Contestant.Check,
    role: Contestant.Role = .ours,
    _ work: @escaping (ManagedObjectContext, Workload) throws -> UInt64
  ) -> Contestant {
    Contestant(role: role, check: check) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      return {
        defer { withExtendedLifetime(container) {} }
        return try work(context, trial.workload)
      }
    }
  }

  static func insert(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
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
    return 0
  }

  private static func readAll(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    var sum: UInt64 = 0
    for commit in try context.fetch(Commit.all) {
      sum &+= rowSum(
        message: commit.message,
        sha: commit.sha,
        url: commit.url,
        date: commit.date
      )
    }
    return sum
  }

  private static func fetchUntouched(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    UInt64(try context.fetch(Commit.all).count)
  }

  private static func upsert(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    context.mergePolicy = .mergeByPropertyObjectTrump
    let authors = try authors(context, workload)
    _ = try context.upsert(
      Commit.self,
      from: workload.commits,
      matching: \.sha,
      \.sha
    ) { commit, record in
      commit.message = record.message
      commit.url = record.url
      commit.date = record.date
      commit.author = authors[record.author]
    }
    try context.save()
    return 0
  }

  /// The authors of the workload, found by e-mail, in the workload's order.
  private static func authors(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> [Author] {
    var found: [String: Author] = [:]
    for author in try context.fetch(Author.all) { found[author.email] = author }
    return try workload.authors.map { record in
      guard let author = found[record.email] else {
        throw BenchmarkError("An author of the workload is not in the store.")
      }
      return author
    }
  }
}
