// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A background task stores its context in a variable outside.
// expect: risks causing data races

import Perennial

func leak(from container: PersistentContainer) async throws -> Bool {
  var leaked: ManagedObjectContext?
  try await container.performBackgroundTask { context in
    leaked = context
  }
  return leaked?.hasChanges ?? false
}
