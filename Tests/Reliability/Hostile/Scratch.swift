// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RowTesting

/// A folder of a child process, in memory where the system has one: nothing is to be learnt here from
/// waiting for the disk.
///
/// There is a file beside the stores that none of them may read or change.
struct Scratch {
  let folder: URL
  let secret = Data("the secret of somebody else".utf8)

  /// Where the stores lie.
  var stores: URL { folder.appending(path: "stores") }
  private var secretFile: URL { folder.appending(path: "secret") }

  init(_ folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    try secret.write(to: secretFile)
  }

  /// A folder that no other run has, for a child or its parent.
  static func name() -> URL {
    TemporaryFolder.parent(inMemory: true)
      .appending(path: "perennial-hostile-\(UUID().uuidString)")
  }

  /// Whether the file beside the stores is as it was.
  var isSecretUnchanged: Bool { (try? Data(contentsOf: secretFile)) == secret }

  /// Puts files into the stores' folder, in which there are no others then.
  func put(_ files: [String: Data]) throws {
    try FileManager.default.removeItem(at: stores)
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    for (name, data) in files {
      let file = stores.appending(path: name)
      let parent = file.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try data.write(to: file)
    }
  }

  /// All files in the stores' folder, by their ways.
  func files() throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: stores.path())
    var files: [String: Data] = [:]
    for name in names {
      let file = stores.appending(path: name)
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: file.path(), isDirectory: &isFolder)
      if isThere, !isFolder.boolValue { files[name] = try Data(contentsOf: file) }
    }
    return files
  }

  /// Makes a name in the stores' folder lead to the file beside it.
  func link(_ name: String) {
    let link = stores.appending(path: name)
    try? FileManager.default.removeItem(at: link)
    try? FileManager.default.createSymbolicLink(at: link, withDestinationURL: secretFile)
  }
}
