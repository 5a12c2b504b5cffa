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
    let store = try options.description(
      for: access,
      watchesOthers: watchesOthers,
      earlierModels: [ModelHistory.version1()]
    )
    return try store.migratingIfRead { store in
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
}
