// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore

extension JSONStore: DescribedStore {
  package func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    PersistentStoreMetadata(
      storeID: identifier,
      storeType: "JSON",
      modelVersionHashes: model.versionHashes.byEntity,
      values: try metadata()
    )
  }

  package func setStoreMetadata(
    _ metadata: PersistentStoreMetadata
  ) throws(PerennialError) {
    try metadata.check(for: identifier)
    var entries = metadata.values
    for key in try self.metadata().keys where entries[key] == nil { entries[key] = .null }
    try setMetadata(entries)
  }
}

extension JSONStore: CopyableStore {
  package func copy(to url: URL) throws(PerennialError) {
    let copier = JSONFiles(busyTimeout: busyTimeout, files: files)
    try whileUnchanged { () throws(PerennialError) in
      try copier.copy(from: URL(filePath: file.path), to: url)
    }
  }
}
