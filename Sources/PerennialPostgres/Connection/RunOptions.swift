// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialStore

/// How statements run.
package struct PostgresRunOptions: Sendable {
  /// How long the server may take; the connection's own limit when `nil`.
  package var timeout: Duration?
  /// Ends them from another thread.
  package var cancellation: FetchCancellation?
  /// Whether nothing is changed: a lost connection leaves no doubt then.
  package var isReading = false
  /// Whether the open transaction is committed in the same round trip, if all goes well.
  package var commits = false

  package init(
    timeout: Duration? = nil,
    cancellation: FetchCancellation? = nil,
    isReading: Bool = false,
    commits: Bool = false
  ) {
    self.timeout = timeout
    self.cancellation = cancellation
    self.isReading = isReading
    self.commits = commits
  }
}

/// How a transaction sees what others do.
package enum PostgresTransactionKind: String, Sendable {
  /// Each statement sees what was committed before it.
  case readCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED"
  /// All statements see what was committed before the first.
  case repeatableRead = "BEGIN ISOLATION LEVEL REPEATABLE READ"
  /// As if transactions ran one after the other; the server ends those that cannot, with 40001.
  case serializable = "BEGIN ISOLATION LEVEL SERIALIZABLE"
  /// A snapshot that only reads.
  case reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
#endif
