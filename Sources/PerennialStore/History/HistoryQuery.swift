// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// A place in a store's history.
package enum HistoryPlace: Sendable, Hashable {
  /// Before the first transaction that is there.
  case beginning
  /// After the transaction of a token.
  case token(PersistentHistoryToken)
  /// A point in time.
  case date(Date)
}

/// Which transactions to fetch.
package struct HistoryQuery: Sendable {
  /// The transactions after this place.
  package var after = HistoryPlace.beginning
  /// Only those of these authors, of which `nil` is nobody; all when there is no set.
  package var authors: Set<String?>?
  /// None of these authors.
  package var excludedAuthors: Set<String?> = []
  /// Only those of contexts of these names; `nil` for all.
  package var contextNames: Set<String?>?
  /// The greatest number of transactions; 0 for all.
  package var limit = 0
  /// Whether the transactions have their changes.
  package var includesChanges = true

  package init(after: HistoryPlace = .beginning) { self.after = after }

  /// Whether some of the transactions after the place are not asked for, whatever the limit.
  package var isFiltered: Bool {
    authors != nil || !excludedAuthors.isEmpty || contextNames != nil
  }

  /// Whether a transaction is one of those that are asked for, wherever it is.
  package func selects(author: String?, contextName: String?) -> Bool {
    if let authors, !authors.contains(author) { return false }
    if let contextNames, !contextNames.contains(contextName) { return false }
    return !excludedAuthors.contains(author)
  }
}

/// What a store's history comprises.
package struct HistoryExtent: Sendable, Hashable {
  /// The number of the first transaction that is there, or of the next one.
  package let first: Int64
  /// The number of the last transaction that there ever was; 0 before the first.
  package let last: Int64

  package init(first: Int64, last: Int64) {
    self.first = first
    self.last = last
  }

  /// Whether everything after a token is there.
  package func covers(_ number: Int64) -> Bool {
    (number >= first || number == first - 1) && number <= last
  }
}
