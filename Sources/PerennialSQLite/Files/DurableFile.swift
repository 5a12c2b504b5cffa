// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Changes of folders that are on the disk when they return.
enum DurableFile {
  /// Puts a file in the place of another one, or where none is.
  static func move(_ source: String, over target: String) throws(FileFailure) {
    try synchronise(source)
    guard rename(source, target) == 0 else { throw FileFailure(number: errno) }
    try synchronise(folder(of: target))
  }

  /// Deletes a file, if there is one; the folder is not written to the disk yet.
  static func remove(_ path: String) throws(FileFailure) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure(number: errno) }
  }

  /// Waits until a file's contents, or a folder's names, are on the disk.
  static func synchronise(_ path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(number: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileFailure(number: errno) }
  }

  static func folder(of path: String) -> String {
    URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
  }
}

/// A call of the system that failed.
struct FileFailure: Error, Sendable, Hashable {
  /// The system's error number.
  let number: Int32

  /// The system's words.
  var message: String { String(cString: strerror(number)) }
}
