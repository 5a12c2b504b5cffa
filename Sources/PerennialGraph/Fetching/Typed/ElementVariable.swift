// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

/// The variables that stand for elements of to-many relationships: `$item`, in it `$item2`.
enum ElementVariable {
  /// How many conditions on elements surround the one that is being made.
  @TaskLocal private static var depth = 0

  /// Calls a condition on an element with a variable that no surrounding condition uses.
  static func bind<Element: ManagedObject>(
    _ condition: (PredicateObject<Element>) -> some PredicateCondition
  ) -> (variable: String, condition: FetchPredicate) {
    let name = name(at: depth)
    let predicate = $depth.withValue(depth + 1) {
      condition(PredicateObject(.variable(name)))._predicate
    }
    return (name, predicate)
  }

  /// The name of the variable inside so many others.
  static func name(at depth: Int) -> String { depth == 0 ? "item" : "item\(depth + 1)" }
}
