// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import DemoHistory
import Foundation
import Testing

/// Writes demo histories into repositories that exist already.
enum DemoStream {
  static func write(count: Int, with git: Git, in folder: URL) throws {
    let outcome = try git.run(["fast-import", "--quiet", "--done"], in: folder) { stream in
      try DemoHistory(count: count).write { try stream.write(contentsOf: Data($0.utf8)) }
    }
    guard outcome.status == 0 else { throw GitError.failed(explanation: outcome.errorText) }
  }
}

@Suite struct `The made-up history` {
  static func stream(count: Int, seed: UInt64) -> String {
    var text = ""
    DemoHistory(count: count, seed: seed).write { text += $0 }
    return text
  }

  @Test func `the same seed gives the same history`() {
    #expect(Self.stream(count: 500, seed: 7) == Self.stream(count: 500, seed: 7))
    #expect(Self.stream(count: 500, seed: 7) != Self.stream(count: 500, seed: 8))
  }

  @Test(arguments: [0, 1, 2, 3, 4, 10, 57, 2_000])
  func `main reaches exactly the commits that were asked for`(count: Int) throws {
    let repository = try TestRepository()
    let path = repository.root.appendingPathComponent("new/demo").path
    let git = try Git(environment: repository.environment)
    try DemoRepository(git).write(DemoHistory(count: count), to: path)
    let commits = try repository.commits(at: "new/demo")
    #expect(commits.count == count)
    #expect(try repository.run(["status", "--porcelain"], in: "new/demo").isEmpty)
  }

  @Test func `it has everything that is awkward`() throws {
    let repository = try TestRepository()
    try DemoStream.write(
      count: 2_000,
      with: Git(environment: repository.environment),
      in: repository.folder
    )
    let commits = try repository.commits()
    let names = Set(commits.compactMap(\.authorName))
    #expect(names.count == 232)
    #expect(names.contains(#"Dana "Dee" O'Neil"#))
    #expect(names.contains("100%@ Sure"))
    #expect(commits.contains { $0.message.isEmpty })
    #expect(commits.contains { $0.authorName == nil })
    #expect(commits.contains { $0.authorEmail.isEmpty })
    #expect(commits.contains { $0.message.hasPrefix("Merge pull request #") })
    let fixes = commits.filter { $0.message.hasPrefix("Fix ") }.count
    #expect((60...140).contains(fixes))
    let merges = try repository.run(["rev-list", "--merges", "--count", "HEAD"]).trimmed
    #expect(try #require(Int(merges)) > 100)
  }

  @Test func `a folder with content is left alone`() throws {
    let repository = try TestRepository()
    let git = try Git(environment: repository.environment)
    let failure = try #require(throws: CommandFailure.self) {
      try DemoRepository(git).write(DemoHistory(count: 1), to: repository.folder.path)
    }
    #expect(failure.advice == "Choose another path, or remove it.")
  }
}
