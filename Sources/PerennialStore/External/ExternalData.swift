// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files beside a store that hold its large values: `.NAME_SUPPORT/_EXTERNAL_DATA/UUID`.
///
/// A name is a plain UUID, made for one value and never used again, so that a file never changes. Neither the
/// folders nor a file are reached through symbolic links.
///
/// Safe because the bytes of a value are read only while they are lent, and every descriptor is closed where
/// it was opened.
package struct ExternalData: Sendable {
  /// Values of more bytes than this go into files of their own.
  package static let threshold = 128 * 1024

  /// A call of the system that failed.
  package struct Failure: Error, Sendable, Hashable {
    /// The system's error number.
    package let number: Int32

    package var isAboutFullDisk: Bool { number == ENOSPC || number == EDQUOT }
    /// The system's words.
    package var message: String { String(cString: strerror(number)) }
  }

  /// The folder of the files.
  package let folder: URL
  private static let folderName = "_EXTERNAL_DATA"

  package init(store: URL) {
    let name = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
    folder = store.deletingLastPathComponent().appending(path: name)
      .appending(path: Self.folderName)
  }

  /// The content of a file, or `nil` when there is none or the name is no UUID.
  package func data(named name: String) -> Data? {
    guard let place = place(of: name), let folder = try? openFolder() else { return nil }
    defer { close(folder) }
    let file = openat(folder, place, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    return try? FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() ?? Data()
  }

  /// Writes a value into a file of its own.
  ///
  /// - Parameters:
  ///   - bytes: The value.
  ///   - isDurable: Whether the file is on the disk when this returns; its name is only after
  ///     ``synchronise()``.
  /// - Returns: The file's name.
  /// - Throws: The system's failure; then there is no file.
  package func write(
    _ bytes: UnsafeRawBufferPointer,
    isDurable: Bool
  ) throws(Failure) -> String {
    try makeFolder()
    let folder = try openFolder()
    defer { close(folder) }
    let name = UUID().uuidString
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(folder, name, flags, 0o644)
    guard file >= 0 else { throw Failure(number: errno) }
    defer { close(file) }
    do throws(Failure) {
      try Self.write(bytes, to: file)
      if isDurable, fsync(file) != 0 { throw Failure(number: errno) }
    } catch {
      unlinkat(folder, name, 0)
      throw error
    }
    return name
  }

  /// Writes the names of the files to the disk.
  package func synchronise() throws(Failure) {
    let folder = try openFolder()
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw Failure(number: errno) }
  }

  /// Deletes files; one that cannot be deleted only takes room.
  package func remove(_ names: some Sequence<String>) {
    guard let folder = try? openFolder() else { return }
    defer { close(folder) }
    for name in names {
      if let place = place(of: name) { unlinkat(folder, place, 0) }
    }
  }

  // MARK: The system

  private func place(of name: String) -> String? { UUID(uuidString: name) == nil ? nil : name }

  private var support: String { folder.deletingLastPathComponent().path(percentEncoded: false) }

  private func makeFolder() throws(Failure) {
    for path in [support, folder.path(percentEncoded: false)] {
      guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw Failure(number: errno) }
    }
  }

  private func openFolder() throws(Failure) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let outer = open(support, flags)
    guard outer >= 0 else { throw Failure(number: errno) }
    defer { close(outer) }
    let inner = openat(outer, Self.folderName, flags)
    guard inner >= 0 else { throw Failure(number: errno) }
    return inner
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
      let count = Darwin.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      #elseif canImport(Glibc)
      let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      #else
      let count = Musl.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      #endif
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(number: count < 0 ? errno : EIO) }
      rest = rest.dropFirst(count)
    }
  }
}
