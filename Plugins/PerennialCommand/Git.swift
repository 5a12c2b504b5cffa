// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The git repository that a package is in.
struct Git {
  /// The repository's own folder.
  let root: URL

  /// Finds the repository of a folder.
  init(in folder: URL) throws {
    let output: Data
    do {
      output = try Self.run(["rev-parse", "--show-toplevel"], in: folder)
    } catch let failure as Failure {
      throw PluginFailure(
        failure.isMissing
          ? "check-migration needs git, which is not installed"
          : "the package '\(folder.lastPathComponent)' is in no git repository",
        advice: failure.isMissing
          ? "Install git, or name the models: swift package perennial check-migration OLD NEW"
          : "Name the models: swift package perennial check-migration OLD NEW"
      )
    }
    root = URL(filePath: Self.text(output), directoryHint: .isDirectory)
  }

  /// The newest tag that the current commit follows, nil when there is none.
  func lastTag() -> String? {
    (try? Self.run(["describe", "--tags", "--abbrev=0"], in: root)).map(Self.text)
  }

  /// Whether there is a commit of a name.
  func hasCommit(_ name: String) -> Bool {
    (try? Self.run(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(name)^{commit}"],
      in: root
    )) != nil
  }

  /// The paths of all files of a commit below the folders of some paths, all for none.
  func files(of commit: String, below path: String? = nil) throws -> [String] {
    let arguments = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit]
    let output = try Self.run(arguments + (path.map { ["--", $0] } ?? []), in: root)
    return output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What a file was in a commit.
  func contents(of path: String, in commit: String) throws -> Data {
    try Self.run(["show", "\(commit):\(path)"], in: root)
  }

  /// A path below the repository's folder, nil for one that is elsewhere.
  func relativePath(of url: URL) -> String? {
    let own = root.resolvingSymlinksInPath().path
    let path = url.resolvingSymlinksInPath().path
    guard path.hasPrefix(own + "/") else { return nil }
    return String(path.dropFirst(own.count + 1))
  }

  // MARK: Running

  private struct Failure: Error {
    /// Whether there is no git.
    let isMissing: Bool
  }

  private static let notFound: Int32 = 127

  private static func run(_ arguments: [String], in folder: URL) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "-c", "core.quotePath=false"] + arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { throw Failure(isMissing: true) }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(isMissing: process.terminationStatus == notFound)
    }
    return data
  }

  private static func text(_ output: Data) -> String {
    String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
