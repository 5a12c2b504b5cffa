// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The numbers of the transactions that were saved through a store's value, as long as somebody will ask.
///
/// Numbers ascend, and one follows the other as long as nobody else saves: a run is kept, not each number.
package final class OwnTransactions: Sendable {
  /// `nil` when nobody asks.
  private let runs = Mutex<[ClosedRange<Int64>]?>(nil)

  package init() {}

  /// Remembers numbers from now on.
  package func begin() { runs.withLock { $0 = $0 ?? [] } }

  /// Notes that a transaction was saved, if the save had one.
  package func note(_ number: Int64?) {
    guard let number else { return }
    runs.withLock { runs in
      guard let last = runs?.last, last.upperBound + 1 == number else {
        runs?.append(number...number)
        return
      }
      runs?.removeLast()
      runs?.append(last.lowerBound...number)
    }
  }

  /// Whether a transaction was noted.
  package func contains(_ number: Int64) -> Bool {
    runs.withLock { runs in runs?.contains { $0.contains(number) } == true }
  }

  /// The first run of noted numbers that does not end before or at a number.
  package func run(after number: Int64) -> ClosedRange<Int64>? {
    runs.withLock { runs in runs?.first { $0.upperBound > number } }
  }

  /// Forgets the numbers up to one.
  package func forget(through number: Int64) {
    runs.withLock { runs in
      runs = runs?.compactMap { run in
        run.upperBound > number ? max(run.lowerBound, number + 1)...run.upperBound : nil
      }
    }
  }
}
