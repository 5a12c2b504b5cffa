// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A change of all rows that a query selects, made without reading them.
///
/// Whoever gives it has seen to it that nothing but these rows depends on it: no other row refers to
/// rows that go, and nothing is derived from what is written.
package struct BatchStatement: Sendable {
  package enum Action: Sendable {
    /// Writes the values that a row has in these slots, ascending, and raises the versions.
    case update(slots: [Int], PageRow)
    case delete
  }

  package let query: StoreQuery
  package let action: Action
  /// Whether the outcome names the rows.
  package var namesRows = false
  /// Who asks for it, for the store's history.
  package var author = ChangeSet.Author()

  package init(query: StoreQuery, action: Action) {
    self.query = query
    self.action = action
  }
}

/// What a batch statement did.
package struct BatchOutcome: Sendable {
  package let count: Int
  /// The rows, if they were asked for.
  package let references: [ObjectReference]

  package init(count: Int, references: [ObjectReference]) {
    self.count = count
    self.references = references
  }
}
