// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// Counts what a store in memory is asked, and keeps the names of the requests while somebody wants
/// to know them.
package final class RequestTally: Sendable {
  private let counts = Mutex(StoreCounters())
  package let recorder = StatementRecorder()

  package init() {}

  package var counters: StoreCounters { counts.withLock { $0 } }

  /// Counts a request and the rows that it gave.
  package func note(rows: Int, request: StaticString = #function) {
    counts.withLock { $0 += StoreCounters(statements: 1, rows: rows) }
    if recorder.isOn { recorder.note(["\(request)"]) }
  }
}
