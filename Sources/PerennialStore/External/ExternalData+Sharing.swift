// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

extension ExternalData {
  /// Whether another file beside a store may be a store with the same folder: the folder's name has the
  /// store's without its extension, as in Core Data.
  ///
  /// What lies in a folder that is shared must not be deleted because this store does not name it.
  package static func isShared(by store: URL) -> Bool {
    let name = store.lastPathComponent
    let stem = store.deletingPathExtension().lastPathComponent
    let own = Set(["", "-wal", "-shm", "-journal", ".lock", ".new"].map { name + $0 })
    let folder = store.deletingLastPathComponent()
    let path = folder.path(percentEncoded: false)
    let others = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return others.contains { other in
      !own.contains(other) && !StoreDraft.isName(other, of: store)
        && folder.appending(path: other).deletingPathExtension().lastPathComponent == stem
    }
  }
}
