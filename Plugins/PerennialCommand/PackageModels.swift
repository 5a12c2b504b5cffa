// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The models among a package's sources.
enum PackageModels {
  /// Finds every `.xcdatamodeld`, and every `.xcdatamodel` that is in none.
  ///
  /// - Parameters:
  ///   - folders: The folders of the package's targets.
  ///   - exception: A folder that is not looked into.
  /// - Returns: The models, sorted by their paths, each once.
  static func find(in folders: [URL], without exception: URL) -> [URL] {
    var found: Set<URL> = []
    for folder in folders {
      let files = FileManager.default.enumerator(
        at: folder,
        includingPropertiesForKeys: nil,
        options: [.skipsHiddenFiles]
      )
      while let file = files?.nextObject() as? URL {
        if file.path == exception.path { files?.skipDescendants() }
        guard ["xcdatamodeld", "xcdatamodel"].contains(file.pathExtension) else { continue }
        found.insert(file.standardizedFileURL)
        files?.skipDescendants()
      }
    }
    return found.sorted { $0.path < $1.path }
  }
}
