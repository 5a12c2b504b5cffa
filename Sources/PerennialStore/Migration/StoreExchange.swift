// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// Puts a migrated draft in its store's place, with a way back until the new store is open.
package struct StoreExchange {
  private let files: any MigratableFiles
  private let url: URL
  private let draft: StoreDraft
  private let lock: any MigrationLock
  private let tell: (String) -> Void

  /// An exchange of a locked store for its draft.
  ///
  /// - Parameters:
  ///   - url: The store.
  ///   - draft: What becomes the store.
  ///   - files: The kind of store.
  ///   - lock: The store's lock.
  ///   - tell: Is told what has been done.
  package init(
    of url: URL,
    for draft: StoreDraft,
    _ files: any MigratableFiles,
    _ lock: any MigrationLock,
    tell: @escaping (String) -> Void
  ) {
    self.files = files
    self.url = url
    self.draft = draft
    self.lock = lock
    self.tell = tell
  }

  /// Gives the draft the store's name, and opens it.
  ///
  /// - Parameter opening: Opens the store.
  /// - Returns: What that gives.
  /// - Throws: Why it could not be; the store that there was is back then and the draft's folder gone, or the error says
  ///   where it lies.
  package func run<Store>(
    _ opening: () throws(PerennialError) -> Store
  ) throws(PerennialError) -> Store {
    // The state before the last stage.
    try? FileManager.default.removeItem(at: draft.previous)
    let before = status
    do throws(PerennialError) {
      try files.put(draft.url, over: url, previous: draft.previous, lock)
      tell("the migrated store has taken its place")
      return try opening()
    } catch {
      // As long as the store has its name, what lies at `previous` may be a part of it, or an earlier stage.
      if let before, status?.isSameFile(as: before) == true {
        draft.remove()
      } else {
        try takeBack()
      }
      throw error
    }
  }

  /// Which file has the store's name; `nil` when that cannot be told.
  private var status: FileStatus? {
    try? SystemFiles().status(of: url.path(percentEncoded: false))
  }

  private func takeBack() throws(PerennialError) {
    let path = draft.previous.path(percentEncoded: false)
    if FileManager.default.fileExists(atPath: path) {
      do throws(PerennialError) {
        try files.put(draft.previous, over: url, previous: nil, lock)
        tell("the migrated store cannot be opened; the one before is put back")
      } catch {
        throw PerennialError(
          .migration,
          "The migrated store '\(url.lastPathComponent)' cannot be opened, and what it was cannot be put back.",
          recovery: "what it was lies in '\(path)': move it to the store's place",
          underlying: error
        )
      }
    }
    draft.remove()
  }
}
