// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Copies a store to a place under its final name: wholly or not at all.
///
/// The copy is made under another name, and written to the disk; large values, whose names are never
/// used again, come before it, so that whoever opens the copy finds them.
struct StoreCopy {
  private let source: SQLiteConnection
  private let sourceNames: StoreNames
  private let target: StoreNames

  init(from source: SQLiteConnection, _ sourceNames: StoreNames, to target: StoreNames) {
    self.source = source
    self.sourceNames = sourceNames
    self.target = target
  }

  func run() throws(PerennialError) {
    let draft = target.path + ".copy-\(UUID().uuidString)"
    defer { for end in ["", "-journal", "-wal", "-shm"] { try? DurableFile.remove(draft + end) } }
    do throws(SQLiteFailure) {
      let connection = try SQLiteConnection(path: draft, access: .create, busyTimeout: .zero)
      try connection.execute("PRAGMA synchronous = FULL")
      try source.copy(to: connection)
    } catch {
      throw PerennialError(error, during: .saving, store: target.name)
    }
    let files = try copyExternalFiles()
    do throws(FileFailure) {
      try DurableFile.move(draft, over: target.path)
    } catch {
      throw .cannotCopy(target.name, error)
    }
    removeExternalFiles(except: files)
  }

  /// - Returns: The names of the large values of the source.
  private func copyExternalFiles() throws(PerennialError) -> Set<String> {
    let manager = FileManager.default
    let folder = sourceNames.externalFolder
    let names = (try? manager.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    guard !names.isEmpty else { return [] }
    let end = target.externalFolder
    do {
      try manager.createDirectory(at: end, withIntermediateDirectories: true)
      for name in names where UUID(uuidString: name) != nil {
        let copy = end.appending(path: name)
        guard !manager.fileExists(atPath: copy.path(percentEncoded: false)) else { continue }
        try manager.copyItem(at: folder.appending(path: name), to: copy)
        try DurableFile.synchronise(copy.path(percentEncoded: false))
      }
      try DurableFile.synchronise(end.path(percentEncoded: false))
    } catch {
      throw .cannotCopy(target.name, error)
    }
    return Set(names)
  }

  /// Deletes what belonged to the store that was replaced; what cannot be deleted only takes room.
  private func removeExternalFiles(except names: Set<String>) {
    let manager = FileManager.default
    let folder = target.externalFolder
    let found = (try? manager.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    for name in found where !names.contains(name) {
      try? manager.removeItem(at: folder.appending(path: name))
    }
  }
}

extension PerennialError {
  fileprivate static func cannotCopy(_ store: String, _ error: any Error) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The copy '\(store)' cannot be written.",
      recovery: "see that its folder can be written and that the disk has room",
      underlying: error
    )
  }
}
