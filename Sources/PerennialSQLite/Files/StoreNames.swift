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

  /// The folder that the main file lies in.
  var folder: String { url.deletingLastPathComponent().path(percentEncoded: false) }

  /// The folder of large values, in another one of its own.
  var externalFolder: URL { ExternalData(store: url).folder }

  /// Whether another store would have its large values in the same folder.
  func sharesLargeValues(with other: StoreNames) -> Bool {
    externalFolder.resolvingSymlinksInPath() == other.externalFolder.resolvingSymlinksInPath()
  }

  /// The names of the large values that there are.
  ///
  /// - Throws: Why that cannot be told: what is not seen would not be copied.
  func externalNames() throws(FileFailure) -> Set<String> {
    try ExternalData(store: url).names()
  }

  /// What SQLite keeps beside the main file.
  private var companions: [String] { ["-wal", "-shm", "-journal"].map { path + $0 } }

  /// Deletes what SQLite keeps beside the main file: a log that is not of the file of its name would be
  /// taken for one.
  func removeCompanions(_ steps: FileSteps) throws(FileFailure) {
    for companion in companions { try steps.remove(companion) }
  }

  /// Makes a finished file the main file, in the place of the one that is there.
  ///
  /// Nothing that SQLite kept beside a file of this name may be there when the new one comes, nor come back after a loss
  /// of power.
  ///
  /// - Parameters:
  ///   - path: The file, which is on the disk and in a folder of the same volume.
  ///   - steps: What the files are changed with.
  ///   - isNew: Whether there is none; then there is none again when the last step fails.
  /// - Throws: The step that failed.
  func take(_ path: String, _ steps: FileSteps, isNew: Bool = false) throws(FileFailure) {
    try removeCompanions(steps)
    try steps.synchronise(folder)
    try steps.rename(path, to: self.path)
    do throws(FileFailure) {
      try steps.synchronise(folder)
    } catch {
      if isNew { try? steps.remove(self.path) }
      throw error
    }
  }

  /// Makes a finished file the main file, where there is none.
  ///
  /// What SQLite kept beside a former one goes first, as in ``take(_:_:isNew:)``. Only what was there before the name
  /// was looked at: what comes later is of a store that somebody makes meanwhile.
  ///
  /// - Parameters:
  ///   - path: The file, which is on the disk and in a folder of the same volume.
  ///   - steps: What the files are changed with.
  /// - Throws: `persistentStoreSave` when somebody has made one, which is as it was; or the step that failed, and there
  ///   is none.
  func takeFree(_ path: String, _ steps: FileSteps) throws {
    let rest = try companions.filter { try steps.isThere($0) }
    try checkIsFree(steps)
    for companion in rest { try steps.remove(companion) }
    try steps.synchronise(folder)
    guard try steps.rename(path, toFree: self.path) else { throw PerennialError.fileExists(name) }
    do {
      try steps.synchronise(folder)
    } catch {
      try? steps.remove(self.path)
      throw error
    }
  }

  /// Deletes what processes left that ended while they made a copy.
  func removeDrafts(_ steps: FileSteps) throws {
    for folder in StoreDraft.folders(of: url) { try steps.removeFolder(folder) }
  }

  /// Deletes all files of the store, the main file first: what is left of it then is no store.
  func removeAll(_ steps: FileSteps) throws(PerennialError) {
    do {
      if try steps.isThere(path) {
        try steps.remove(path)
        try steps.synchronise(folder)
      }
      try removeCompanions(steps)
      if try !ExternalData.isShared(by: url) {
        try steps.removeFolder(externalFolder.deletingLastPathComponent())
      }
      try removeDrafts(steps)
    } catch {
      throw cannotDelete(error)
    }
  }

  /// What users are told when a file cannot be deleted.
  private func cannotDelete(_ error: any Error) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The files of the store '\(name)' cannot be deleted.",
      recovery: "allow writing to the folder that they are in",
      underlying: error
    )
  }

  /// Whether there is a store to delete; one that nobody can look at is not gone.
  func isToBeDeleted(_ steps: FileSteps) throws(PerennialError) -> Bool {
    do throws(FileFailure) {
      return try steps.isThere(path)
    } catch {
      throw cannotDelete(error)
    }
  }

  /// Throws when there is a file of the store's name, or when that cannot be told.
  func checkIsFree(_ steps: FileSteps) throws(PerennialError) {
    let isTaken: Bool
    do throws(FileFailure) {
      isTaken = try steps.isThere(path)
    } catch {
      throw PerennialError(
        .persistentStoreSave,
        "Whether there is a file '\(name)' already cannot be told: \(error.message).",
        recovery: "check the disk and try again: nothing was written",
        underlying: error
      )
    }
    if isTaken { throw .fileExists(name) }
  }
}
