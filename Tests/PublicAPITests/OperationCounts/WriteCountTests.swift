// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Counts the reports of its controller.
private final class ReportCounter: FetchedResultsControllerDelegate {
  typealias Element = Commit

  private(set) var count = 0

  func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) { count += 1 }
}

/// The statements of writing, and what live results ask after a save.
@Suite("Operation counts: writing")
struct WriteCountTests {
  private typealias Counts = CountedStore.Counts

  /// A store that has no statements takes a save as one request.
  private func statements(_ count: Int, _ kind: StoreKind) -> Int { kind == .sqlite ? count : 1 }

  @Test(arguments: StoreKind.allCases)
  func `inserted objects are written sixteen at a time, and the rest one by one`(
    _ kind: StoreKind
  ) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    for number in 500..<600 { CountedStore.commit(number, in: context) }
    let saved = try store.counts { try context.save() }
    // Two statements reserve the keys, and tell the greatest one; 100 are 6 × 16 and 4.
    #expect(saved.statements == statements(2 + 6 + 4, kind))
    #expect(saved.rows <= 1 && saved.faults == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `changed objects are a statement each, and nothing is read`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    for commit in try context.fetch(Commit.all) { commit.message += "!" }
    let saved = try store.counts { try context.save() }
    #expect(saved == Counts(statements: statements(100, kind)))
  }

  @Test(arguments: StoreKind.allCases)
  func `deleted objects are a statement each, and nothing is read`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    for commit in try context.fetch(Commit.all) { context.delete(commit) }
    let saved = try store.counts { try context.save() }
    #expect(saved == Counts(statements: statements(100, kind)))
  }

  @Test(arguments: StoreKind.allCases)
  func `a cascade reads the members of all owners at once`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    for author in try context.fetch(Author.all) { context.delete(author) }
    let saved = try store.counts { try context.save() }
    // The members are read by one statement; ten authors and 100 commits go.
    #expect(saved == Counts(statements: 1 + statements(110, kind), rows: 100))
  }

  @Test(arguments: StoreKind.allCases)
  func `values that are set to what they are ask nothing of the store`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    for (number, commit) in try context.fetch(Commit.sorted(by: \.date)).enumerated() {
      commit.message = "message \(number)"
    }
    let saved = try store.counts { try context.save() }
    #expect(saved == Counts(statements: 0))
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `an upsert looks for 500 keys at once, and writes what differs`(
    _ kind: StoreKind,
    _ isEqual: Bool
  ) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    let log = (0..<100).map { number in
      LogEntry(
        sha: "sha \(1_000 + number)",
        message: "message \(number)" + (isEqual || number >= 30 ? "" : "!"),
        date: Date(timeIntervalSinceReferenceDate: Double(number))
      )
    }
    let found = try store.counts {
      _ = try context.upsert(Commit.self, from: log, matching: \.sha, \.sha) { commit, entry in
        commit.message = entry.message
        commit.date = entry.date
      }
    }
    #expect(found == Counts(statements: 1, rows: 100))
    let saved = try store.counts { try context.save() }
    #expect(saved == Counts(statements: isEqual ? 0 : statements(30, kind)))
  }

  @Test(arguments: StoreKind.allCases)
  func `objects that are found or inserted one by one bring a row each at most`(
    _ kind: StoreKind
  ) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    let found = try store.counts {
      for number in 90..<110 {
        let sha = "sha \(1_000 + number)"
        try context.findOrInsert(Commit.self, where: \.sha, equals: sha).message = "found"
      }
    }
    #expect(found == Counts(statements: 20, rows: 10))
    #expect(context.insertedObjects.count == 10 && context.updatedObjects.count == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `new objects with taken unique values are merged with a few statements`(
    _ kind: StoreKind
  ) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    for number in 0..<100 { CountedStore.commit(number, in: context) }
    let saved = try store.counts { try context.save() }
    // Keys, an attempt, and one look at the rows that have the values: never one look for each.
    #expect(saved.statements < 10)
  }

  /// One statement for the changed rows, and steps of a binary search among the 100 others.
  private func isOneLook(at count: Int, _ counts: Counts) -> Bool {
    let steps = 7
    return (1...1 + steps).contains(counts.statements)
      && (count...count + steps).contains(counts.rows) && counts.faults == 0
  }

  @Test(arguments: StoreKind.allCases)
  func `a results controller looks at what another context has saved once`(_ kind: StoreKind) throws
  {
    let store = try CountedStore(kind)
    let context = store.context()
    context.automaticallyMergesChangesFromParent = true
    let controller = try context.results(Commit.sorted(by: \.date))
    let reports = ReportCounter()
    controller.delegate = reports
    _ = controller.fetchedObjects?.map(\.message)
    let other = store.context()
    for commit in try other.fetch(Commit.sorted(by: \.date).limit(10)) { commit.message += "!" }
    try other.save()
    let merged = try store.counts { try context.processPendingChanges() }
    #expect(isOneLook(at: 10, merged))
    #expect(reports.count == 1)
    var messages: [String]?
    let read = store.counts { messages = controller.fetchedObjects?.map(\.message) }
    #expect(read == Counts(statements: 0))
    #expect(messages?.filter { $0.hasSuffix("!") }.count == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `a results controller looks at objects that move once`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    let controller = try context.results(Commit.sorted(by: \.date))
    let reports = ReportCounter()
    controller.delegate = reports
    let commits = try #require(controller.fetchedObjects)
    for commit in commits.prefix(10) { commit.date = commit.date.addingTimeInterval(1_000) }
    let moved = try store.counts { try context.processPendingChanges() }
    #expect(isOneLook(at: 10, moved))
    #expect(reports.count == 1)
    #expect(controller.fetchedObjects?.last?.message == "message 9")
    let saved = try store.counts { try context.save() }
    #expect(saved == Counts(statements: statements(10, kind)))
  }

  @Test func `batch requests are a statement each`() throws {
    let store = try CountedStore(.sqlite)
    let context = store.context()
    var update = BatchUpdateRequest(Commit.self, where: "sha >= 'sha 1050'")
    update.set(\Commit.message, to: "changed")
    let updated = try store.counts { _ = try context.execute(update) }
    #expect(updated == Counts(statements: 1))
    let deleted = try store.counts { _ = try context.execute(BatchDeleteRequest(Commit.all)) }
    #expect(deleted == Counts(statements: 1))
  }
}
