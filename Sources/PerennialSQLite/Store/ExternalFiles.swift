// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The files beside a store that hold large values (FORMAT 2.9).
///
/// Perennial reads them and writes every value inline, which is always legal.
struct ExternalFiles: Sendable {
  /// The mark before bytes that lie in the column.
  static let inlineMark: UInt8 = 1
  /// The mark before the name of a file.
  static let fileMark: UInt8 = 2

  let folder: URL

  init(store: URL) {
    let name = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
    folder = store.deletingLastPathComponent().appending(path: name)
      .appending(path: "_EXTERNAL_DATA")
  }

  /// The content of a file, or `nil` when there is none or the name is no identifier.
  func data(named name: some Collection<UInt8>) -> Data? {
    let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    guard UUID(uuidString: text) != nil else { return nil }
    return try? Data(contentsOf: folder.appending(path: text))
  }
}
