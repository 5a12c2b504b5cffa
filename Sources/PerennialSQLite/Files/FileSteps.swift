// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The changes of files and folders that copying, replacing and deleting a store consist of.
struct FileSteps: Sendable {
  private let files = SystemFiles()
  /// Called before every step: what it throws, the step throws.
  ///
  /// Tests end the work there, as a crash does.
  var willTake: @Sendable () throws(FileFailure) -> Void = { () throws(FileFailure) in }
  /// Whether a file may have several names, if its volume lets it: tests say that none does.
  var canLink = true

  /// Gives a file a name, of another file or of none, in one step; it has been written to the disk.
  func rename(_ source: String, to target: String) throws(FileFailure) {
    try willTake()
    try files.rename(source, to: target)
  }

  /// Gives a file another name besides its own.
  ///
  /// - Returns: Whether it has it: not on volumes where a file has one name only.
  func addName(_ name: String, to path: String) throws(FileFailure) -> Bool {
    try willTake()
    return canLink && link(path, name) == 0
  }

  /// Gives a file a name that nothing has; it has been written to the disk.
  ///
  /// Where a file has one name only, somebody may take the name between the look and the step: what they have made is
  /// replaced then.
  ///
  /// - Returns: Whether the file has the name: not when something else has it.
  func rename(_ source: String, toFree target: String) throws(FileFailure) -> Bool {
    if try addName(target, to: source) {
      // The former name only takes room.
      try? remove(source)
      return true
    }
    if try isThere(target) { return false }
    try rename(source, to: target)
    return true
  }

  /// Whether a name is that of something.
  func isThere(_ path: String) throws(FileFailure) -> Bool {
    try willTake()
    do throws(FileFailure) {
      return try files.status(of: path) != nil
    } catch {
      if error.isAboutMissingFile { return false }
      throw error
    }
  }

  /// Deletes a file, if there is one.
  func remove(_ path: String) throws(FileFailure) {
    try willTake()
    try files.remove(path)
  }

  /// Deletes a folder with what is in it, if there is one.
  func removeFolder(_ folder: URL) throws {
    guard try isThere(folder.path(percentEncoded: false)) else { return }
    try FileManager.default.removeItem(at: folder)
  }

  /// Deletes a folder, if there is one with nothing in it.
  func removeEmptyFolder(_ folder: URL) throws(FileFailure) {
    try willTake()
    _ = rmdir(folder.path(percentEncoded: false))
  }

  /// Makes a folder, if there is none, in one that is there.
  func makeFolder(_ folder: URL, permissions: mode_t = 0o755) throws(FileFailure) {
    try willTake()
    guard mkdir(folder.path(percentEncoded: false), permissions) == 0 || errno == EEXIST else {
      throw FileFailure(.makeFolder, errno)
    }
  }

  /// Lets the same users read and write a file as another one.
  func copyPermissions(of model: String, to path: String) throws(FileFailure) {
    try willTake()
    var information = stat()
    guard stat(model, &information) == 0, chmod(path, information.st_mode & 0o777) == 0 else {
      throw FileFailure(.write, errno)
    }
  }

  /// Copies a file to a name that there is not, and writes the copy to the disk.
  func copy(_ source: URL, to target: URL) throws {
    try willTake()
    try FileManager.default.copyItem(at: source, to: target)
    try synchronise(target.path(percentEncoded: false))
  }

  /// Waits until a file's contents, or a folder's names, are on the disk.
  func synchronise(_ path: String) throws(FileFailure) {
    try willTake()
    try files.open(path).sync()
  }
}
