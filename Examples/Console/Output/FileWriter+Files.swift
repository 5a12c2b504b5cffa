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
  /// Writes a text to a file in one step: one of that name is replaced, or stays as it is.
  ///
  /// Nobody may read the new file who may not read the old one, at no time. It keeps its permissions, and its owner and
  /// group if the system lets it have them. A link stays, and what it leads to is written. What is no file, such as a
  /// pipe or a device, is written to like standard output, and so is the file that standard output leads to.
  ///
  /// - Throws: The error of the file system, ``BrokenPipe`` or ``CommandFailure`` when the text cannot be written.
  public static func write(_ text: String, toFile path: String) throws {
    var old = stat()
    let isThere = stat(path, &old) == 0
    if isThere, isStandardOutput(old) {
      let output = standardOutput()
      try output.write(text)
      return try output.flush()
    }
    var own = stat()
    let leadsNowhere = !isThere && lstat(path, &own) == 0
    guard !leadsNowhere, !isThere || old.st_mode & S_IFMT == S_IFREG else {
      return try write(text, to: path, O_CREAT)
    }
    let target = isThere ? try resolved(path) : path
    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    let new = "\(folder).\(UUID().uuidString)"
    do {
      try write(text, to: new, O_CREAT | O_EXCL, isThere ? old.st_mode & 0o600 : 0o666)
      if isThere { try check(chmod(new, permissions(of: new, like: old))) }
      try check(rename(new, target))
    } catch {
      unlink(new)
      throw error
    }
  }

  /// Whether a file is the one that standard output leads to, where others write, too.
  private static func isStandardOutput(_ file: stat) -> Bool {
    var output = stat()
    return fstat(STDOUT_FILENO, &output) == 0
      && (output.st_dev, output.st_ino) == (file.st_dev, file.st_ino)
  }

  /// The path of what a link leads to, as the system follows it.
  private static func resolved(_ path: String) throws -> String {
    guard let resolved = realpath(path, nil) else { throw systemError() }
    defer { free(resolved) }
    // Safe because `realpath` gives a text that ends with 0, and it is copied before it is freed.
    return String(cString: resolved)
  }

  /// Gives a new file the owner and the group of an old one.
  ///
  /// - Returns: The permissions that it is to have: another group than the old one's gets none.
  private static func permissions(of new: String, like old: stat) -> mode_t {
    let isLike =
      chown(new, old.st_uid, old.st_gid) == 0 || chown(new, uid_t.max, old.st_gid) == 0
    return old.st_mode & (isLike ? 0o777 : 0o707)
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
    guard result >= 0 else { throw systemError() }
  }

  private static func systemError() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
