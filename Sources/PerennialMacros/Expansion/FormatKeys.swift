// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

/// The keys of a predicate as key-path expressions, which the compiler checks.
///
/// `ANY films.year > 2000` gives `keys.key(\.films).key(\.year)`. The macro knows no types: the
/// overloads of `key` lead from a relationship to the objects in it.
struct FormatKeys {
  /// What the names of the language stand for: expressions, or `nil` where nothing is known.
  private struct Scope {
    /// `SELF`.
    var object: String?
    /// What the variables of subqueries stand for.
    var variables: [String: String] = [:]
  }

  /// The name of the variable that stands for the tested object.
  static let root = "keys"

  private var expressions: [String] = []

  /// Collects the keys of a predicate.
  init(of predicate: PredicateNode) {
    visit(predicate, Scope(object: Self.root))
  }

  /// The expressions, each once, without those that others begin with.
  var longest: [String] {
    var known: Set<String> = []
    let unique = expressions.filter { known.insert($0).inserted }
    return unique.filter { expression in !unique.contains { $0.hasPrefix(expression + ".") } }
  }

  private mutating func visit(_ predicate: PredicateNode, _ scope: Scope) {
    switch predicate {
    case .constant: break
    case .and(let nodes), .or(let nodes): for node in nodes { visit(node, scope) }
    case .not(let node): visit(node, scope)
    case .comparison(let comparison):
      visit(comparison.left, scope)
      visit(comparison.right, scope)
    }
  }

  /// Collects the keys of a value.
  ///
  /// - Returns: The expression of what it leads to; of a collection, that of an element.
  @discardableResult
  private mutating func visit(_ value: ExpressionNode, _ scope: Scope) -> String? {
    switch value {
    case .constant: return nil
    case .object: return scope.object
    case .variable(let name): return scope.variables[name]
    case .keyPath(let root, let keys): return follow(keys, from: visit(root, scope))
    case .list(let nodes), .function(_, let nodes):
      for node in nodes { visit(node, scope) }
      return nil
    case .aggregate(let collection, let operation, let key):
      var inner = scope
      inner.object = visit(collection, scope)
      let result = visit(key, inner)
      return operation == .unionOfObjects || operation == .distinctUnionOfObjects ? result : nil
    case .index(let collection, let index):
      let element = visit(collection, scope)
      if case .element(let position) = index { visit(position, scope) }
      if case .size = index { return nil }
      return element
    case .subquery(let collection, let name, let condition):
      let element = visit(collection, scope)
      var inner = scope
      inner.variables[name] = element
      visit(condition, inner)
      return element
    case .ternary(let condition, let first, let second):
      visit(condition, scope)
      visit(first, scope)
      visit(second, scope)
      return nil
    case .cast(let value, _):
      visit(value, scope)
      return nil
    }
  }

  /// Adds the expression of a key path; an interpolated key ends what can be known.
  private mutating func follow(_ keys: [String], from root: String?) -> String? {
    guard let root else { return nil }
    let names = keys.filter { $0 != "self" }.map(Self.spelling)
    let known = names.prefix { $0 != nil }.compactMap { $0 }
    let expression = root + known.map { ".key(\\.\($0))" }.joined()
    if !known.isEmpty { expressions.append(expression) }
    return known.count == names.count ? expression : nil
  }

  /// A key as the name of a property; `nil` when no property can have the name.
  private static func spelling(of key: String) -> String? {
    if key == FormatCheck.interpolatedKey { return nil }
    let isWord = key.utf8.allSatisfy(Scanner.isWordByte) && key.first?.isNumber == false
    if isWord, !["init", "Type", "Protocol", "Self"].contains(key) { return key }
    let isRaw = !key.isEmpty && !key.contains { "`\\".contains($0) || $0.isNewline || $0 == "\0" }
    return isRaw ? "`\(key)`" : nil
  }
}
