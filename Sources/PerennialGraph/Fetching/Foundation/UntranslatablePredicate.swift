// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A part of a `#Predicate` that has no counterpart in the predicates of fetches.
struct UntranslatablePredicate: Error {
  /// What the part is: `'is'`, `a dictionary's subscript`.
  let message: String
  let recovery: String

  /// A part that no fetch can decide.
  ///
  /// - Parameters:
  ///   - construct: What it is, with an article.
  ///   - recovery: What to write in its place.
  init(_ construct: String, recovery: String) {
    message = "a #Predicate has \(construct), which a fetch cannot decide"
    self.recovery = recovery
  }

  /// The cure for what has no other.
  static let filterLater = "filter the objects after the fetch, with Swift's filter."
}
