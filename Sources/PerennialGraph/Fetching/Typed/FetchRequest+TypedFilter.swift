// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

extension ManagedEntity {
  /// A request for the objects that meet a typed condition.
  ///
  /// ```swift
  /// let fixes = try context.fetch(
  ///   Commit.filter { $0.message.contains("fix", .caseInsensitive) && $0.author.name == "Joe" })
  /// let busy = try context.fetch(
  ///   Author.filter { $0.commits.count > 10 && $0.commits.any { $0.message.contains("fix") } })
  /// ```
  ///
  /// The first condition becomes the same predicate as the format string `message CONTAINS[c] "fix" AND
  /// author.name == "Joe"`.
  ///
  /// - Parameter condition: The condition on an object of the class; the closure is called once.
  /// - Returns: The request. A computed property in the condition is an error of the fetch.
  public static func filter(
    _ condition: (PredicateObject<Self>) -> some PredicateCondition
  ) -> FetchRequest<Self> {
    all.filter(condition)
  }
}

extension FetchRequest {
  /// The request with one more condition, written with the properties of the class.
  ///
  /// - Parameter condition: The condition on an object; the closure is called once.
  /// - Returns: The request. A computed property in the condition is an error of the fetch.
  public func filter(
    _ condition: (PredicateObject<Result>) -> some PredicateCondition
  ) -> Self {
    filter(condition(PredicateObject(.object))._predicate)
  }
}
