// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import CommitsKit
import Console
import Foundation

/// Writes a ``DemoHistory`` into a new repository.
public struct DemoRepository: Sendable {
  /// Where `origin` is said to be.
  public static let origin = "git@git.example.org:demo/history.git"

  private let git: Git

  /// Makes a writer that uses a git.
  public init(_ git: Git) {
    self.git = git
  }

  /// Makes a repository with a checked-out branch `main`.
  ///
  /// - Parameters:
  ///   - history: What to write.
  ///   - path: A folder that is empty or does not exist yet.
  /// - Throws: ``CommandFailure`` when the folder is not empty, ``GitError`` when git fails,
  ///   `Interruption.Cancelled` when the user interrupts.
  public func write(_ history: DemoHistory, to path: String) throws {
    let folder = try emptyFolder(path)
    try run(["init", "--quiet"], in: folder)
    try run(["symbolic-ref", "HEAD", "refs/heads/main"], in: folder)
    try run(["config", "remote.origin.url", Self.origin], in: folder)
    try run(["fast-import", "--quiet", "--done"], in: folder) { stream in
      var pending = Data()
      try history.write { piece in
        try Interruption.check()
        pending += Data(piece.utf8)
        guard pending.count > 65_536 else { return }
        try stream.write(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
      }
      try stream.write(contentsOf: pending)
    }
    if history.count > 0 { try run(["reset", "--quiet", "--hard"], in: folder) }
  }

  private func emptyFolder(_ path: String) throws -> URL {
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    let content = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard content?.isEmpty ?? !FileManager.default.fileExists(atPath: folder.path) else {
      throw CommandFailure(
        "'\(path.escapedForTerminal)' is there already and not an empty folder",
        advice: "Choose another path, or remove it."
      )
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private func run(
    _ arguments: [String],
    in folder: URL,
    input: ((FileHandle) throws -> Void)? = nil
  ) throws {
    let outcome = try git.run(arguments, in: folder, input: input)
    guard outcome.status == 0 else { throw GitError.failed(explanation: outcome.errorText) }
  }
}
