// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An object of the view context is used by a background task.
// expect: passing closure as a 'sending' parameter risks causing data races

import Perennial

@MainActor func rename(_ commit: Commit, in container: PersistentContainer) async throws {
  try await container.performBackgroundTask { context in
    commit.message = "changed elsewhere"
    try context.save()
  }
}
