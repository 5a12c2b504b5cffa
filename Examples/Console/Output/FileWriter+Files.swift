// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileWriter {
  /// Writes a text to a file in one step: one of that name is replaced and keeps its permissions, or stays as it is.
  ///
  /// A link stays, and what it leads to is written. What is no file, such as a pipe or a device, is written to like
  /// standard output.
  ///
  /// - Throws: The error of the file system, ``BrokenPipe`` or ``CommandFailure`` when the text cannot be written.
  public static func write(_ text: String, toFile path: String) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    var own = stat()
    let leadsNowhere = !isThere && lstat(path, &own) == 0
    guard !leadsNowhere, !isThere || status.st_mode & S_IFMT == S_IFREG else {
      return try write(text, to: path, O_CREAT)
    }
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let new = target.deletingLastPathComponent().path + "/.\(UUID().uuidString)"
    do {
      // Nobody may read the new file who may not read the old one, at no time.
      let mode = isThere ? status.st_mode & 0o777 : 0o666
      try write(text, to: new, O_CREAT | O_EXCL, mode)
      if isThere { try check(chmod(new, mode)) }
      try check(rename(new, target.path))
    } catch {
      unlink(new)
      throw error
    }
  }

  private static func write(
    _ text: String,
    to path: String,
    _ flags: Int32,
    _ mode: mode_t = 0o666
  ) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, mode)
    try check(descriptor)
    defer { close(descriptor) }
    let writer = FileWriter(descriptor: descriptor)
    try writer.write(text)
    try writer.flush()
    if flags & O_EXCL != 0 { try check(fsync(descriptor)) }
  }

  private static func check(_ result: Int32) throws {
    guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }
}
