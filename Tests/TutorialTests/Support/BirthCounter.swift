// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Synchronization

/// Counts the objects that are instantiated while a test runs: what the tutorial prints.
final class BirthCounter: Sendable {
  /// The counter of the running test, if it counts.
  @TaskLocal static var current: BirthCounter?

  private let births = Atomic(0)

  /// How many objects have been instantiated.
  var count: Int { births.load(ordering: .relaxed) }

  func note() { births.add(1, ordering: .relaxed) }
}
