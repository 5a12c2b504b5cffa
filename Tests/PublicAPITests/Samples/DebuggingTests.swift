// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Synchronization
import Testing

/// Two ways to lead to an album, and one back: nobody says which it belongs to.
@Managed final class Postcard: ManagedObject {
  var text: String
  var album: PostcardAlbum?
  var formerAlbum: PostcardAlbum?
}

@Managed final class PostcardAlbum: ManagedObject {
  var title: String
  var postcards: ToMany<Postcard>
}

/// Samples of looking at what a store does.
@Suite("Debugging samples")
struct DebuggingTests {
  /// The events of a log, in their order.
  final class Log: Sendable {
    private let events = Mutex<[LogEvent]>([])

    func note(_ event: LogEvent) { events.withLock { $0.append(event) } }

    /// The events since this was called last.
    func take() -> [LogEvent] {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  /// A container with a log, and 30 commits by 25 authors.
  private struct Store {
    let container: PersistentContainer
    let log = Log()
    private let folder: TemporaryFolder

    init(_ kind: StoreKind, _ level: LogLevel?) throws {
      folder = try TemporaryFolder()
      var description = kind.description(in: folder)
      let log = log
      description.log = { log.note($0) }
      description.logLevel = level
      container = try PersistentContainer(
        name: "Debugging",
        entities: Commit.self,
        Author.self,
        store: description
      )
      let context = container.newBackgroundContext()
      for number in 0..<25 {
        let author = Author(context: context)
        author.name = "author \(number)"
        let commit = Commit(context: context)
        commit.sha = "secret \(number)"
        commit.message = "message"
        commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
        commit.author = author
      }
      try context.save()
    }
  }

  @Test(arguments: LogLevel.allCases)
  func `1L.1 each level tells more of a statement`(_ level: LogLevel) throws {
    let store = try Store(.sqlite, level)
    let written = store.log.take().filter { $0.kind != .migration }
    let context = store.container.newBackgroundContext()
    #expect(try context.fetch(Commit.filter("sha BEGINSWITH 'secret 1'")).count == 11)
    // A new reader has some settings of its own.
    let read = store.log.take().drop { !$0.message.hasPrefix("SELECT") }

    #expect(written.isEmpty == (level == .off))
    #expect(written.contains { $0.message.contains("INTO ZCOMMIT") } == (level > .off))
    guard level > .off else { return #expect(read.isEmpty) }
    let statement = try #require(read.first)
    #expect(statement.kind == .sql && statement.message.contains("FROM ZCOMMIT AS t0 WHERE"))
    let shows = (written + read).contains { $0.message.contains("'secret 1") }
    #expect(shows == (level >= .values))
    #expect(statement.message.contains("?") == (level < .values))
    let times = read.filter { $0.kind == .annotation }.map(\.message)
    #expect(times.count == (level >= .times ? 1 : 0))
    let form = /sql execution time: [0-9]+\.[0-9]{4}s for 11 rows/
    #expect(times.allSatisfy { $0.wholeMatch(of: form) != nil })
    let plan = read.filter { $0.kind == .details }.map(\.message)
    #expect(plan.contains { $0.contains("SEARCH t0") } == (level == .plans))
  }

  @Test func `1L.1 a log without a level tells statements and times`() throws {
    let store = try Store(.sqlite, nil)
    let kinds = Set(store.log.take().map(\.kind))
    let level = ProcessInfo.processInfo.environment["PERENNIAL_SQL_DEBUG"]
    if level == nil { #expect(kinds == [.migration, .sql, .annotation]) }
  }

  @Test func `1L.1 a store in memory has no statements to log`() throws {
    let store = try Store(.inMemory, .plans)
    #expect(try store.container.newBackgroundContext().fetch(Commit.all).count == 25)
    #expect(store.log.take().isEmpty)
  }

  @Test func `1L.1 a log may use another container`() throws {
    let other = try Store(.inMemory, .off).container
    let folder = try TemporaryFolder()
    var description = StoreKind.sqlite.description(in: folder)
    description.logLevel = .plans
    description.log = { _ in _ = try? other.newBackgroundContext().count(for: Author.all) }
    let container = try PersistentContainer(
      name: "Logged",
      entities: Commit.self,
      Author.self,
      store: description
    )
    let before = other.counters
    let context = container.newBackgroundContext()
    Author(context: context).name = "Ada"
    try context.save()
    #expect((other.counters - before).statements > 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 counters tell statements, rows and faults`(_ kind: StoreKind) throws {
    let store = try Store(kind, .off)
    let container = store.container
    let context = container.newBackgroundContext()
    let before = container.counters
    let commits = try context.fetch(Commit.all)
    let fetched = container.counters
    #expect((fetched - before).statements == 1)
    #expect((fetched - before).rows == 25)
    #expect(context.faultStatistics.fetchQueries == 1)

    context.stalenessInterval = 0
    #expect(Set(commits.compactMap { $0.author?.name }).count == 25)
    let read = container.counters - fetched
    #expect(read.statements == 1)
    #expect(read.rows == 25)
    #expect(read.faultsFired == context.faultStatistics.faultsFired)
    #expect(context.faultStatistics.queries == 2)

    #expect(try context.count(for: Commit.all) == 25)
    #expect((container.counters - fetched).statements == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 a look-up and a save are counted`(_ kind: StoreKind) throws {
    let store = try Store(kind, .off)
    let context = store.container.newBackgroundContext()
    let before = store.container.counters
    let commit = try #require(try context.first(Commit.filter("sha == 'secret 7'")))
    #expect((store.container.counters - before).statements == 1)
    #expect((store.container.counters - before).rows == 1)
    commit.message = "changed"
    try context.save()
    #expect((store.container.counters - before).statements == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 a test says how many statements it takes`(_ kind: StoreKind) async throws {
    let store = try Store(kind, .off)
    let container = store.container
    let context = container.newBackgroundContext()
    let names = try container.assertStatements(2) {
      try context.fetch(Commit.all.prefetching(\.author)).compactMap(\.author?.name)
    }
    #expect(names.count == 25)
    try container.assertStatements(0) { _ = context.registeredObjects.count }
    let count = try await container.assertStatements(1) {
      try await container.performBackgroundTask { try $0.count(for: Author.all) }
    }
    #expect(count == 25)
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 another number of statements is an error that lists them`(_ kind: StoreKind) throws {
    let store = try Store(kind, .off)
    let container = store.container
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    context.batchesFaults = false
    let error = #expect(throws: PerennialError.self) {
      try container.assertStatements(1) {
        let secrets = Commit.filter("sha BEGINSWITH 'secret'")
        for commit in try context.fetch(secrets.sorted(by: \.date).limit(3)) {
          _ = commit.author?.name
        }
      }
    }
    #expect(error?.code == .unexpectedStatements)
    let lines = try #require(error?.message).split(separator: "\n")
    #expect(lines.first == "4 statements have run, not 1:" && lines.count == 5)
    #expect(lines.dropFirst().allSatisfy { !$0.contains("secret") })
    #expect(kind != .sqlite || lines[1].hasPrefix("  1. SELECT") && lines[1].contains("ZCOMMIT"))
    #expect(kind != .sqlite || lines[4].contains("ZAUTHOR"))
    struct Stop: Error {}
    #expect(throws: Stop.self) { try container.assertStatements(7) { throw Stop() } }
    try container.assertStatements(1) { _ = try context.count(for: Author.all) }
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 a loop that loads objects one by one is warned of once`(_ kind: StoreKind) throws {
    let store = try Store(kind, .off)
    let context = store.container.newBackgroundContext()
    context.batchesFaults = false
    context.stalenessInterval = 0
    let line = #line + 1
    let commits = try context.fetch(Commit.all)
    _ = store.log.take()
    for commit in commits { _ = commit.author?.name }
    let warnings = store.log.take().filter { $0.kind == .warning }
    #if DEBUG
    #expect(
      warnings.map(\.message) == [
        "'Commit.author' took 20 queries of one object each after the fetch of 'Commit' at "
          + "PublicAPITests/DebuggingTests.swift:\(line); "
          + "fetch with 'prefetching(\"author\")' to load them in one."
      ]
    )
    #else
    #expect(warnings.isEmpty && line > 0)
    #endif
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 members that are loaded one by one are warned of, too`(_ kind: StoreKind) throws {
    let store = try Store(kind, .off)
    let context = store.container.newBackgroundContext()
    context.batchesFaults = false
    let authors = try context.fetch(Author.all)
    for author in authors { #expect(author.commits.contains { _ in true }) }
    let warnings = store.log.take().filter { $0.kind == .warning }
    #if DEBUG
    #expect(warnings.count == 1)
    #expect(warnings.first?.message.contains("'Author.commits'") == true)
    #else
    #expect(warnings.isEmpty)
    #endif
  }

  @Test(arguments: StoreKind.allCases)
  func `1L.1 nothing is warned of where siblings are loaded together`(_ kind: StoreKind) throws {
    let store = try Store(kind, .off)
    let context = store.container.newBackgroundContext()
    context.stalenessInterval = 0
    for commit in try context.fetch(Commit.all) { _ = commit.author?.name }
    context.reset()
    for author in try context.fetch(Author.all) { _ = author.commits.count }
    #expect(store.log.take().allSatisfy { $0.kind != .warning })
  }

  @Test func `1L.1 an inverse that could be several is warned of once in a process`() throws {
    let log = Log()
    for _ in 0..<2 {
      var store = StoreDescription.inMemory
      store.log = { log.note($0) }
      store.logLevel = .off
      let container = try PersistentContainer(
        name: "Postcards",
        entities: Postcard.self,
        PostcardAlbum.self,
        store: store
      )
      let context = container.newBackgroundContext()
      let card = Postcard(context: context)
      card.album = PostcardAlbum(context: context)
      #expect(card.album?.postcards.isEmpty == true)
    }
    let warnings = log.take().filter { $0.kind == .warning }
    #if DEBUG
    #expect(
      warnings.map(\.message) == [
        "'Postcard.album', 'Postcard.formerAlbum', 'PostcardAlbum.postcards' have no inverse, because "
          + "more than one pair would fit; name it on one side with '@Relationship(inverse:)', "
          + "or set 'infersInverse' to false."
      ]
    )
    #else
    #expect(warnings.isEmpty)
    #endif
  }

  @Test func `1L.1 a wrong use is told where it happens`() throws {
    let store = try Store(.inMemory, .off)
    let (mine, other) = (
      store.container.newBackgroundContext(), store.container.newBackgroundContext()
    )
    let commit = try #require(try mine.first(Commit.all))
    _ = store.log.take()
    other.delete(commit)
    let events = store.log.take()
    #expect(events.map(\.kind) == [.concurrency])
    let error = try failure { try other.save() }
    #expect(events.first?.message == error.message)
  }

  @Test func `1L.1 opening tells what it makes`() throws {
    let store = try Store(.sqlite, .off)
    let events = store.log.take().filter { $0.kind == .migration }
    #expect(events.map(\.message) == ["the store 'Store.sqlite' is new: its tables are made"])
  }
}
