// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Synchronization
import Testing

@Suite("Fetches on another thread")
struct BackgroundFetchTests {
  private func fill(_ bench: Bench, count: Int) throws {
    let context = bench.context()
    let author = Author(context: context)
    author.name = "Ann"
    for number in 0..<count {
      let commit = context.insertCommit("\(number)", "message \(number % 3)")
      commit.author = author
    }
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.12 a fetch on another thread gives what a fetch gives`(_ kind: StoreKind) async throws {
    let bench = try Bench(kind)
    try fill(bench, count: 10)
    let context = bench.context()
    let changed = try #require(try context.first(Commit.filter("sha == '4'")))
    changed.message = "message 0"
    let new = context.insertCommit("new", "message 0")
    let gone = try #require(try context.first(Commit.filter("sha == '3'")))
    context.delete(gone)
    let request = Commit.filter("message == 'message 0'").sorted(by: \.sha)
    let found = try await context.fetchInBackground(request)
    #expect(found.map(\.sha) == ["0", "4", "6", "9", "new"])
    #expect(found.contains { $0 === new })
    #expect(found.contains { $0 === changed })
    let windowed = try await context.fetchInBackground(request.offset(1).limit(2))
    #expect(windowed.map(\.sha) == ["4", "6"])
    let prefetched = try await context.fetchInBackground(Commit.all.prefetching(\.author).limit(2))
    #expect(prefetched.allSatisfy { $0.author?.isFault == false })
    let child = ManagedObjectContext(parent: context)
    #expect(try await child.fetchInBackground(request).map(\.sha) == found.map(\.sha))
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.12 a cancelled task's fetch is a typed error and leaves the context as it was`(
    _ kind: StoreKind
  ) async throws {
    let bench = try Bench(kind)
    try fill(bench, count: 3)
    let task = Task { () async throws -> (PerennialError.Code?, Int, Bool) in
      let context = bench.context()
      let new = context.insertCommit("new")
      // Ends when the task is cancelled.
      try? await Task.sleep(for: .seconds(600))
      var code: PerennialError.Code?
      do {
        _ = try await context.fetchInBackground(Commit.all)
      } catch {
        code = (error as? PerennialError)?.code
      }
      let count = try context.fetch(Commit.all).count
      try context.save()
      return (code, count, new.objectID.isTemporaryID)
    }
    task.cancel()
    let (code, count, isTemporary) = try await task.value
    #expect(code == .fetchCancelled)
    #expect(count == 4)
    #expect(!isTemporary)
  }

  @Test func `1G.12 cancelling interrupts a long statement, and no other`() throws {
    let bench = try Bench(.sqlite)
    let context = bench.context()
    let teams = (0..<120).map { _ in Team(context: context) }
    for (place, team) in teams.enumerated() {
      for ally in teams[..<place] { team.allies.insert(ally) }
    }
    try context.save()
    // Two hundred million ways from team to team to team to team: half a minute.
    let condition = FetchPredicate(
      format: """
        SUBQUERY(allies, $a, SUBQUERY($a.allies, $b, ANY $b.allies.title == 'x').@count > 0).@count > 0
        """
    )
    let store = bench.coordinator.store
    let cancellation = FetchCancellation()
    let entity = try store.model.entity(named: "Team").index
    var query = StoreQuery(entity: entity, predicate: condition)
    query.cancellation = cancellation
    let slow = query
    // Threads of their own: a task waits for a free one, while other tests run, until the half minute is over.
    let answer = Answer()
    Thread { answer.give(PerennialGraphTests.code { try store.fetchRows(slow) { _ in } }) }.start()
    while !cancellation.isRunning, !answer.isGiven { Thread.sleep(forTimeInterval: 0.001) }
    #expect(try store.count(StoreQuery(entity: entity)) == 120)
    cancellation.cancel()
    #expect(answer.wait() == .fetchCancelled)
    // The connection goes on working.
    #expect(try store.count(StoreQuery(entity: entity)) == 120)
    #expect(try bench.context().fetch(Team.filter("title == ''")).count == 120)
  }

  @Test(
    arguments: [
      (.inMemory, "author.name == 'Ann'"), (.sqlite, "author.name == 'Ann'"),
      (.sqlite, "message == 'x'"), (.sqlite, "message IN {'x', 'y'}"),
    ] as [(StoreKind, String)]
  )
  func `1G.12 a fetch that was cancelled before it began does not begin`(
    _ kind: StoreKind,
    _ format: String
  ) throws {
    let bench = try Bench(kind)
    try fill(bench, count: 3)
    let store = bench.coordinator.store
    var query = StoreQuery(entity: try store.model.entity(named: "Commit").index)
    query.predicate = try FetchPredicate(parsing: format)
    let cancellation = FetchCancellation()
    cancellation.cancel()
    query.cancellation = cancellation
    #expect(code { try store.fetchRows(query) { _ in } } == .fetchCancelled)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.12 what was saved before a fetch is in it, whatever is saved meanwhile`(
    _ kind: StoreKind
  ) async throws {
    let bench = try Bench(kind)
    try fill(bench, count: 100)
    let coordinator = bench.coordinator
    let counter = Counter()
    let saver = Task.detached {
      defer { counter.isOver.withLock { $0 = true } }
      let context = ManagedObjectContext(coordinator: coordinator)
      for round in 0..<50 {
        _ = context.insertCommit("round \(round)", "new")
        try context.save()
        counter.saved.withLock { $0 = round + 1 }
      }
    }
    let context = bench.context()
    var isOver = false
    repeat {
      isOver = counter.isOver.withLock(\.self)
      let least = counter.saved.withLock(\.self)
      let found = try await context.fetchInBackground(Commit.filter("message == 'new'"))
      let shas = Set(found.map(\.sha))
      #expect((0..<least).allSatisfy { shas.contains("round \($0)") })
      #expect(shas == Set((0..<found.count).map { "round \($0)" }))
    } while !isOver
    try await saver.value
  }
}

private final class Counter: Sendable {
  let saved = Mutex(0)
  let isOver = Mutex(false)
}

private final class Answer: Sendable {
  private let code = Mutex<PerennialError.Code??>(nil)
  private let given = DispatchSemaphore(value: 0)

  var isGiven: Bool { code.withLock { $0 != nil } }

  func give(_ code: PerennialError.Code?) {
    self.code.withLock { $0 = .some(code) }
    given.signal()
  }

  func wait() -> PerennialError.Code? {
    given.wait()
    return code.withLock { $0 ?? nil }
  }
}
