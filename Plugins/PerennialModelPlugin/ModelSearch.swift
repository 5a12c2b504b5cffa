// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Finds model files in a folder.
///
/// The package manager does not list files that a target excludes, and models are excluded where no Xcode
/// compiles them.
enum ModelSearch {
  /// The `.xcdatamodeld` folders, and the `.xcdatamodel` folders outside them, sorted.
  static func models(in folder: URL) -> [URL] {
    guard
      let files = FileManager.default.enumerator(
        at: folder,
        includingPropertiesForKeys: nil,
        options: .skipsHiddenFiles
      )
    else { return [] }
    var models: [URL] = []
    for case let url as URL in files
    where url.pathExtension == "xcdatamodeld" || url.pathExtension == "xcdatamodel" {
      models.append(url)
      files.skipDescendants()
    }
    return models.sorted { $0.path < $1.path }
  }

  /// The files that a model consists of, those included that say which version is in use.
  static func files(in model: URL) -> [URL] {
    let names = FileManager.default.enumerator(atPath: model.resolvingSymlinksInPath().path)?
      .compactMap { $0 as? String }
    let files = (names ?? []).filter {
      $0.hasSuffix(".xccurrentversion") || $0.split(separator: "/").last == "contents"
    }
    return files.sorted().map { model.appending(path: $0) }
  }
}
