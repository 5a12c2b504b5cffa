// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Testing

@Suite struct `Kinds of repositories` {
  @Test func `an empty repository has no commits`() throws {
    let repository = try TestRepository()
    #expect(try repository.commits().isEmpty)
    #expect(try !repository.open().isShallow)
  }

  @Test func `a path may have spaces, quotes and other scripts`() throws {
    let repository = try TestRepository("a b'c\"日本 $HOME")
    try repository.add([TestCommit("m")])
    #expect(try repository.commits().count == 1)
  }

  @Test func `a folder inside a checkout will do`() throws {
    let repository = try TestRepository()
    try repository.add([TestCommit("m")])
    let inner = repository.folder.appendingPathComponent("Sources/App")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    #expect(try repository.commits(at: "repository/Sources/App").count == 1)
  }

  @Test func `a bare repository is read`() throws {
    let repository = try TestRepository(options: ["--bare"])
    try repository.add([TestCommit("m")])
    #expect(try repository.commits().count == 1)
  }

  @Test func `a shallow clone says so and gives what it has`() throws {
    let repository = try TestRepository()
    try repository.add((1...5).map { TestCommit("commit \($0)") })
    let address = "file://\(repository.folder.path)"
    try repository.run(["clone", "--quiet", "--depth", "2", address, "clone"], in: ".")
    #expect(try repository.open("clone").isShallow)
    #expect(try repository.commits(at: "clone").map(\.message) == ["commit 4", "commit 5"])
  }

  @Test func `a submodule is a repository of its own`() throws {
    let repository = try TestRepository("inner")
    try repository.add([TestCommit("inner")])
    try repository.run(["init", "--quiet", "outer"], in: ".")
    try repository.run(
      [
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository.folder.path,
        "module",
      ],
      in: "outer"
    )
    let file = repository.root.appendingPathComponent("outer/module/.git")
    #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("gitdir: "))
    #expect(try repository.commits(at: "outer/module").map(\.message) == ["inner"])
  }

  @Test func `a detached head is read`() throws {
    let repository = try TestRepository()
    try repository.add([TestCommit("one"), TestCommit("two")])
    try repository.run(["checkout", "--quiet", "--detach", "main~1"])
    #expect(try repository.commits().map(\.message) == ["one"])
  }

  @Test func `the address of commits comes from origin`() throws {
    let repository = try TestRepository()
    #expect(try repository.open().webAddress == nil)
    try repository.run(["remote", "add", "origin", "git@git.example.org:group/project.git"])
    #expect(
      try repository.open().webAddress?.commit("abc")
        == "https://git.example.org/group/project/commit/abc"
    )
  }
}

@Suite struct `Paths that cannot be imported` {
  /// What the user reads when a path is opened.
  func failure(_ path: String, _ environment: [String: String]) throws -> CommandFailure {
    try #require(throws: GitError.self) {
      try GitRepository(path: path, environment: environment)
    }.failure
  }

  @Test func `a folder without repository`() throws {
    let repository = try TestRepository()
    let path = repository.root.path
    let failure = try failure(path, repository.environment)
    #expect(failure.message == "'\(path)' is not in a git repository")
    #expect(failure.advice == "Give the path of a checkout: commits import PATH")
    #expect(failure.status == .failure)
  }

  @Test func `a path that does not exist, and a file`() throws {
    let repository = try TestRepository()
    try repository.write("text", to: "file")
    for name in ["missing", "file"] {
      let path = repository.root.appendingPathComponent(name).path
      let failure = try failure(path, repository.environment)
      #expect(failure.message == "there is no folder '\(path)'")
    }
    #expect(try self.failure("", repository.environment).message == "there is no folder ''")
  }

  @Test func `git is not installed`() throws {
    let repository = try TestRepository()
    for path in ["", repository.root.path] {
      let failure = try failure(repository.folder.path, ["PATH": path])
      #expect(failure.message == "the program 'git' was not found")
      #expect(failure.advice == "Install git, or add its folder to PATH.")
    }
  }

  @Test func `a repository of another user is explained in git's words`() throws {
    let repository = try TestRepository()
    let git = try Git(environment: repository.environment).executable.path
    var environment = repository.environment
    // The variable of git's own tests stands in for another owner.
    environment["PATH"] = try repository.replaceGit(
      with: "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec \(git) \"$@\"\n"
    )
    let failure = try failure(repository.folder.path, environment)
    #expect(
      failure.message == "git does not trust this repository, because another user owns it"
    )
    #expect(failure.advice.contains("fatal: detected dubious ownership in repository at"))
    #expect(failure.advice.contains("git config --global --add safe.directory"))
  }

  @Test(arguments: [String(repeating: "1", count: 40) + "\n", "", "rubbish\n"])
  func `a damaged branch is an error, not an empty history`(reference: String) throws {
    let repository = try TestRepository()
    try repository.write(reference, to: "repository/.git/refs/heads/main")
    let failure = try #require(throws: GitError.self) { try repository.commits() }.failure
    #expect(failure.message.hasPrefix("git failed: fatal: "))
    #expect(failure.advice == "Run 'git fsck' in the repository to find the cause.")
  }

  @Test func `a damaged history fails although some commits were read`() throws {
    let repository = try TestRepository()
    try repository.run(["config", "fastimport.unpackLimit", "100"])
    try repository.add([TestCommit("lost"), TestCommit("kept")])
    let lost = try repository.run(["rev-parse", "HEAD~1"]).trimmed
    let object = "repository/.git/objects/\(lost.prefix(2))/\(lost.dropFirst(2))"
    try FileManager.default.removeItem(at: repository.root.appendingPathComponent(object))
    #expect(throws: GitError.self) { try repository.commits() }
  }
}
