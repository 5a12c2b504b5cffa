// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's files.
package struct SystemFiles: FileSystem {
  package init() {}

  package func status(of path: String) throws(FileFailure) -> FileStatus? {
    var information = stat()
    guard stat(path, &information) == 0 else {
      if errno == ENOENT { return nil }
      throw FileFailure(.look, errno)
    }
    return FileStatus(information)
  }

  /// Whether a path is that of a symbolic link, which is not followed; `false` when nothing is there.
  package func isLink(_ path: String) throws(FileFailure) -> Bool {
    var information = stat()
    guard lstat(path, &information) == 0 else {
      let failure = FileFailure(.look, errno)
      if failure.isAboutMissingFile || failure.isForbidden { return false }
      throw failure
    }
    return information.st_mode & S_IFMT == S_IFLNK
  }

  package func isWritable(_ path: String) -> (file: Bool, folder: Bool) {
    (access(path, W_OK) == 0, access(Self.folder(of: path), W_OK | X_OK) == 0)
  }

  package func open(_ path: String) throws(FileFailure) -> any OpenFile {
    try SystemFile(path, O_RDONLY, step: .open)
  }

  package func create(
    _ path: String,
    permissions: UInt32?
  ) throws(FileFailure) -> any OpenFile {
    try SystemFile.create(path, permissions: permissions)
  }

  package func rename(_ path: String, to target: String) throws(FileFailure) {
    #if canImport(Darwin)
    let result = Darwin.rename(path, target)
    #elseif canImport(Glibc)
    let result = Glibc.rename(path, target)
    #else
    let result = Musl.rename(path, target)
    #endif
    if result != 0 { throw FileFailure(.rename, errno) }
  }

  package func remove(_ path: String) throws(FileFailure) {
    if unlink(path) != 0, errno != ENOENT { throw FileFailure(.remove, errno) }
  }

  package func syncFolder(of path: String) throws(FileFailure) {
    try SystemFolder(Self.folder(of: path)).sync()
  }

  package func folder(_ path: String) throws(FileFailure) -> any OpenFolder {
    try SystemFolder(path)
  }

  private static func folder(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  package func lock(
    _ path: String,
    patience: Duration
  ) throws(FileFailure) -> (any FileLock)? {
    try SystemLock.take(path, patience: patience)
  }
}
