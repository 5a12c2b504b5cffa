// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore

/// What a JSON store's file says of itself, read without its model.
package struct JSONInspection: Sendable {
  package var metadata: PersistentStoreMetadata
  /// The number of objects of every entity that has any, by name; those of subentities are counted as theirs.
  package var objectCounts: [String: Int]
  package var hasHistory: Bool
  /// Whether a checksum says that the text is as a store has written it; one that was edited by hand has none.
  package var hasChecksum: Bool

  /// Inspects a store; nothing is written.
  ///
  /// - Parameter url: The store's file.
  /// - Throws: `persistentStoreOpen` (134080) when the file is no store, or damaged.
  package init(_ url: URL) throws(PerennialError) {
    let file = try StoreFile(url)
    let contents: FileContents
    do throws(FileFailure) {
      contents = try SystemFiles().open(file.path).contents()
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
    do throws(JSONFault) {
      self = try contents.withBytes { bytes throws(JSONFault) in
        var reader = try StateReader(bytes)
        let header = try reader.header()
        let (counts, hasHistory) = try reader.objectCounts()
        return JSONInspection(
          metadata: header.shown,
          objectCounts: counts,
          hasHistory: hasHistory,
          hasChecksum: reader.isSealed
        )
      }
    } catch {
      throw PerennialError(error, store: file.name, line: nil)
    }
  }

  private init(
    metadata: PersistentStoreMetadata,
    objectCounts: [String: Int],
    hasHistory: Bool,
    hasChecksum: Bool
  ) {
    self.metadata = metadata
    self.objectCounts = objectCounts
    self.hasHistory = hasHistory
    self.hasChecksum = hasChecksum
  }
}
