// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialStore

/// The sizes of a store's file and of what belongs to it.
struct FileSizes {
  let main: Int
  /// The write-ahead log; 0 when there is none.
  let log: Int
  /// Large values that lie in files of their own.
  let externalCount: Int
  let external: Int

  init(_ path: String, _ format: FileFormat) {
    let url = URL(filePath: path).resolvingSymlinksInPath()
    func size(_ url: URL) -> Int {
      (try? SystemFiles().status(of: url.path(percentEncoded: false)))?.byteCount ?? 0
    }
    main = size(url)
    let folder: URL
    switch format {
    case .sqlite:
      log = size(url.deletingLastPathComponent().appending(path: url.lastPathComponent + "-wal"))
      folder = ExternalData(store: url).folder
    case .json:
      log = 0
      folder = url.deletingLastPathComponent().appending(path: url.lastPathComponent + ".values")
    }
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)))
      ?? []
    let values = names.filter { UUID(uuidString: $0) != nil }
    externalCount = values.count
    external = values.reduce(0) { $0 + size(folder.appending(path: $1)) }
  }

  /// The sizes for people.
  var line: String {
    var parts = [main.asByteCount]
    if log > 0 { parts.append("log \(log.asByteCount)") }
    if externalCount > 0 {
      parts.append("\(externalCount.counted("large value")) \(external.asByteCount)")
    }
    return parts.joined(separator: ", ")
  }
}
