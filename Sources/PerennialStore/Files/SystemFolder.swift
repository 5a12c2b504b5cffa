// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open folder of the system.
///
/// Safe because the system keeps no pointer after a call, and what it lends while a folder is listed is copied
/// before the next entry is asked for.
final class SystemFolder: OpenFolder {
  private static let flags = O_RDONLY | O_DIRECTORY

  private let folder: SystemFile

  private init(_ folder: SystemFile) { self.folder = folder }

  /// Opens a folder, links followed.
  convenience init(_ path: String) throws(FileFailure) {
    self.init(try SystemFile(path, Self.flags, step: .openFolder))
  }

  func folder(_ name: String) throws(FileFailure) -> (any OpenFolder)? {
    do throws(FileFailure) {
      let flags = Self.flags | O_NOFOLLOW
      return SystemFolder(
        try SystemFile(name, flags, step: .openFolder, in: folder.descriptor)
      )
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  func makeFolder(_ name: String, permissions: UInt32?) throws(FileFailure) {
    let mode = mode_t(permissions ?? 0o777)
    guard mkdirat(folder.descriptor, name, mode) == 0 || errno == EEXIST else {
      throw FileFailure(.makeFolder, errno)
    }
  }

  func removeFolder(_ name: String) throws(FileFailure) {
    if unlinkat(folder.descriptor, name, AT_REMOVEDIR) != 0, errno != ENOENT {
      throw FileFailure(.remove, errno)
    }
  }

  func names() throws(FileFailure) -> [String] {
    // Listing needs a descriptor of its own, which it closes.
    let descriptor = openat(folder.descriptor, ".", Self.flags | O_CLOEXEC)
    guard descriptor >= 0, let list = fdopendir(descriptor) else {
      let failure = FileFailure(.list, errno)
      if descriptor >= 0 { close(descriptor) }
      throw failure
    }
    defer { closedir(list) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    if errno != 0 { throw FileFailure(.list, errno) }
    return names
  }

  func open(_ name: String) throws(FileFailure) -> any OpenFile {
    // Without waiting, so that a pipe of that name holds nobody up.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    let file = try SystemFile(name, flags, step: .open, in: folder.descriptor)
    guard try file.status().kind == .file else { throw FileFailure(.open, ELOOP) }
    return file
  }

  func create(
    _ name: String,
    permissions: UInt32?
  ) throws(FileFailure) -> any OpenFile {
    try SystemFile.create(name, permissions: permissions, in: folder.descriptor)
  }

  func rename(_ name: String, to target: String) throws(FileFailure) {
    if renameat(folder.descriptor, name, folder.descriptor, target) != 0 {
      throw FileFailure(.rename, errno)
    }
  }

  func remove(_ name: String) throws(FileFailure) {
    if unlinkat(folder.descriptor, name, 0) != 0, errno != ENOENT {
      throw FileFailure(.remove, errno)
    }
  }

  func sync() throws(FileFailure) {
    do throws(FileFailure) {
      try folder.sync()
    } catch {
      // Some file systems cannot do this for folders, and need not.
      if error.code != EINVAL { throw FileFailure(.syncFolder, error.code) }
    }
  }
}
