// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
package import PerennialModel

/// What a store does for the contexts on it: the operations of a provider, and one that writes.
///
/// A store knows no context and no object. It is called synchronously, from any thread, also from
/// several at once, and guards its own state. Nothing here assumes a file.
package protocol RowStore: RowProvider, Sendable {
  /// What has been asked of the store so far; faults are not its business.
  var counters: StoreCounters { get }

  /// Keeps the texts of the statements that are counted, when it is on.
  var recorder: StatementRecorder { get }

  /// Writes a change set: all of it or nothing.
  ///
  /// After a failure the same set may be given again, with its identifier: keys are reserved by then,
  /// and rows that the store has already written for it are no conflict. Equal rows that another set
  /// has written are one: two that raise a counter from 5 to 6 must not both succeed. A store keeps
  /// no page of a set that it has not saved, but in the conflicts that it reports: lent pages go back
  /// to their lender.
  ///
  /// - Throws: Every conflict at once, or the error that stopped the store.
  func save(_ changes: ChangeSet) throws(SaveFailure)

  /// Changes all rows that a query selects without reading them, if the store has an engine for it.
  ///
  /// - Returns: What it did, or `nil` when nothing was done: the rows must be read and saved.
  /// - Throws: The error that stopped the store; then nothing is written.
  func execute(_ statement: BatchStatement) throws(PerennialError) -> BatchOutcome?

  /// Runs a closure that reads the store on a thread that may wait for it, now or later; returns at once.
  ///
  /// A store that makes its readers wait for each other limits how many threads do so.
  func readInBackground(_ body: @escaping @Sendable () -> Void)
}

extension RowStore {
  package func readInBackground(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .userInitiated).async(execute: body)
  }

  package func execute(_ statement: BatchStatement) throws(PerennialError) -> BatchOutcome? { nil }
}
