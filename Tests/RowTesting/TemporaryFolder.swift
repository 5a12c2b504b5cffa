// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// A folder of a test's own, removed with the value.
package final class TemporaryFolder {
  package let url: URL

  /// A folder; with `inMemory`, where the system keeps files in memory if it does.
  package init(inMemory: Bool = false) throws {
    url = Self.parent(inMemory: inMemory).appending(path: "perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Where such folders lie.
  package static func parent(inMemory: Bool) -> URL {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isInMemory = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
    return isInMemory ? memory : FileManager.default.temporaryDirectory
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String) -> URL { url.appending(path: name) }
}
