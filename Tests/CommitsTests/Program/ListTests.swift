// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

/// A predicate and what it means, without a line of the library.
struct Filter: Sendable, CustomTestStringConvertible {
  var format: String
  var isIncluded: @Sendable (LoggedCommit, [LoggedCommit]) -> Bool

  init(_ format: String, _ isIncluded: @escaping @Sendable (LoggedCommit) -> Bool) {
    self.format = format
    self.isIncluded = { commit, _ in isIncluded(commit) }
  }

  init(
    _ format: String,
    all isIncluded: @escaping @Sendable (LoggedCommit, [LoggedCommit]) -> Bool
  ) {
    self.format = format
    self.isIncluded = isIncluded
  }

  var testDescription: String { format }
}

@Suite(.importedHistory) struct `Lists of the built program` {
  let history: ImportedHistory

  init() throws {
    history = try #require(ImportedHistory.current)
  }

  @Test func `the import counts what git counts`() throws {
    let count = Int(try history.repository.run(["rev-list", "--count", "HEAD"]).trimmed)
    #expect(history.log.count == count)
    #expect(history.summary.commits == count)
    #expect(history.summary.inserted == count)
    #expect(history.summary.updated == 0)
    #expect(history.summary.authors == Set(history.log.compactMap(\.author)).count)
  }

  @Test func `a list without conditions has every field of every commit, newest first`()
    async throws
  {
    let listed = try await history.list()
    #expect(Set(listed) == Set(history.expected { _ in true }))
    #expect(listed.count == history.log.count)
    #expect(listed.map(\.date) == listed.map(\.date).sorted(by: >))
  }

  static let filters: [Filter] = [
    Filter("message == 'I fixed a bug in Swift'") { $0.message == "I fixed a bug in Swift" },
    Filter("message CONTAINS[c] 'fix'") { $0.message.lowercased().contains("fix") },
    Filter("NOT message BEGINSWITH 'Merge pull request'") {
      !$0.message.utf8.starts(with: "Merge pull request".utf8)
    },
    Filter("date > CAST('2014-02-01T00:00:00Z', 'NSDate')") { $0.seconds > 1_391_212_800 },
    Filter("date > CAST(475530378, 'NSDate')") { $0.seconds > 1_453_837_578 },
    Filter("author.name == 'Joe Groff'") { $0.author == "Joe Groff" },
    Filter("author.name BEGINSWITH[cd] 'j'") {
      $0.author?.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        .hasPrefix("j") == true
    },
    Filter("author == nil") { $0.author == nil },
    Filter("author.name == nil") { $0.author == nil },
    Filter("author.name != 'Joe Groff'") { $0.author != "Joe Groff" },
    Filter("message LIKE '*fix*'") { $0.message.contains("fix") },
    Filter("message MATCHES '(?i).*fix.*'") { $0.message.lowercased().contains("fix") },
    Filter("author.name IN {'Joe Groff', 'Hana Ito', 'nobody'}") {
      $0.author == "Joe Groff" || $0.author == "Hana Ito"
    },
    Filter("NOT author.name IN {'Joe Groff', 'Hana Ito'}") {
      $0.author != "Joe Groff" && $0.author != "Hana Ito"
    },
    Filter("date BETWEEN {CAST(410000000, 'NSDate'), CAST(411000000, 'NSDate')}") {
      (1_388_307_200...1_389_307_200).contains($0.seconds)
    },
    Filter("author.commits.@count > 3") { commit, all in
      commit.author != nil && all.count { $0.author == commit.author } > 3
    },
    Filter("ANY author.commits.message CONTAINS 'x'") { commit, all in
      commit.author != nil
        && all.contains { $0.author == commit.author && $0.message.contains("x") }
    },
    Filter(#"message == "It's \"quoted\", 100%@ done \\\\ and %K""#) {
      $0.message == #"It's "quoted", 100%@ done \\ and %K"#
    },
    Filter("message CONTAINS '%@' OR author.name CONTAINS '%@'") {
      $0.message.contains("%@") || $0.author?.contains("%@") == true
    },
    Filter("message == ''") { $0.message.isEmpty },
    Filter("message CONTAINS 'naïve'") { $0.message.contains("naïve") },
    Filter("message BEGINSWITH '👩‍👩‍👧‍👦'") { $0.message.hasPrefix("👩‍👩‍👧‍👦") },
    Filter("message ENDSWITH 'fix '") { $0.message.hasSuffix("fix ") },
    Filter("author.email == ''") { $0.author != nil && $0.email.isEmpty },
    Filter("message CONTAINS 'fix' AND (author.name == 'Jürgen' OR date < now())") {
      $0.message.contains("fix")
    },
    Filter("author.name > 'Z' AND author.name < 'a'") {
      $0.author.map { Array($0.utf8).lexicographicallyPrecedes(Array("a".utf8)) } == true
        && $0.author.map { Array("Z".utf8).lexicographicallyPrecedes(Array($0.utf8)) } == true
    },
    Filter("TRUEPREDICATE") { _ in true },
    Filter("FALSEPREDICATE") { _ in false },
  ]

