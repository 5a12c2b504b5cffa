// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Perennial

/// Opens the store of the commits.
enum CommitStore {
  /// What a command does with the store.
  enum Access {
    /// It only reads, which works on a file that cannot be written, too.
    case read
    /// It changes what is there.
    case change
    /// It makes the file when it is missing.
    case create
  }

  /// The container on a store.
  ///
  /// - Parameters:
  ///   - options: Where the store is.
  ///   - access: What for. An empty store in memory stands in for a missing file unless that is to
  ///     be made, so that reading leaves no file behind.
  /// - Returns: The container.
  /// - Throws: `PerennialError` when the store cannot be opened, ``CommandFailure`` when its folder
  ///   cannot be made.
  static func open(_ options: StoreOptions, for access: Access) throws -> PersistentContainer {
    try PersistentContainer(
      name: "commits",
      entities: Commit.self,
      Author.self,
      DeletedCommit.self,
      store: description(of: options, for: access)
    )
  }

  private static func description(
    of options: StoreOptions,
    for access: Access
  ) throws -> StoreDescription {
    guard case .sqlite(let url) = options else { return .inMemory }
    switch access {
    case .read, .change:
      guard !isMissingOrEmpty(url) else { return .inMemory }
    case .create:
      try makeFolder(url.deletingLastPathComponent())
    }
    var description = StoreDescription.sqlite(url)
    description.isReadOnly =
      access == .read && !FileManager.default.isWritableFile(atPath: url.path)
    return description
  }

  /// Whether there is no store yet: a file of no bytes is one that has still to be filled.
  static func isMissingOrEmpty(_ url: URL) -> Bool {
    // A link that leads nowhere is there: opening it says what is wrong.
    guard let own = try? FileManager.default.attributesOfItem(atPath: url.path) else { return true }
    guard own[.type] as? FileAttributeType == .typeRegular else { return false }
    return own[.size] as? Int == 0 && !FileManager.default.fileExists(atPath: url.path + "-wal")
  }

  private static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw CommandFailure(
        "the folder '\(folder.path.escapedForTerminal)' cannot be made",
        advice: "Give another place with '--store-path PATH'."
      )
    }
  }
}
