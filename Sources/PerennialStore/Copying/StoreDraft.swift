// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// A folder beside a store, `NAME.copy-UUID`, for the file that is going to have the store's name.
///
/// A process that ends in the middle leaves it behind; the next one that replaces or deletes the store
/// deletes it.
package struct StoreDraft: Sendable {
  package let folder: URL
  /// The file: it has the store's name already, in the folder.
  package let url: URL

  /// The place of a draft that there is not yet.
  package init(of store: URL) {
    let name = store.lastPathComponent + Self.mark + UUID().uuidString
    folder = store.deletingLastPathComponent()
      .appending(path: name, directoryHint: .isDirectory)
    url = folder.appending(path: store.lastPathComponent)
  }

  private static let mark = ".copy-"

  /// Whether a name beside a store is that of a draft of it.
  package static func isName(_ name: String, of store: URL) -> Bool {
    let start = store.lastPathComponent + mark
    return name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil
  }

  /// Where a file lies that was a store, while a draft takes its place.
  package var previous: URL {
    folder.appending(path: Self.before).appending(path: url.lastPathComponent)
  }

  private static let before = "before"

  /// The store that a file is a draft of, or what was there before it; any other file is its own.
  package static func store(of file: URL) -> URL {
    var folder = file.deletingLastPathComponent()
    if folder.lastPathComponent == before { folder = folder.deletingLastPathComponent() }
    let store = folder.deletingLastPathComponent().appending(path: file.lastPathComponent)
    return isName(folder.lastPathComponent, of: store) ? store : file
  }

  /// Whether the folder is there.
  package var isThere: Bool {
    FileManager.default.fileExists(atPath: folder.path(percentEncoded: false))
  }

  /// Deletes the folder, as far as that can be done: it only takes room.
  package func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Deletes the drafts of a store, as far as that can be done: they only take room.
  package static func removeAll(of store: URL) {
    for folder in folders(of: store.resolvingSymlinksInPath()) {
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// The drafts of a store that are there.
  package static func folders(of store: URL) -> [URL] {
    let folder = store.deletingLastPathComponent()
    let path = folder.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { isName($0, of: store) }.map {
      folder.appending(path: $0, directoryHint: .isDirectory)
    }
  }
}
