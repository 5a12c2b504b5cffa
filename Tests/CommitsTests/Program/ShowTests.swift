// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

@Suite(.importedHistory) struct `Single commits in the built program` {
  /// What `commits show --json` prints of a commit.
  struct Detail: Decodable {
    var sha: String
    var message: String
    var date: String
    var email: String
    var position: Int
    var count: Int
  }

  let history: ImportedHistory

  init() throws {
    history = try #require(ImportedHistory.current)
  }

  @Test func `a commit is shown by the beginning of its id`() async throws {
    let commit = try #require(history.log.first { $0.author == "Jürgen" })
    let prefix = String(commit.sha.prefix(12))
    let detail: Detail = try await history.run("show", prefix, "--json").decoded()
    #expect(detail.sha == commit.sha)
    #expect(detail.message == commit.message)
    #expect(detail.date == commit.utcDate)
    #expect(detail.email == "j@example.org")
    #expect(detail.position == 1)
    #expect(detail.count == 1)
    let shown = try await history.run("show", prefix.uppercased())
    #expect(shown.lines.contains("Commit 1/1 by this author"))
    #expect(shown.lines.contains("    The fix is below"))
  }

  @Test(arguments: ["Joe Groff", "Hana Ito", "Tie"])
  func `the place counts the newer commits of the author, as the list shows them`(
    author: String
  ) async throws {
    let listed = try await history.list("--author", author)
    #expect(listed.count == history.expected { $0.author == author }.count)
    for (index, commit) in listed.enumerated() {
      let detail: Detail = try await history.run("show", commit.sha, "--json").decoded()
      #expect(detail.position == index + 1)
      #expect(detail.count == listed.count)
    }
  }

  @Test func `a commit without author has no place`() async throws {
    let commit = try #require(history.log.first { $0.author == nil })
    let detail: Detail = try await history.run("show", commit.sha, "--json").decoded()
    #expect(detail.position == 0)
    #expect(detail.count == 0)
    #expect(try await history.run("show", commit.sha).lines.contains("author (no name)"))
  }

  @Test func `an ambiguous beginning lists the candidates`() async throws {
    let count = history.log.count { $0.sha.hasPrefix("a") }
    let result = try await history.run("show", "a")
    #expect(result.status == 1)
    #expect(result.text.isEmpty)
    #expect(
      result.errorLines.first
        == "commits: error: \(count) commits have ids that begin with 'a'"
    )
    #expect(result.errorLines.count == 13)
  }

  @Test(arguments: [
    ("ffffffffffff", 1, "no commit has an id that begins with 'ffffffffffff'"),
    ("xyz", 64, "'xyz' is not a commit's id"),
    ("%@", 64, "'%@' is not a commit's id"),
  ])
  func `an unknown id is an error`(id: String, status: Int32, message: String) async throws {
    for command in ["show", "delete"] {
      let result = try await history.run(command, id)
      #expect(result.status == status)
      #expect(result.errorLines.first == "commits: error: \(message)")
      #expect(result.errorLines.count == 2)
    }
  }

  @Test func `statistics count what git counts`() async throws {
    struct Counts: Decodable {
      struct Author: Decodable, Hashable {
        var name: String
        var commits: Int
      }
      var commits: Int
      var authors: Int
      var deleted: Int
      var oldest: String
      var newest: String
      var topAuthors: [Author]
    }
    let counts: Counts = try await history.run("stats", "--json").decoded()
    #expect(counts.commits == history.log.count)
    let byAuthor = Dictionary(grouping: history.log.filter { $0.author != nil }, by: \.author)
    #expect(counts.authors == byAuthor.count)
    #expect(counts.deleted == 0)
    #expect(counts.oldest == history.log.map(\.utcDate).min())
    #expect(counts.newest == history.log.map(\.utcDate).max())
    #expect(
      counts.topAuthors.map(\.commits)
        == Array(byAuthor.values.map(\.count).sorted(by: >).prefix(10))
    )
    for author in counts.topAuthors {
      #expect(author.commits == byAuthor[author.name]?.count)
    }
  }

  @Test(arguments: [
    (["--author", "Joe Groff"], "ZCOMMIT_ZAUTHOR_INDEX (ZAUTHOR=?)"),
    (["--recent", "12h"], "Z_Commit_date (ZDATE>?)"),
    (["--where", "sha == 'abc'"], "Z_Commit_UNIQUE_sha (ZSHA=?)"),
    (["--where", "sha BEGINSWITH 'abc'"], "Z_Commit_UNIQUE_sha (ZSHA>? AND ZSHA<?)"),
    (["--where", "author == nil"], "ZCOMMIT_ZAUTHOR_INDEX (ZAUTHOR=?)"),
  ])
  func `the query plan uses an index`(options: [String], index: String) async throws {
    let program = Program.commits(in: history.repository)
    let result = try await program.run(["sql", "--store-path", "store"] + options)
    #expect(result.status == 0)
    #expect(result.lines.contains { $0.contains("SEARCH t0 USING INDEX \(index)") })
    #expect(result.lines[1] == "FROM ZCOMMIT AS t0")
  }

  @Test func `what SQL cannot say is shown as done in memory`() async throws {
    let program = Program.commits(in: history.repository)
    let filter = "uppercase(message) == 'FIX' AND sha BEGINSWITH 'a'"
    let result = try await program.run("sql", "--store-path", "store", "--where", filter)
    #expect(result.status == 0)
    let memory = try #require(result.lines.split(separator: "In memory").last)
    #expect(memory.first?.contains("filter: uppercase") == true, "\(result.lines)")
    #expect(result.lines.contains { $0.contains("SEARCH t0 USING INDEX") })
  }

  @Test(arguments: [1, 2, 3, 4])
  func `1L.1 a variable of the environment logs the statements`(level: Int) async throws {
    var program = Program.commits(in: history.repository)
    program.environment["PERENNIAL_SQL_DEBUG"] = "\(level)"
    let arguments = ["list", "--store-path", "store", "--where", "sha == 'abc'"]
    let result = try await program.run(arguments)
    #expect(result.status == 0)
    func logged(_ start: String) -> [String] {
      result.errorLines.filter { $0.hasPrefix("Perennial: \(start)") }
    }
    #expect(logged("sql: SELECT").isEmpty == false)
    #expect(logged("annotation: sql execution time: 0.").isEmpty == (level < 2))
    #expect(result.errors.contains("abc") == (level >= 3))
    #expect(logged("details: plan: SEARCH t0").isEmpty == (level < 4))
  }

  @Test func `a store in memory runs no SQL`() async throws {
    let program = Program.commits(in: history.repository)
    let result = try await program.run("sql", "--store", "memory", "--import", "repository")
    #expect(result.status == 0)
    #expect(result.text.isEmpty)
    #expect(result.errorLines.last == "A store in memory runs no SQL.")
  }
}

