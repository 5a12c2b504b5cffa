// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Perennial

/// Opens the store of the commits.
enum CommitStore {
  /// The container on a store.
  ///
  /// - Parameters:
  ///   - options: Where the store is.
  ///   - creates: Whether to make a missing file. Otherwise an empty store in memory stands in for
  ///     it, so that reading leaves no file behind.
  /// - Returns: The container.
  /// - Throws: `PerennialError` when the store cannot be opened, ``CommandFailure`` when its folder
  ///   cannot be made.
  static func open(_ options: StoreOptions, creates: Bool) throws -> PersistentContainer {
    try PersistentContainer(
      name: "commits",
      entities: Commit.self,
      Author.self,
      DeletedCommit.self,
      store: description(of: options, creates: creates)
    )
  }

  private static func description(
    of options: StoreOptions,
    creates: Bool
  ) throws -> StoreDescription {
    guard case .sqlite(let url) = options else { return .inMemory }
    if FileManager.default.fileExists(atPath: url.path) { return .sqlite(url) }
    guard creates else { return .inMemory }
    let folder = url.deletingLastPathComponent()
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
    return .sqlite(url)
  }
}
