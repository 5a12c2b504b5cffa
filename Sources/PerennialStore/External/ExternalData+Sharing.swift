// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

extension ExternalData {
  /// Whether another file beside a store may be a store with the same folder: the folder's name has the
  /// store's without its extension, as in Core Data.
  ///
  /// What lies in a folder that is shared must not be deleted because this store does not name it.
  ///
  /// - Throws: Why that cannot be told.
  package static func isShared(by store: URL) throws(FileFailure) -> Bool {
    let name = store.lastPathComponent
    let stem = store.deletingPathExtension().lastPathComponent
    let own = Set(["", "-wal", "-shm", "-journal", ".lock", ".new"].map { name + $0 })
    let folder = store.deletingLastPathComponent()
    let path = folder.path(percentEncoded: false)
    let others: [String]
    do throws(FileFailure) {
      others = try SystemFiles().folder(path).names()
    } catch {
      if error.isAboutMissingFile { return false }
      throw error
    }
    return others.contains { other in
      !own.contains(other) && !StoreDraft.isName(other, of: store)
        && folder.appending(path: other).deletingPathExtension().lastPathComponent == stem
    }
  }
}
