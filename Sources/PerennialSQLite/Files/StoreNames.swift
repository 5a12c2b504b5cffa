// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// The names of all files that belong to a SQLite store.
struct StoreNames: Sendable {
  /// The main file; that which a symbolic link leads to.
  let url: URL
  let path: String
  let name: String

  init(_ url: URL) {
    let target = url.resolvingSymlinksInPath()
    self.url = target
    path = target.path(percentEncoded: false)
    name = target.lastPathComponent
  }

  var hasMainFile: Bool { FileManager.default.fileExists(atPath: path) }

  /// The folder that the main file lies in.
  var folder: String { url.deletingLastPathComponent().path(percentEncoded: false) }

  /// The folder of large values, in another one of its own.
  var externalFolder: URL { ExternalData(store: url).folder }

  /// The names of the large values that there are.
  var externalNames: Set<String> {
    let path = externalFolder.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return Set(names.filter { UUID(uuidString: $0) != nil })
  }

  /// Deletes what SQLite keeps beside the main file: a log that is not of the file of its name would be
  /// taken for one.
  func removeCompanions(_ steps: FileSteps) throws(FileFailure) {
    for end in ["-wal", "-shm", "-journal"] { try steps.remove(path + end) }
  }

  /// Makes a finished file the main file, in the place of the one that is there.
  ///
  /// Nothing that SQLite kept beside a file of this name may be there when the new one comes, nor come back after a loss
  /// of power.
  ///
  /// - Parameters:
  ///   - path: The file, which is on the disk and in a folder of the same volume.
  ///   - steps: What the files are changed with.
  /// - Throws: The step that failed.
  func take(_ path: String, _ steps: FileSteps) throws(FileFailure) {
    try removeCompanions(steps)
    try steps.synchronise(folder)
    try steps.rename(path, to: self.path)
    try steps.synchronise(folder)
  }

  /// Deletes what processes left that ended while they made a copy.
  func removeDrafts(_ steps: FileSteps) throws {
    for folder in StoreDraft.folders(of: url) { try steps.removeFolder(folder) }
  }

  /// Deletes all files of the store, the main file first: what is left of it then is no store.
  func removeAll(_ steps: FileSteps) throws(PerennialError) {
    do {
      if hasMainFile {
        try steps.remove(path)
        try steps.synchronise(folder)
      }
      try removeCompanions(steps)
      if !ExternalData.isShared(by: url) {
        try steps.removeFolder(externalFolder.deletingLastPathComponent())
      }
      try removeDrafts(steps)
    } catch {
      throw PerennialError(
        .persistentStoreSave,
        "The files of the store '\(name)' cannot be deleted.",
        recovery: "allow writing to the folder that they are in",
        underlying: error
      )
    }
  }
}
