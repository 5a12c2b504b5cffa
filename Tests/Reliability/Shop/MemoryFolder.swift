// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Folders in memory, where the system has them: thousands of stores are too much for a disk, and what a process leaves
/// when it is killed does not depend on where it lies.
enum MemoryFolder {
  static func make(for trial: String) throws -> URL {
    let memory = URL(filePath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    let place = isThere ? memory : FileManager.default.temporaryDirectory
    let folder = place.resolvingSymlinksInPath().appending(path: "\(trial)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
