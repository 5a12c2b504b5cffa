// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import DemoHistory
import Foundation

/// A repository in a temporary folder, which is removed with the value.
final class TestRepository: Sendable {
  /// The folder that holds everything the test makes.
  let root: URL
  /// The repository's own folder.
  let folder: URL
  /// The environment of git: a home without configuration.
  let environment: [String: String]
  private let git: Git

  /// Makes an empty repository.
  ///
  /// - Parameters:
  ///   - name: The name of its folder.
  ///   - options: Further arguments of `git init`.
  /// - Throws: ``GitError`` when git fails.
  init(_ name: String = "repository", options: [String] = []) throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("commits-tests-\(UUID().uuidString)")
    folder = root.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = root.path
    environment["XDG_CONFIG_HOME"] = nil
    self.environment = environment
    git = try Git(environment: environment)
    try run(["init", "--quiet"] + options)
    try run(["symbolic-ref", "HEAD", "refs/heads/main"])
  }

  deinit {
    try? FileManager.default.removeItem(at: root)
  }

  /// Runs git in the repository, or in another folder below ``root``.
  @discardableResult
  func run(_ arguments: [String], in other: String? = nil) throws -> String {
    let place = other.map { root.appendingPathComponent($0) } ?? folder
    let result = try git.text(of: arguments, in: place)
    guard result.outcome.status == 0 else {
      throw GitError.failed(explanation: result.outcome.errorText)
    }
    return result.text
  }

  /// Adds commits to `main`, oldest first.
  func add(_ commits: [TestCommit]) throws {
    let outcome = try git.run(["fast-import", "--quiet", "--force"], in: folder) { stream in
      for commit in commits { try stream.write(contentsOf: commit.stream) }
    }
    guard outcome.status == 0 else { throw GitError.failed(explanation: outcome.errorText) }
  }

  /// Adds a made-up history to `main`.
  func add(_ history: DemoHistory) throws {
    let outcome = try git.run(["fast-import", "--quiet", "--done"], in: folder) { stream in
      try history.write { try stream.write(contentsOf: Data($0.utf8)) }
    }
    guard outcome.status == 0 else { throw GitError.failed(explanation: outcome.errorText) }
  }

  /// All commits, as the program reads them.
  func commits(at path: String? = nil) throws -> [GitCommit] {
    var commits: [GitCommit] = []
    try open(path).forEachCommit { commits.append($0) }
    return commits
  }

  /// The repository as the program opens it; `path` starts at ``root``.
  func open(_ path: String? = nil) throws -> GitRepository {
    let place = path.map { root.appendingPathComponent($0) } ?? folder
    return try GitRepository(path: place.path, environment: environment)
  }

  /// Writes a file below ``root``.
  func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: root.appendingPathComponent(path))
  }

  /// Puts a script in the place of git.
  ///
  /// A program of its own writes it: what this process has open for writing, programs that other tests start in
  /// that moment have open, too, and the system runs no file that anybody may write to.
  ///
  /// - Returns: The folder that has it, for `PATH`.
  func replaceGit(with script: String) throws -> String {
    let tools = root.appendingPathComponent("tools")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
    try write(script, to: "tools/script")
    let installation = try Process.run(
      URL(fileURLWithPath: "/bin/sh"),
      arguments: ["-c", "cd \"$0\" && cp script git && chmod 755 git", tools.path]
    )
    installation.waitUntilExit()
    guard installation.terminationStatus == 0 else {
      throw GitError.failed(explanation: "'\(tools.path)/git' could not be written")
    }
    return tools.path
  }
}

/// A commit to make, in bytes, so that it may be broken.
struct TestCommit {
  var message: [UInt8]
  var person = "Ann Author <ann@example.org>"
  var date = 1_453_837_578
  var encoding: String?
  /// Whether the commit follows what an earlier stream left on `main`.
  var continuesMain = false

  init(
    _ message: String,
    person: String = "Ann Author <ann@example.org>",
    date: Int = 1_453_837_578
  ) {
    self.message = Array(message.utf8)
    self.person = person
    self.date = date
  }

  init(bytes: [UInt8], encoding: String? = nil) {
    message = bytes
    self.encoding = encoding
  }

  var stream: Data {
    let identity = "\(person) \(date) +0000"
    var head = "commit refs/heads/main\nauthor \(identity)\ncommitter \(identity)\n"
    if let encoding { head += "encoding \(encoding)\n" }
    let parent = continuesMain ? "from refs/heads/main^0\n" : ""
    return Data("\(head)data \(message.count)\n".utf8) + Data(message)
      + Data("\n\(parent)\n".utf8)
  }
}
