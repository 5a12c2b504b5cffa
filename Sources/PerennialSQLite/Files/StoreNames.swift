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

  /// What SQLite keeps beside the main file.
  private var companions: [String] { ["-wal", "-shm", "-journal"].map { path + $0 } }

  /// The folder of large values, and the one that it lies in.
  var externalFolder: URL { ExternalData(store: url).folder }

  /// Deletes all files of the store, the main file first: what is left of it then is no store.
  func removeAll() throws(PerennialError) {
    let hadMainFile = hasMainFile
    do throws(FileFailure) {
      try DurableFile.remove(path)
      for companion in companions { try DurableFile.remove(companion) }
      if hadMainFile { try DurableFile.synchronise(DurableFile.folder(of: path)) }
    } catch {
      throw .cannotDelete(name, error)
    }
    let support = externalFolder.deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: support.path(percentEncoded: false)) else {
      return
    }
    do {
      try FileManager.default.removeItem(at: support)
    } catch {
      throw .cannotDelete(name, error)
    }
  }
}

extension PerennialError {
  fileprivate static func cannotDelete(_ store: String, _ error: any Error) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The files of the store '\(store)' cannot be deleted.",
      recovery: "allow writing to the folder that they are in",
      underlying: error
    )
  }
}
