// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A background task makes a child of the view context.
// expect: main actor-isolated

import Perennial

func edit(_ container: PersistentContainer) async throws {
  try await container.performBackgroundTask { _ in
    let child = ManagedObjectContext(parent: container.viewContext)
    try child.save()
  }
}
