// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Where a store lies: its file, that of its lock, the one that becomes the next, and its large values.
struct StoreFile: Sendable {
  /// The file itself, symbolic links followed: what is put in its place must not replace a link.
  let path: String
  /// The file's name, for messages.
  let name: String

  var lockPath: String { path + ".lock" }
  var nextPath: String { path + ".new" }
  /// The folder of the files that hold large values.
  var valuesPath: String { path + ".values" }

  /// Follows a URL.
  ///
  /// - Throws: `persistentStoreOpen` for a URL that is not that of a file, or a link to nowhere.
  init(_ url: URL) throws(PerennialError) {
    guard url.isFileURL else {
      throw .cannotOpen("The store's URL is not that of a file.", "use URL(filePath:)")
    }
    name = url.lastPathComponent
    let path = url.path(percentEncoded: false)
    let type =
      (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    guard type == .typeSymbolicLink else {
      self.path = path
      return
    }
    let target = url.resolvingSymlinksInPath().path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: target) else {
      throw .cannotOpen(
        "The store '\(name)' is a symbolic link that leads nowhere.",
        "remove the link or make the file that it names"
      )
    }
    self.path = target
  }

  /// A path that is taken as it is.
  init(path: String) {
    self.path = path
    name = path.split(separator: "/").last.map(String.init) ?? path
  }
}

extension ExternalData {
  /// The large values of a JSON store: `NAME.values/UUID`.
  init(_ file: StoreFile, _ files: any FileSystem) {
    let folder = file.valuesPath.split(separator: "/").last.map(String.init) ?? file.valuesPath
    self.init(store: file.path, way: [folder], files: files)
  }
}

extension FileSystem {
  /// Keeps everybody else from writing a store, until the lock is released.
  func lock(
    _ file: StoreFile,
    patience: Duration
  ) throws(PerennialError) -> any FileLock {
    do throws(FileFailure) {
      if let lock = try lock(file.lockPath, patience: patience) { return lock }
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
    throw .locked(file.name)
  }
}
