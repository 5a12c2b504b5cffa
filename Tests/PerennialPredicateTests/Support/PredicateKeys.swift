// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// The keys that a predicate names, wherever they stand.
struct PredicateKeys {
  /// All keys.
  private(set) var all: Set<String> = []
  /// The keys that another one follows.
  private(set) var inner: Set<String> = []

  /// Collects the keys of a predicate.
  init(of predicate: FetchPredicate) throws(PerennialError) {
    visit(try predicate.checked())
  }

  private mutating func visit(_ predicate: PredicateNode) {
    switch predicate {
    case .constant: break
    case .and(let nodes), .or(let nodes): for node in nodes { visit(node) }
    case .not(let node): visit(node)
    case .comparison(let comparison):
      visit(comparison.left)
      visit(comparison.right)
    }
  }

  private mutating func visit(_ value: ExpressionNode) {
    switch value {
    case .constant, .object, .variable: break
    case .list(let nodes), .function(_, let nodes): for node in nodes { visit(node) }
    case .keyPath(let root, let keys):
      visit(root)
      let names = keys.filter { $0 != "self" && $0 != "length" }
      all.formUnion(names)
      inner.formUnion(names.dropLast())
    case .aggregate(let collection, _, let key):
      visit(collection)
      visit(key)
    case .index(let collection, let index):
      visit(collection)
      if case .element(let position) = index { visit(position) }
    case .subquery(let collection, _, let condition):
      visit(collection)
      visit(condition)
    case .ternary(let condition, let first, let second):
      visit(condition)
      visit(first)
      visit(second)
    case .cast(let value, _): visit(value)
    }
  }
}
