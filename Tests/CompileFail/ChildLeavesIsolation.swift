// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A child of the view context is used by a detached task.
// expect: risks causing data races

import Perennial

@MainActor func saveLater(_ container: PersistentContainer) {
  let child = ManagedObjectContext(parent: container.viewContext)
  Task.detached {
    try child.save()
  }
}
