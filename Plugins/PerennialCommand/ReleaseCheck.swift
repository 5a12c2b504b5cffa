// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Compares a package's models with what they were at a release.
struct ReleaseCheck {
  let tool: URL
  let git: Git
  let models: [URL]
  /// Where the models of the release are put.
  let place: URL

  /// Prints the plan of every model.
  ///
  /// - Returns: The exit code: 1 when a change is destructive, a model cannot be read, or no store can be opened with a
  ///   new one.
  func run(_ options: ReleaseOptions) throws -> Int32 {
    guard !models.isEmpty else {
      throw PluginFailure(
        "the package has no model: no '.xcdatamodeld' in the folders of its targets",
        advice: "Name the models: swift package perennial check-migration OLD NEW"
      )
    }
    let tag = try tag(options.tag)
    try? FileManager.default.removeItem(at: place)
    defer { try? FileManager.default.removeItem(at: place) }
    var status: Int32 = 0
    for model in models {
      status = max(status, try check(model, tag, options.rest))
    }
    try noteRemoved(tag)
    return status
  }

  private func tag(_ given: String?) throws -> String {
    if let given {
      guard !given.isEmpty, git.hasCommit(given) else {
        throw PluginFailure(
          "the repository has no tag '\(given)'",
          advice: "Run 'git tag' to see those that it has."
        )
      }
      return given
    }
    guard let tag = git.lastTag() else {
      throw PluginFailure(
        "there is no release to compare with: the repository has no tag before this commit",
        advice: "Tag the release's commit ('git tag 1.0.0 COMMIT'), or give a commit with '--tag'."
      )
    }
    return tag
  }

  private func check(_ model: URL, _ tag: String, _ options: [String]) throws -> Int32 {
    guard let path = git.relativePath(of: model) else {
      note("\(model.path) is not in the repository: it is left out")
      return 0
    }
    let files = try git.files(of: tag, below: path)
    guard !files.isEmpty else {
      note("\(path) is new since \(tag): there are no stores of it yet")
      return 0
    }
    for file in files {
      let target = place.appending(path: file)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try git.contents(of: file, in: tag).write(to: target)
    }
    note("\(path), since \(tag):")
    let old = place.appending(path: path).path
    let process = try Process.run(tool, arguments: ["check-migration", old, model.path] + options)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Tells of models of the release that the package does not have any more: they may have moved.
  private func noteRemoved(_ tag: String) throws {
    let kept = Set(models.compactMap(git.relativePath))
    var removed: Set<String> = []
    for file in try git.files(of: tag) {
      guard let end = file.range(of: ".xcdatamodeld/") else { continue }
      let model = String(file[..<end.upperBound].dropLast())
      let isThere = FileManager.default.fileExists(atPath: git.root.appending(path: model).path)
      if !isThere, !kept.contains(model) { removed.insert(model) }
    }
    for model in removed.sorted() {
      note("\(model) of \(tag) is not there any more: if it has moved, compare it by hand")
    }
  }

  private func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
