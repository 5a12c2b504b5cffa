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
    let file = try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, step: .create)
    if let permissions, fchmod(file.descriptor, mode_t(permissions)) != 0 {
      let failure = FileFailure(.create, errno)
      unlink(path)
      throw failure
    }
    return file
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
    let descriptor = try SystemFile(
      Self.folder(of: path),
      O_RDONLY | O_DIRECTORY,
      step: .syncFolder
    )
    do throws(FileFailure) {
      try descriptor.sync()
    } catch {
      // Some file systems cannot do this for folders, and need not.
      if error.code != EINVAL { throw FileFailure(.syncFolder, error.code) }
    }
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

extension FileStatus {
  fileprivate init(_ information: stat) {
    let type = information.st_mode & S_IFMT
    #if canImport(Darwin)
    let written = information.st_mtimespec
    #else
    let written = information.st_mtim
    #endif
    self.init(
      kind: type == S_IFREG ? .file : type == S_IFDIR ? .folder : .other,
      device: UInt64(truncatingIfNeeded: information.st_dev),
      number: UInt64(truncatingIfNeeded: information.st_ino),
      byteCount: Int(information.st_size),
      seconds: Int(written.tv_sec),
      nanoseconds: Int(written.tv_nsec),
      permissions: UInt32(information.st_mode & 0o7777)
    )
  }
}

/// An open file of the system.
///
/// Safe because the system gets pointers only with their counts, and keeps none after a call.
final class SystemFile: OpenFile {
  let descriptor: Int32

  init(_ path: String, _ flags: Int32, step: FileFailure.Step) throws(FileFailure) {
    descriptor = open(path, flags | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw FileFailure(step, errno) }
  }

  deinit { close(descriptor) }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Darwin)
      let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
      #elseif canImport(Glibc)
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      #else
      let count = Musl.write(descriptor, rest.baseAddress, rest.count)
      #endif
      if count < 0, errno == EINTR { continue }
      if count <= 0 { throw FileFailure(.write, count < 0 ? errno : EIO) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  func sync() throws(FileFailure) {
    #if canImport(Darwin)
    // What `fsync` alone does not do there: empty the disk's own cache.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    if fsync(descriptor) != 0 { throw FileFailure(.sync, errno) }
  }

  func status() throws(FileFailure) -> FileStatus {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw FileFailure(.look, errno) }
    return FileStatus(information)
  }

  func contents() throws(FileFailure) -> FileContents {
    let count = try status().byteCount
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    let contents = FileContents(adopting: block)
    var filled = 0
    while filled < count {
      let piece = UnsafeMutableRawBufferPointer(rebasing: block[filled...])
      let read = pread(descriptor, piece.baseAddress, piece.count, off_t(filled))
      if read < 0, errno == EINTR { continue }
      if read < 0 { throw FileFailure(.read, errno) }
      // Somebody has cut the file in the meantime.
      if read == 0 { throw FileFailure(.read, EIO) }
      filled += read
    }
    return contents
  }
}
