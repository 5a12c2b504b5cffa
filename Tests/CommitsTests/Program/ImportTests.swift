// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import DemoHistory
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

@Suite struct `Imports of the built program` {
  let repository: TestRepository
  let program: Program

  init() throws {
    repository = try TestRepository()
    program = Program.commits(in: repository)
  }

  func importing() async throws -> PrintedSummary {
    let result = try await program.run("import", "repository", "--json", "--store-path", "store")
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded()
  }

  func listed() async throws -> [String] {
    let result = try await program.run("list", "--json", "--store-path", "store")
    return try result.decoded(as: [ListedCommit].self).map(\.sha)
  }

  @Test func `a second import inserts nothing, and a third only what is new`() async throws {
    try repository.add(DemoHistory(count: 40))
    #expect(try await importing().inserted == 40)
    let second = try await importing()
    #expect(second.counts == [40, 0, 0])
    var commit = TestCommit("new")
    commit.continuesMain = true
    try repository.add([commit])
    let third = try await importing()
    #expect(third.counts == [41, 1, 0])
  }

  @Test func `an empty repository is imported, and a shallow one with a note`() async throws {
    let empty = try await importing()
    #expect(empty.counts == [0, 0, 0])
    try repository.add((1...5).map { TestCommit("commit \($0)") })
    let address = "file://\(repository.folder.path)"
    try repository.run(["clone", "--quiet", "--depth", "2", address, "clone"], in: ".")
    let result = try await program.run("import", "clone", "--store-path", "store")
    #expect(result.status == 0)
    #expect(result.errors == "The repository is shallow: older commits are missing.\n")
    #expect(result.text.hasPrefix("2 commits, 1 author in "))
    #expect(try await importing().inserted == 3)
  }

  @Test func `two imports at once make no duplicates`() async throws {
    try repository.add(DemoHistory(count: 2_500))
    let arguments = ["import", "repository", "--json", "--store-path", "store"]
    let runs = try (0..<2).map { _ in try program.start(arguments) }
    for run in runs {
      let result = try await run.result()
      #expect(result.status == 0, "\(result.errors)")
      #expect(try result.decoded(as: PrintedSummary.self).commits == 2_500)
    }
    let shas = try await listed()
    #expect(shas.count == 2_500)
    #expect(Set(shas).count == 2_500)
    struct Counts: Decodable { var authors: Int }
    let counts: Counts =
      try await program.run("stats", "--json", "--store-path", "store").decoded()
    #expect(counts.authors == 232)
    let again = try await importing()
    #expect(again.counts == [2_500, 0, 0])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
  func `an interrupted import is completed by the next one`(number: Int32) async throws {
    try repository.add(DemoHistory(count: 2_500))
    let signal = repository.root.appendingPathComponent("signal").path
    try #require(mkfifo(signal, 0o600) == 0)
    // Git stays until the test lets go of the other end of this pipe, however long that takes.
    let end = repository.root.appendingPathComponent("end").path
    try #require(mkfifo(end, 0o600) == 0)
    let held = open(end, O_RDWR | O_CLOEXEC)
    try #require(held >= 0)
    defer { close(held) }
    let slow = try programWithGit(afterLog: "echo read > '\(signal)'; exec cat '\(end)'")
    let run = try slow.start(["import", "repository", "--store-path", "store"])
    // It ends when git has written the log.
    _ = try await tool("/bin/cat").run("signal")
    kill(run.process.processIdentifier, number)
    let result = try await run.result()
    if number == SIGKILL {
      #expect(result.wasKilled)
    } else {
      #expect(result.status == 2)
      #expect(result.errors == "commits: cancelled\n")
    }
    let kept = try await listed().count
    #expect([0, 1_000, 2_000].contains(kept))
    #expect(try await importing().inserted == 2_500 - kept)
    #expect(try await listed().count == 2_500)
  }

  @Test func `a commit that is deleted during an import stays deleted`() async throws {
    try repository.add((1...3).map { TestCommit("commit \($0)") })
    #expect(try await importing().inserted == 3)
    let signal = repository.root.appendingPathComponent("signal").path
    let end = repository.root.appendingPathComponent("end").path
    try #require(mkfifo(signal, 0o600) == 0 && mkfifo(end, 0o600) == 0)
    let held = open(end, O_RDWR | O_CLOEXEC)
    try #require(held >= 0)
    defer { close(held) }
    // Git has written the log, and ends when it may read a line.
    let slow = try programWithGit(afterLog: "echo read > '\(signal)'; read line < '\(end)'")
    let run = try slow.start(["import", "repository", "--json", "--store-path", "store"])
    _ = try await tool("/bin/cat").run("signal")
    let sha = try repository.run(["rev-parse", "HEAD"]).trimmed
    #expect(try await program.run("delete", sha, "--store-path", "store").status == 0)
    try FileHandle(fileDescriptor: held).write(contentsOf: Data("\n".utf8))
    let result = try await run.result()
    #expect(result.status == 0)
    #expect(result.errors == "1 deleted commit left out\n")
    let summary: PrintedSummary = try result.decoded()
    #expect(summary.counts == [3, 0, 0])
    let shas = try await listed()
    #expect(shas.count == 2)
    #expect(!shas.contains(sha))
  }

  @Test func `a commit that git tells twice is one commit`() async throws {
    try repository.add(DemoHistory(count: 700))
    let git = try Git(environment: repository.environment).executable.path
    let twice = try programWithGit(afterLog: "exec '\(git)' \"$@\"")
    let result = try await twice.run("import", "repository", "--json", "--store-path", "store")
    let summary: PrintedSummary = try result.decoded()
    #expect(summary.counts == [1_400, 700, 0])
    let shas = try await listed()
    #expect(shas.count == 700)
    #expect(Set(shas).count == 700)
  }

  /// The program with a git that does something after its log.
  private func programWithGit(afterLog command: String) throws -> Program {
    let git = try Git(environment: repository.environment).executable.path
    let tools = try repository.replaceGit(
      with: """
        #!/bin/sh
        case "$*" in
        *format=*) '\(git)' "$@"; \(command) ;;
        *) exec '\(git)' "$@" ;;
        esac
        """
    )
    var program = program
    program.environment["PATH"] = "\(tools):\(program.environment["PATH"] ?? "")"
    return program
  }

  private func tool(_ path: String) -> Program {
    Program(
      executable: URL(fileURLWithPath: path),
      folder: repository.root,
      environment: program.environment
    )
  }

  @Test(arguments: [
    ("missing", "there is no folder 'missing'"), (".", "'.' is not in a git repository"),
  ])
  func `a path without repository leaves no store behind`(
    path: String,
    message: String
  ) async throws {
    let result = try await program.run("import", path, "--store-path", "store")
    #expect(result.status == 1)
    #expect(
      result.errorLines == [
        "commits: error: \(message)", "Give the path of a checkout: commits import PATH",
      ]
    )
    #expect(!FileManager.default.fileExists(atPath: repository.root.path + "/store"))
  }

  @Test func `git must be installed`() async throws {
    var program = program
    program.environment["PATH"] = "/nowhere"
    let result = try await program.run("import", "repository", "--store-path", "store")
    #expect(result.status == 1)
    #expect(result.errorLines.first == "commits: error: the program 'git' was not found")
  }
}