@Suite struct `Deleting in the built program` {
  @Test func `a deleted commit stays deleted after the next import`() async throws {
    let repository = try TestRepository()
    try repository.add(
      ["one", "two", "three"].map { TestCommit($0, person: "\($0) <x@example.org>") }
    )
    let program = Program.commits(in: repository)
    let store = ["--store-path", "store", "--json"]
    let first: PrintedSummary = try await program.run(["import", "repository"] + store).decoded()
    let sha = try repository.run(["rev-parse", "HEAD~1"]).trimmed
    #expect(try await program.run(["delete", sha] + store).status == 0)
    #expect(try await program.run(["delete", sha] + store).status == 1)

    let again = try await program.run(["import", "repository"] + store)
    let summary: PrintedSummary = try again.decoded()
    #expect(summary.inserted == 0)
    #expect(summary.commits == 3)
    // All that was read counts, as for the commits.
    #expect(summary.authors == first.authors)
    #expect(again.errors == "1 deleted commit left out\n")
    let listed: [ListedCommit] = try await program.run(["list"] + store).decoded()
    #expect(listed.map(\.message) == ["three", "one"])
  }

  @Test func `a commit that has come back is deleted once more`() async throws {
    let repository = try TestRepository()
    let name = "Fixtures/commits-version-1"
    let source = try #require(Bundle.module.url(forResource: name, withExtension: "json"))
    // The store has what remains of a deleted commit: here, of one that is there, too.
    let sha = String(repeating: "1", count: 40)
    let text = try String(contentsOf: source, encoding: .utf8)
      .replacingOccurrences(of: String(repeating: "d", count: 40), with: sha)
      .replacingOccurrences(of: "\"0b87893d6c1a1f54\"", with: "null")
    try repository.write(text, to: "store")
    let program = Program.commits(in: repository)
    let store = ["--store", "json", "--store-path", "store", "--json"]
    let result = try await program.run(["delete", sha] + store)
    #expect(result.status == 0, "\(result.errors)")
    let listed: [ListedCommit] = try await program.run(["list"] + store).decoded()
    #expect(listed.count == 8)
    #expect(!listed.contains { $0.sha == sha })
  }
}
