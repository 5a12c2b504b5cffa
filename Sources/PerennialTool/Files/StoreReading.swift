// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialSQLite
import PerennialStore

/// A SQLite store's file as it is read so that nothing of it changes, nor anything beside it.
///
/// A file that nobody has open is read as one that nobody writes to, and looked at again at the end. If a crash
/// has left a journal beside it, a copy in a temporary folder is read, where the journal is played back.
final class StoreReading: Sendable {
  /// The file to open: the store's own, or the copy.
  let url: URL
  private let original: URL
  private let copyFolder: URL?
  /// The files' statuses at the beginning, when nobody may write to them.
  private let before: [FileStatus]?

  /// Prepares the reading.
  ///
  /// - Throws: ``CommandFailure`` when the copy cannot be made, or the store is written all the time.
  init(_ path: String) throws {
    let original = URL(filePath: path).resolvingSymlinksInPath()
    self.original = original
    let path = original.path(percentEncoded: false)
    if try SystemFiles().status(of: path + "-journal")?.byteCount ?? 0 > 0 {
      let folder = try Self.copy(original)
      copyFolder = folder
      url = folder.appending(path: original.lastPathComponent)
      before = nil
      try SQLiteFiles(busyTimeout: .seconds(5)).recover(at: url)
    } else {
      url = original
      copyFolder = nil
      // Shared memory without a log is what a crash has left.
      let isOpen = try ["-wal", "-shm"].allSatisfy {
        try SystemFiles().status(of: path + $0) != nil
      }
      before = isOpen ? nil : try Self.statuses(of: original)
    }
  }

  deinit {
    if let copyFolder { try? FileManager.default.removeItem(at: copyFolder) }
  }

  /// Makes sure that what was read is the store's, now that it has been read.
  ///
  /// - Throws: ``CommandFailure`` when somebody has written to it meanwhile.
  func finish() throws {
    guard let before else { return }
    if try Self.statuses(of: original) != before { throw Self.changed(original) }
  }

  private static func changed(_ original: URL) -> CommandFailure {
    CommandFailure(
      "somebody has written to '\(original.lastPathComponent.escapedForTerminal)' while it was read",
      advice: "Run the command again.",
      status: .tryLater
    )
  }

  // MARK: Copying

  private static let attemptCount = 5

  /// Copies the file with what belongs to it, as it is at one moment.
  private static func copy(_ original: URL) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "perennial-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      for _ in 0..<attemptCount {
        let before = try statuses(of: original)
        try copyFiles(of: original, to: folder)
        if try statuses(of: original) == before { return folder }
      }
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw CommandFailure(
        "the journal of '\(original.lastPathComponent.escapedForTerminal)' cannot be read: no copy of "
          + "the store could be made in '\(folder.deletingLastPathComponent().path)'",
        advice: "Free some space there, or set TMPDIR to another folder."
      )
    }
    try? FileManager.default.removeItem(at: folder)
    throw CommandFailure(
      "somebody writes to '\(original.lastPathComponent.escapedForTerminal)' all the time",
      advice: "Run the command again.",
      status: .tryLater
    )
  }

  private static let companions = ["", "-wal", "-journal"]

  /// The statuses of the file and of what holds something beside it.
  private static func statuses(of original: URL) throws -> [FileStatus] {
    let path = original.path(percentEncoded: false)
    return try companions.compactMap { end in
      let status = try SystemFiles().status(of: path + end)
      return status.flatMap { $0.byteCount > 0 ? $0 : nil }
    }
  }

  private static func copyFiles(of original: URL, to folder: URL) throws {
    let manager = FileManager.default
    let path = original.path(percentEncoded: false)
    for end in companions where try SystemFiles().status(of: path + end) != nil {
      let target = folder.appending(path: original.lastPathComponent + end)
      try? manager.removeItem(at: target)
      try Data(contentsOf: URL(filePath: path + end), options: .alwaysMapped).write(to: target)
    }
    let values = ExternalData(store: original).folder
    let copied = ExternalData(store: folder.appending(path: original.lastPathComponent)).folder
    guard manager.fileExists(atPath: values.path(percentEncoded: false)) else { return }
    try? manager.removeItem(at: copied)
    try manager.createDirectory(
      at: copied.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try manager.copyItem(at: values, to: copied)
  }
}