  @Test(arguments: filters) func `a filter finds what git and plain Swift find`(
    filter: Filter
  ) async throws {
    let listed = try await history.list("--where", filter.format)
    let expected = history.expected { filter.isIncluded($0, history.log) }
    #expect(expected.isEmpty == (filter.format == "FALSEPREDICATE"))
    #expect(listed.map(\.sha).sorted() == expected.map(\.sha).sorted())
    #expect(Set(listed) == Set(expected))
    #expect(listed.map(\.date) == listed.map(\.date).sorted(by: >))
  }

  @Test(arguments: filters) func `stores in a JSON file and in memory list the same bytes`(
    filter: Filter
  ) async throws {
    let program = Program.commits(in: history.repository)
    let list = ["list", "--json", "--where", filter.format]
    let sqlite = try await program.run(list + ["--store-path", "store"])
    let json = try await program.run(list + ["--store", "json", "--store-path", "store.json"])
    let memory = try await program.run(list + ["--store", "memory", "--import", "repository"])
    #expect(sqlite.status == 0 && json.status == 0 && memory.status == 0)
    #expect(json.output == sqlite.output)
    #expect(memory.output == sqlite.output)
  }

  @Test func `recent commits are those of the last hours`() async throws {
    let start = history.now - 12 * 3_600
    #expect(try await history.list("--recent", "12h") == history.expected { $0.seconds > start })
  }

  @Test func `fixes without pull requests of one author`() async throws {
    let author = try #require(
      history.log.first {
        $0.message.lowercased().contains("fix") && !$0.message.hasPrefix("Merge pull request")
      }?.author
    )
    let listed = try await history.list("--fixes", "--no-pull-requests", "--author", author)
    let expected = history.expected {
      $0.author == author && $0.message.lowercased().contains("fix")
        && !$0.message.hasPrefix("Merge pull request")
    }
    #expect(!expected.isEmpty && Set(listed) == Set(expected))
  }

  @Test func `an author's name may have quotes and percent signs`() async throws {
    for name in [#"Dana "Dee" O'Neil"#, "100%@ Sure", #"back\slash"#] {
      let listed = try await history.list("--author", name)
      #expect(!listed.isEmpty)
      #expect(Set(listed) == Set(history.expected { $0.author == name }))
    }
  }

  @Test func `sections are the authors in order, newest commit first`() async throws {
    let listed = try await history.list("--by-author")
    let keys = listed.map { ($0.author ?? "").utf8.map { $0 } + [0] + $0.date.invertedDigits }
    #expect(keys.elementsEqual(keys.sorted { $0.lexicographicallyPrecedes($1) }, by: ==))
    #expect(listed.count == history.log.count)
  }

  @Test func `a limit cuts the list and says how much is missing`() async throws {
    #expect(try await history.list("--limit", "3") == Array(history.list().prefix(3)))
    let result = try await history.run("list", "--limit", "3")
    #expect(result.lines.count == 3)
    #expect(result.errors.hasPrefix("\(history.log.count - 3) more; "))
  }

  @Test func `a reader that leaves is no error`() async throws {
    let program = Program.commits(in: history.repository)
    let shell = Program(
      executable: URL(fileURLWithPath: "/bin/sh"),
      folder: history.repository.root,
      environment: program.environment
    )
    let command = "'\(program.executable.path)' list --limit 0 --store-path store; echo $? >&2"
    let result = try await shell.run("-c", "{ \(command); } | head -1")
    #expect(result.lines.count == 1)
    #expect(result.errorLines.last == "0")
  }
}

extension String {
  /// Bytes that sort the other way round.
  fileprivate var invertedDigits: [UInt8] { utf8.map { 0xFF - $0 } }
}
