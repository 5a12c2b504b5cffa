// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The numbers of the transactions that were saved through a store's value, as long as somebody will ask.
package final class OwnTransactions: Sendable {
  /// `nil` when nobody asks.
  private let numbers = Mutex<Set<Int64>?>(nil)

  package init() {}

  /// Remembers numbers from now on.
  package func begin() { numbers.withLock { $0 = $0 ?? [] } }

  /// Notes that a transaction was saved, if the save had one.
  package func note(_ number: Int64?) {
    if let number { numbers.withLock { _ = $0?.insert(number) } }
  }

  /// Whether a transaction was noted.
  package func contains(_ number: Int64) -> Bool {
    numbers.withLock { $0?.contains(number) == true }
  }

  /// Forgets the numbers up to one.
  package func forget(through number: Int64) {
    numbers.withLock { $0 = $0?.filter { $0 > number } }
  }
}
