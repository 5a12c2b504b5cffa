// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FileStatus {
  init(_ information: stat) {
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

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: Where it is, as seen from a folder if one is given.
  ///   - flags: How, as `open` has them.
  ///   - step: What a failure calls it.
  ///   - folder: An open folder.
  /// - Throws: The system's failure.
  init(
    _ path: String,
    _ flags: Int32,
    step: FileFailure.Step,
    in folder: Int32 = AT_FDCWD
  ) throws(FileFailure) {
    descriptor = openat(folder, path, flags | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw FileFailure(step, errno) }
  }

  /// Makes a file that is not there yet.
  static func create(
    _ path: String,
    permissions: UInt32?,
    in folder: Int32 = AT_FDCWD
  ) throws(FileFailure) -> SystemFile {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    let file = try SystemFile(path, flags, step: .create, in: folder)
    if let permissions, fchmod(file.descriptor, mode_t(permissions)) != 0 {
      let failure = FileFailure(.create, errno)
      unlinkat(folder, path, 0)
      throw failure
    }
    return file
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

  func contents(atMost limit: Int) throws(FileFailure) -> FileContents {
    let count = try status().byteCount
    guard count <= limit else { throw FileFailure(.read, EFBIG) }
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
