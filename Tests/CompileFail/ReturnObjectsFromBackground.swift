// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A background task hands out an array of objects of its context.
// expect: value as a 'sending' result risks causing data races

import Perennial

func all(in container: PersistentContainer) async throws -> Int {
  let commits: [Commit] = try await container.performBackgroundTask { context in
    try context.fetch(Commit.all)
  }
  return commits.count
}
