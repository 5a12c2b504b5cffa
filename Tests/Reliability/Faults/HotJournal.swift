// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial

/// A store whose process has ended in the middle of a save, which a journal beside it undoes.
enum HotJournal {
  /// Leaves the store's save unfinished: from one write to the store's file on, all fail, as if there were no
  /// process any more.
  ///
  /// - Returns: The store, which is open.
  static func leave(in place: FaultPlace) throws -> Any? {
    let mode = FaultMode.ending
    for number in 1... {
      let container = try place.open()
      let context = container.newBackgroundContext()
      try ShelfModel.change(context)
      let before = try Data(contentsOf: place.main)
      let (result, report) = mode.strike(number) { try context.save() }
      guard report.failures > 0, case .failure = result else {
        throw WrongAnswer("no journal was left")
      }
      // The journal must be there, and the file must be in the middle.
      if place.isThere(journal(of: place)), try Data(contentsOf: place.main) != before {
        return (container, context)
      }
    }
    return nil
  }

  private static func journal(of place: FaultPlace) -> URL {
    place.main.deletingLastPathComponent().appending(
      path: place.main.lastPathComponent + "-journal"
    )
  }
}

extension FaultMode {
  /// All writing, cutting and deleting ends.
  fileprivate static let ending = FaultMode(
    "ending",
    [failing_write, failing_truncate, failing_remove].reduce(0) { $0 | $1.rawValue },
    isSticky: true
  )
}
