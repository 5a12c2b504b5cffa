// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SQL, indexes and streams")
struct EscapeHatchTests {
  private func makeBench(_ kind: StoreKind, count: Int = 6) throws -> Bench {
    let bench = try Bench(kind)
    let context = bench.context()
    let author = Author(context: context)
    author.name = "Ann"
    for number in 0..<count {
      let commit = context.insertCommit("\(number)", "message \(number % 2)")
      commit.author = number < 3 ? author : nil
    }
    try context.save()
    return bench
  }

  // MARK: SQL

  @Test func `1G.14 a statement in SQL gives objects in its order, each once`() throws {
    let bench = try makeBench(.sqlite)
    let context = bench.context()
    let least = "message 0"
    let sql: RawSQL = """
      SELECT c.Z_PK FROM \(table: Commit.self) AS c, \(table: Author.self) AS a
      WHERE c.\(column: \Commit.message) > \(least) ORDER BY c.\(column: \Commit.sha) DESC -- newest
      """
    #expect(try context.fetch(Commit.self, sql: sql).map(\.sha) == ["5", "3", "1"])
    let known = try #require(try context.first(Commit.filter("sha == '3'")))
    known.message = "changed"
    let gone = try #require(try context.first(Commit.filter("sha == '5'")))
    context.delete(gone)
    let found = try context.fetch(Commit.self, sql: sql)
    #expect(found.map(\.message) == ["changed", "message 1"])
    #expect(found.first === known)
    #expect(try context.fetch(Author.self, sql: "SELECT Z_PK FROM ZAUTHOR").map(\.name) == ["Ann"])
  }

  @Test func `1G.14 values in SQL are bound, whatever they contain`() throws {
    let bench = try makeBench(.sqlite)
    let context = bench.context()
    let attack = "' OR 1=1 --"
    let sql: RawSQL =
      "SELECT * FROM ZCOMMIT WHERE ZSHA = \(attack) OR ZSHA = \("2") OR ZSHA IS \(nil)"
    #expect(try context.fetch(Commit.self, sql: sql).map(\.sha) == ["2"])
  }

  @Test func `1G.14 SQL that writes, says two things or does not compile is an error`() throws {
    let bench = try makeBench(.sqlite)
    let context = bench.context()
    let statements: [RawSQL] = [
      "DELETE FROM ZCOMMIT", "SELECT Z_PK FROM ZCOMMIT; DELETE FROM ZCOMMIT",
      "SELECT Z_PK FROM ZNOTHING", "SELECT ZSHA FROM ZCOMMIT", "SELECT Z_PK FROM ZCOMMIT) --",
    ]
    for statement in statements {
      #expect(code { _ = try context.fetch(Commit.self, sql: statement) } == .sqlite)
    }
    let odd: RawSQL = "SELECT Z_PK FROM ZCOMMIT WHERE ZSHA = \([1, 2])"
    #expect(code { _ = try context.fetch(Commit.self, sql: odd) } == .typeMismatch)
    let scratch: RawSQL = "SELECT \(column: \Commit.scratch) FROM ZCOMMIT"
    #expect(code { _ = try context.fetch(Commit.self, sql: scratch) } == .unknownName)
    #expect(try context.count(for: Commit.all) == 6)
  }

