// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import DemoHistory
import Foundation
import ProgramTesting
import Testing

/// A history with every kind of commit, and a store that the program imported it into.
struct ImportedHistory: Sendable {
  @TaskLocal static var current: ImportedHistory?

  /// What git tells of the history, newest first.
  let log: [LoggedCommit]
  /// Seconds since 1970 when the history was made.
  let now: Int
  /// What the first import printed.
  let summary: PrintedSummary
  let repository: TestRepository

  init() async throws {
    now = Int(Date().timeIntervalSince1970)
    repository = try TestRepository()
    try repository.add(DemoHistory(count: 600))
    try repository.add(Self.commits(now: now))
    try repository.run(["config", "remote.origin.url", "git@git.example.org:demo/history.git"])
    log = try LoggedCommit.all(in: repository)
    summary = try await Program.commits(in: repository)
      .run("import", "repository", "--json", "--store-path", "store").decoded()
    let json = try await Program.commits(in: repository)
      .run("import", "repository", "--store", "json", "--store-path", "store.json")
    try #require(json.status == 0, "\(json.errors)")
  }

  /// Runs the program on the store.
  func run(_ arguments: String...) async throws -> Program.Result {
    try await Program.commits(in: repository).run(arguments + ["--store-path", "store"])
  }

  /// What the program lists.
  func list(_ arguments: String...) async throws -> [ListedCommit] {
    let result = try await Program.commits(in: repository)
      .run(["list", "--json", "--store-path", "store"] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded()
  }

  /// What the program should list, in git's order.
  func expected(_ isIncluded: (LoggedCommit) -> Bool) -> [ListedCommit] {
    log.filter(isIncluded).map { ListedCommit($0) }
  }

  /// Commits on top of the made-up ones: texts of all kinds, equal dates, and recent ones.
  private static func commits(now: Int) -> [TestCommit] {
    let joe = "Joe Groff <joe@example.org>"
    var commits = [
      TestCommit("I fixed a bug in Swift\n", person: joe),
      TestCommit("i FIXED a bug in swift", person: joe),
      TestCommit(#"It's "quoted", 100%@ done \\ and %K"#, person: joe),
      TestCommit("First line\n\nThe fix is below", person: "Jürgen <j@example.org>"),
      TestCommit("Merge pull request", person: "jane <>"),
      TestCommit("merge pull request #1", person: "Ĵan <jan@example.org>"),
      TestCommit("👩‍👩‍👧‍👦 naïve café \u{301}", person: "🎉 <party@example.org>"),
      TestCommit(String(repeating: "long fix ", count: 116_000)),
      TestCommit(bytes: Array("not UTF-8: ".utf8) + [0xFF, 0xC3, 0x28]),
      TestCommit(bytes: Array("before\0after".utf8)),
      TestCommit("\n\n"),
    ]
    commits += (1...4).map { TestCommit("tie \($0)", person: "Tie <t@example.org>") }
    commits += [13, 11, 1].map {
      TestCommit("\($0) hours ago", person: joe, date: now - $0 * 3_600)
    }
    commits[0].continuesMain = true
    return commits
  }
}

/// Gives all tests of a suite one ``ImportedHistory``.
struct WithImportedHistory: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let history = try await ImportedHistory()
    try await ImportedHistory.$current.withValue(history) { try await function() }
  }
}

extension Trait where Self == WithImportedHistory {
  /// One repository and one store for all tests of the suite, which only read them.
  static var importedHistory: Self { Self() }
}
