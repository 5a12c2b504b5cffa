// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Where the main actor is the default, a background task uses the view context's object all the same.
// expect: passing closure as a 'sending' parameter risks causing data races
// flags: -default-isolation MainActor

import Perennial

func rename(_ commit: Commit, in container: PersistentContainer) async throws {
  try await container.performBackgroundTask { context in
    commit.message = "changed elsewhere"
    try context.save()
  }
}
