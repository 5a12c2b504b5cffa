// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension FaultScenario {
  private static func migrate(
    _ name: String,
    to version: Int,
    keepsHistory: Bool = false,
    memoryForms: [FaultPlace.Form],
    after: Contents
  ) -> FaultScenario {
    var (before, after) = (Contents.start, after)
    if keepsHistory { (before.transactions, after.transactions) = (1, 1) }
    return FaultScenario(
      name: name,
      memoryForms: memoryForms,
      keepsHistory: keepsHistory,
      prepare: fillLog,
      begin: { place in
        var description = place.description()
        // The third version has no notes.
        description.migration.allowsLoss = version == 3
        var containers: [PersistentContainer] = []
        return Session { [description] in
          containers.append(try place.open(description, version))
        }
      },
      before: State(main: before),
      after: State(main: after)
    )
  }

  static var migrating: [FaultScenario] {
    [
      // Tens of thousands of allocations are tried once.
      migrate("migrate", to: 2, memoryForms: [.wal], after: .migrated),
      migrate("reshape", to: 3, keepsHistory: true, memoryForms: [], after: .reshaped),
    ]
  }

  static var purging: FaultScenario {
    var (before, after) = (Contents.start, Contents.start)
    (before.transactions, after.transactions) = (1, 0)
    return FaultScenario(
      name: "purge",
      keepsHistory: true,
      prepare: fill,
      begin: { place in
        let container = try place.open()
        let request = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        return Session { try container.newBackgroundContext().execute(request) }
      },
      before: State(main: before),
      after: State(main: after)
    )
  }
}
