// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Keeps a wrong use that cannot be thrown where it happens, for the next save or fetch to throw.
  ///
  /// `PERENNIAL_CONCURRENCY_DEBUG` tells it at once, so that a breakpoint or the lines around it show
  /// where.
  func note(misuse: PerennialError) {
    misuses.append(misuse)
    if coordinator.log.tellsConcurrency { coordinator.log(.concurrency, misuse.message) }
  }
}
