// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// The file of a store, looked at before SQLite touches it; or a database in memory.
struct StoreFile {
  /// The file itself, symbolic links to it followed: what SQLite keeps beside it lies there, too.
  let path: String
  let name: String
  /// Whether there is a file with something in it.
  let exists: Bool

  /// The beginning of the paths of databases in memory.
  static let memoryPrefix = "file:/perennial-memory-"

  /// A new database in memory: the connections of this process that know its path share it, and it is gone
  /// with the last of them.
  ///
  /// SQLite: "Shared In-Memory Databases" of the `memdb` file system, since 3.36.
  ///
  /// - Throws: `persistentStoreOpen` when SQLite is older.
  init(inMemory: Void) throws(PerennialError) {
    guard SQLiteLibrary.sharesMemory else {
      throw .cannotOpen(
        "This version of SQLite cannot keep a store in memory.",
        "use SQLite 3.36 or newer, a file, or '.inMemory'"
      )
    }
    path = Self.memoryPrefix + UUID().uuidString + "?vfs=memdb"
    name = "in memory"
    exists = false
  }

  /// Checks a URL.
  ///
  /// A symbolic link to a store is followed. Nothing is made, changed or locked.
  ///
  /// - Throws: `persistentStoreOpen`: what is wrong with the path.
  init(_ url: URL, isReadOnly: Bool) throws(PerennialError) {
    guard url.isFileURL else {
      throw .cannotOpen("The store's URL is not that of a file.", "use URL(filePath:)")
    }
    let given = url.path(percentEncoded: false)
    name =
      given.hasSuffix("/")
      ? url.lastPathComponent
      : String(given[(given.lastIndex(of: "/") ?? given.startIndex)...].drop { $0 == "/" })
    if let status = try Self.status(of: given, named: name) {
      let isLink = (try? SystemFiles().isLink(given)) == true
      path = isLink ? url.resolvingSymlinksInPath().path(percentEncoded: false) : given
      exists = try Self.checkFile(path, status, named: name, isReadOnly: isReadOnly)
      return
    }
    path = given
    exists = false
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType != .typeSymbolicLink else {
      throw .cannotOpen(
        "The store '\(name)' is a symbolic link that leads nowhere.",
        "remove the link or make the file that it names"
      )
    }
    try Self.checkFolder(url.deletingLastPathComponent(), of: name, isReadOnly: isReadOnly)
  }

  /// What a path leads to; `nil` when there is nothing, or when the folder that it is in tells more.
  ///
  /// - Throws: `persistentStoreOpen` when that cannot be told: a file that is not seen would be made anew.
  private static func status(
    of path: String,
    named name: String
  ) throws(PerennialError) -> FileStatus? {
    do throws(FileFailure) {
      return try SystemFiles().status(of: path)
    } catch {
      if error.isAboutMissingFile || error.isForbidden { return nil }
      throw PerennialError(
        .persistentStoreOpen,
        "The file of the store '\(name)' cannot be looked at: \(error.message).",
        recovery: "check the path and the disk, and try again; the file has been left as it is",
        underlying: error
      )
    }
  }

  private static func checkFolder(
    _ folder: URL,
    of name: String,
    isReadOnly: Bool
  ) throws(PerennialError) {
    let path = folder.path(percentEncoded: false)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw .cannotOpen(
        "The folder of the store '\(name)' does not exist.",
        "create it first, for example with FileManager.createDirectory"
      )
    }
    guard !isReadOnly else {
      throw .cannotOpen(
        "The store '\(name)' does not exist.",
        "check the URL, or open it without 'isReadOnly' to create it"
      )
    }
    guard FileManager.default.isWritableFile(atPath: path) else {
      throw .cannotOpen(
        "The folder of the store '\(name)' cannot be written.",
        "allow writing to it, or choose another folder"
      )
    }
  }

  /// Whether the file has content.
  private static func checkFile(
    _ path: String,
    _ status: FileStatus,
    named name: String,
    isReadOnly: Bool
  ) throws(PerennialError) -> Bool {
    let manager = FileManager.default
    switch status.kind {
    case .folder: throw .cannotOpen("The store '\(name)' is a folder.", "name a file inside it")
    case .other: throw .cannotOpen("The store '\(name)' is not an ordinary file.", "name a file")
    case .file: break
    }
    guard manager.isReadableFile(atPath: path) else {
      throw .cannotOpen("The store '\(name)' cannot be read.", "allow reading the file")
    }
    guard isReadOnly || manager.isWritableFile(atPath: path) else {
      throw .cannotOpen(
        "The store '\(name)' cannot be written.",
        "allow writing to the file, or set 'isReadOnly' in the store's description"
      )
    }
    let size = status.byteCount
    if size == 0 { return false }
    // A file with a page may be open in this process, whose locks closing it here would end; SQLite
    // looks at its header by itself.
    if size < smallestPage { try checkHeader(path, named: name) }
    return true
  }

  /// The bytes of SQLite's smallest page: no database is shorter.
  private static let smallestPage = 512

  /// Whether the file begins as SQLite's do: SQLite itself might take a short file for a new one.
  private static func checkHeader(_ path: String, named name: String) throws(PerennialError) {
    let handle = FileHandle(forReadingAtPath: path)
    defer { try? handle?.close() }
    let header = (try? handle?.read(upToCount: 16)) ?? Data()
    guard header != Data("SQLite format 3\0".utf8) else { return }
    throw .cannotOpen(
      "'\(name)' is not a SQLite database.",
      "check the URL; the file has been left as it is"
    )
  }

  /// Whether there is a write-ahead log with something in it.
  ///
  /// - Throws: Why that cannot be told: what is in the log would not be seen.
  func hasLog() throws(SQLiteFailure) -> Bool {
    (try Self.status(of: path + "-wal")?.byteCount ?? 0) > 0
  }

  /// What a path leads to; `nil` when there is nothing.
  ///
  /// - Throws: A failure to look as one of SQLite's, which would have failed as well.
  static func status(of path: String) throws(SQLiteFailure) -> FileStatus? {
    do throws(FileFailure) {
      return try SystemFiles().status(of: path)
    } catch {
      if error.isAboutMissingFile { return nil }
      throw SQLiteFailure(
        code: error.isForbidden ? SQLiteFailure.cannotOpen : SQLiteFailure.ioError,
        message: "a file could not be looked at: \(error.message)",
        systemCode: error.code
      )
    }
  }
}
