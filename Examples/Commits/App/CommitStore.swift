// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Perennial

/// Opens the store of the commits.
enum CommitStore {
  /// The container on a store.
  ///
  /// - Throws: `PerennialError` when the store cannot be opened, ``CommandFailure`` when its folder
  ///   cannot be made.
  static func open(
    _ options: StoreOptions,
    for access: StoreAccess,
    watchesOthers: Bool = false
  ) throws -> PersistentContainer {
    try options.open(
      for: access,
      watchesOthers: watchesOthers,
      earlierModels: [ModelHistory.version1()]
    ) { try container(on: $0) }
  }

  /// The container on a store as it is described.
  static func container(on store: StoreDescription) throws -> PersistentContainer {
    try PersistentContainer(
      name: "commits",
      entities: Commit.self,
      Author.self,
      DeletedCommit.self,
      CommitSource.self,
      store: store
    )
  }
}
