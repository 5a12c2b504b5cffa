// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The view context is used by a detached task.
// expect: passing closure as a 'sending' parameter risks causing data races

import Perennial

@MainActor func saveLater(_ container: PersistentContainer) {
  let context = container.viewContext
  Task.detached {
    try context.save()
  }
}
