// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RowTesting

/// Folders in memory, where the system has them: thousands of stores are too much for a disk, and what a process leaves
/// when it is killed does not depend on where it lies.
enum MemoryFolder {
  static func make(for trial: String) throws -> URL {
    let place = TemporaryFolder.parent(inMemory: true)
    let folder = place.resolvingSymlinksInPath().appending(path: "\(trial)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
