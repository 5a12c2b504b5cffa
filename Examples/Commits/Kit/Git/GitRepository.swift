// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A local repository: what `commits import` reads.
public struct GitRepository: Sendable {
  /// Whether the history is cut off, as `git clone --depth` leaves it.
  public let isShallow: Bool
  /// What stands before a commit's id in its address, nil when `origin` has no web address.
  public let webAddress: WebAddress?
  private let git: Git
  private let folder: URL

  /// Opens the repository that a folder belongs to: a checkout or one of its folders, a worktree,
  /// a submodule or a bare repository.
  ///
  /// - Parameters:
  ///   - path: The folder, absolute or from the current folder.
  ///   - environment: The environment variables of this process.
  /// - Throws: ``GitError``.
  public init(
    path: String,
    environment: [String: String] = GitRepository.processEnvironment
  ) throws {
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    var isFolder: ObjCBool = false
    guard
      !path.isEmpty, FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
      isFolder.boolValue
    else { throw GitError.noFolder(path: path) }

    let git = try Git(environment: environment)
    let check = try git.text(
      of: ["rev-parse", "--git-dir", "--is-shallow-repository"],
      in: folder
    )
    guard check.outcome.status == 0 else {
      throw GitError(opening: path, errorText: check.outcome.errorText)
    }
    let remote = try git.text(of: ["remote", "get-url", "origin"], in: folder)
    self.git = git
    self.folder = folder
    self.isShallow = check.text.split(separator: "\n").last == "true"
    self.webAddress =
      remote.outcome.status == 0 ? WebAddress(remote: remote.text.trimmedLine) : nil
  }

  /// The environment variables of this process.
  public static var processEnvironment: [String: String] {
    ProcessInfo.processInfo.environment
  }

  /// Calls a closure with every commit reachable from `HEAD`, oldest first.
  ///
  /// A repository without commits has none. Memory holds one commit at a time.
  ///
  /// - Throws: ``GitError``; what `body` throws; `Interruption.Cancelled` when the user interrupts.
  public func forEachCommit(_ body: (GitCommit) throws -> Void) throws {
    var parser = GitLogParser()
    let outcome = try git.run(
      Self.logArguments,
      in: folder,
      output: { try parser.consume($0, body: body) }
    )
    if outcome.status != 0 {
      // The branch that HEAD names is not born yet. A broken one has another message.
      if outcome.errorText.contains("does not have any commits yet") { return }
      throw GitError.failed(explanation: outcome.errorText.trimmedLine)
    }
    try parser.finish()
  }

  /// The id of the newest commit, empty when there is none.
  ///
  /// - Throws: `Interruption.Cancelled` when the user interrupts.
  public func head() throws -> String {
    try git.text(of: ["rev-parse", "--verify", "--quiet", "HEAD"], in: folder).text.trimmedLine
  }

  /// Options that overrule whatever the user's configuration says about `git log`.
  ///
  /// The oldest commit comes first: those of one second are stored in their order, also when a later
  /// import brings more.
  private static let logArguments = [
    "--no-pager", "-c", "log.showSignature=false", "log", "--reverse", "-z",
    "--format=" + GitLogParser.format,
    "--encoding=UTF-8", "--no-color", "--no-decorate", "--no-notes", "--no-patch",
    "--no-show-signature", "--no-mailmap", "--",
  ]
}

extension GitError {
  /// The error of a repository that git refuses to open.
  init(opening path: String, errorText: String) {
    let text = errorText.trimmedLine
    if text.contains("dubious ownership") {
      self = .dubiousOwnership(explanation: text)
    } else if text.lowercased().contains("not a git repository") {
      self = .notARepository(path: path)
    } else {
      self = .failed(explanation: text)
    }
  }
}

extension String {
  fileprivate var trimmedLine: String { trimmingCharacters(in: .newlines) }
}
