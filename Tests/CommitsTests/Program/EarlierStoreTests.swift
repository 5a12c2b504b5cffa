// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Stores that the first version of the program wrote, which knew no authors.
@Suite struct `Stores of an earlier version of commits` {
  let repository: TestRepository
  let program: Program

  init() throws {
    repository = try TestRepository()
    program = Program.commits(in: repository)
  }

  /// Puts a store of the first version beside the repository.
  private func copyStore(_ kind: String) throws {
    let name = "Fixtures/commits-version-1"
    let source = try #require(Bundle.module.url(forResource: name, withExtension: kind))
    try FileManager.default.copyItem(at: source, to: repository.root.appending(path: "store"))
  }

  private func listed(_ kind: String, _ arguments: String...) async throws -> [ListedCommit] {
    let result = try await program.run(
      ["list", "--json", "--store", kind, "--store-path", "store"] + arguments
    )
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded(as: [ListedCommit].self)
  }

  @Test(arguments: ["sqlite", "json"])
  func `nothing is lost, and there are no authors yet`(_ kind: String) async throws {
    try copyStore(kind)
    // What the generator of the fixture wrote: see Fixtures/INDEX.md.
    let commits = try await listed(kind)
    #expect(commits.count == 9)
    for (commit, number) in zip(commits, (1...9).reversed()) {
      #expect(commit.sha == String(repeating: "\(number)", count: 40))
      #expect(commit.url == "https://example.org/commit/\(number)")
      #expect(commit.date == "2016-01-2\(number)T19:46:18Z")
      #expect(commit.author == nil)
      #expect(
        commit.message
          == (number % 3 == 0
            ? "Merge pull request #\(number)" : "fix number \(number) é 🦊\n\nwith a body")
      )
    }
    #expect(try await listed(kind, "--no-pull-requests").count == 6)
  }

  @Test(arguments: ["sqlite", "json"])
  func `an import goes on with it`(_ kind: String) async throws {
    try copyStore(kind)
    try repository.add((1...3).map { TestCommit("commit \($0)") })
    let result = try await program.run(
      "import",
      "repository",
      "--store",
      kind,
      "--store-path",
      "store",
      "--json"
    )
    try #require(result.status == 0, "\(result.errors)")
    #expect(try result.decoded(as: PrintedSummary.self).inserted == 3)
    let commits = try await listed(kind)
    #expect(commits.count == 12)
    #expect(commits.filter { $0.author != nil }.count == 3)
  }

  @Test(.disabled(if: geteuid() == 0, "an administrator may write everything"))
  func `one that cannot be written says that it would be migrated`() async throws {
    try copyStore("sqlite")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o444],
      ofItemAtPath: repository.root.appending(path: "store").path
    )
    let result = try await program.run("list", "--store-path", "store")
    #expect(result.status == 1)
    #expect(
      result.errorLines == [
        "commits: error: the store 'store' is of another version, and cannot be written to be migrated",
        "Allow writing to the file and its folder, or copy it and give the copy with '--store-path PATH'.",
      ]
    )
  }
}
