// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The view context is asked for outside the main actor.
// expect: main actor-isolated property 'viewContext' can not be referenced from a nonisolated context

import Perennial

func countInView(of container: PersistentContainer) throws -> Int {
  try container.viewContext.count(for: Commit.all)
}
