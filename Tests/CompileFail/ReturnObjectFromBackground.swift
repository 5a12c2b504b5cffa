// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A background task hands out an object of its context.
// expect: value as a 'sending' result risks causing data races

import Perennial

func newest(in container: PersistentContainer) async throws -> String? {
  let commit = try await container.performBackgroundTask { context in
    try context.first(Commit.all)
  }
  return commit?.message
}