  @Test func `1G.14 a store without SQL refuses it`() throws {
    let bench = try makeBench(.inMemory)
    let context = bench.context()
    #expect(
      code { _ = try context.fetch(Commit.self, sql: "SELECT Z_PK FROM ZCOMMIT") }
        == .invalidRequest
    )
  }

  // MARK: Indexes

  @Test func `1G.14 a request that would read a whole table is refused if asked`() throws {
    let bench = try makeBench(.sqlite)
    let context = bench.context()
    #expect(try context.fetch(Commit.filter("sha == '1'").requireIndex()).count == 1)
    #expect(try context.fetch(Commit.filter("author.name == 'Ann'").requireIndex()).count == 3)
    #expect(try context.fetch(Commit.sorted(by: \.date).limit(1).requireIndex()).count == 1)
    func refusal(_ request: FetchRequest<Commit>) throws -> PerennialError {
      let error = #expect(throws: PerennialError.self) {
        _ = try context.fetch(request.requireIndex())
      }
      return try #require(error)
    }
    let scan = try refusal(Commit.filter("message == 'secret' AND url != nil"))
    #expect(scan.code == .requiresIndex)
    #expect(scan.message.contains("message =="))
    #expect(!scan.message.contains("secret"))
    #expect(scan.recovery.contains("@Indexed var message"))
    #expect(try refusal(Commit.filter("message CONTAINS 'x'")).recovery.contains(".fullText"))
    #expect(try refusal(Commit.all).code == .requiresIndex)
    #expect(try refusal(Commit.filter("author.email == 'x'")).message.contains("'Author'"))
  }

  @Test func `1G.14 a store without an engine needs no index`() throws {
    let bench = try makeBench(.inMemory)
    #expect(try bench.context().fetch(Commit.all.requireIndex()).count == 6)
  }

  // MARK: Streams

  @Test(arguments: StoreKind.allCases)
  func `1G.14 enumerating holds a batch at a time`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind, count: 25)
    let context = bench.context()
    var alive: [WeakCommit] = []
    var most = 0
    var shas: [String] = []
    try context.enumerate(Commit.sorted(by: \.sha), batchSize: 4) { commit in
      shas.append(commit.sha)
      alive.append(WeakCommit(commit))
      alive.removeAll { $0.commit == nil }
      most = max(most, alive.count)
    }
    #expect(shas == (0..<25).map(String.init).sorted())
    #expect(most <= 8)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.14 enumerating counts unsaved changes, and those made meanwhile`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    _ = context.insertCommit("9")
    var shas: [String] = []
    try context.enumerate(Commit.sorted(by: \.sha), batchSize: 2) { commit in
      shas.append(commit.sha)
      commit.message = "seen"
      guard commit.sha == "1" else { return }
      for gone in try context.fetch(Commit.filter("sha == '3'")) { context.delete(gone) }
      try context.save()
    }
    #expect(shas == ["0", "1", "2", "4", "5", "9"])
    try context.save()
    #expect(try bench.context().count(for: Commit.filter("message == 'seen'")) == 6)
    struct Stop: Error {}
    var count = 0
    #expect(throws: Stop.self) {
      try context.enumerate(Commit.all, batchSize: 2) { _ in
        count += 1
        throw Stop()
      }
    }
    #expect(count == 1)
    #expect(code { try context.enumerate(Commit.all, batchSize: -1) { _ in } } == .invalidRequest)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.14 enumerating leaves out what is deleted meanwhile, in whichever batch`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    var shas: [String] = []
    try context.enumerate(Commit.sorted(by: \.sha), batchSize: 10) { commit in
      shas.append(commit.sha)
      if commit.sha == "0" {
        for gone in try context.fetch(Commit.filter("sha == '1'")) { context.delete(gone) }
        try context.save()
      } else if commit.sha == "3" {
        for gone in try context.fetch(Commit.filter("sha == '4'")) { context.delete(gone) }
      }
    }
    #expect(shas == ["0", "2", "3", "5"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.14 enumerating goes on after a reset with objects that can be changed`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    var shas: [String] = []
    try context.enumerate(Commit.sorted(by: \.sha), batchSize: 4) { commit in
      shas.append(commit.sha)
      commit.message = "seen"
      try context.save()
      context.reset()
    }
    #expect(shas == ["0", "1", "2", "3", "4", "5"])
    #expect(try bench.context().count(for: Commit.filter("message == 'seen'")) == 6)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.14 a reset while enumerating does not make every object a statement`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 50, commitsEach: 10)
    let context = bench.context()
    let request = Commit.sorted(by: \.sha)
    let expected = try bench.context().fetch(request).map(\.sha)
    for interval in [500, 100, 1] {
      var shas: [String] = []
      let before = bench.store.givenRows
      let asked = try bench.asked {
        try context.enumerate(request, batchSize: 500) { commit in
          if shas.count.isMultiple(of: interval) { context.reset() }
          shas.append(commit.sha)
        }
      }
      #expect(shas == expected)
      if interval > 1 { #expect(asked.total <= 2 + 10 * (500 / interval)) }
      #expect(bench.store.givenRows - before <= 3 * 500)
    }
  }
}

private struct WeakCommit {
  weak var commit: Commit?

  init(_ commit: Commit) { self.commit = commit }
}
