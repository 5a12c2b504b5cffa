// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialPredicate

/// Why a part of a predicate cannot be said in SQL, and what to do about it.
package struct TranslationObstacle: Sendable {
  /// The smallest part that is in the way, without its values.
  package var part: String
  /// The rest of a sentence that begins with the part.
  package var reason: String
  /// What to do about it.
  package var advice: String

  init(_ part: ExpressionNode, _ reason: String, advice: String) {
    self.part = part.outline
    self.reason = reason
    self.advice = advice
  }

  init(_ part: Comparison, _ reason: String, advice: String) {
    self.part = PredicateNode.comparison(part).outline
    self.reason = reason
    self.advice = advice
  }
}

/// Looks for what is in the way, by translating smaller and smaller parts.
extension PredicateTranslator {
  /// The first part of a condition that cannot be said; `nil` when all of it can.
  package mutating func obstacle(in node: PredicateNode, entity: Int) -> TranslationObstacle? {
    obstacle(in: node, Scope(object: Row(entity: entity, alias: "t0")))
  }

  private mutating func obstacle(in node: PredicateNode, _ scope: Scope) -> TranslationObstacle? {
    switch node {
    case .constant: return nil
    case .and(let nodes), .or(let nodes):
      for node in nodes { if let obstacle = obstacle(in: node, scope) { return obstacle } }
      return nil
    case .not(let node): return obstacle(in: node, scope)
    case .comparison(let comparison):
      return condition(node, scope) == nil ? obstacle(in: comparison, scope) : nil
    }
  }

  private mutating func obstacle(
    in comparison: Comparison,
    _ scope: Scope
  ) -> TranslationObstacle {
    let takesMany = comparison.modifier != .direct || comparison.comparator == .contains
    if let obstacle = obstacle(in: comparison.left.folded, scope, takesMany: takesMany) {
      return obstacle
    }
    let isMany = comparison.comparator == .isIn
    if let obstacle = obstacle(in: comparison.right.folded, scope, takesMany: isMany) {
      return obstacle
    }
    return TranslationObstacle(comparison, Self.reason(of: comparison), advice: Self.simpler)
  }

  private static let simpler = "compare one stored attribute with a value of its own type"

  private static func reason(of comparison: Comparison) -> String {
    switch comparison.comparator {
    case .matches: return "needs a valid regular expression as a constant on its right"
    case .between: return "needs a list of two values on its right"
    case .isIn, .contains: return "looks for a value where SQL cannot"
    default: break
    }
    return comparison.modifier == .direct
      ? "compares values that SQL compares in another way than memory does"
      : "asks about elements in a way that SQL cannot"
  }

  // MARK: Values

  private mutating func obstacle(
    in node: ExpressionNode,
    _ scope: Scope,
    takesMany: Bool
  ) -> TranslationObstacle? {
    let isInTheWay =
      switch operand(node, scope) {
      case nil, .value(_, .opaque)?: true
      default: false
      }
    switch node {
    case _ where !isInTheWay, .constant, .object: return nil
    case .list(let nodes):
      for node in nodes {
        if let obstacle = obstacle(in: node, scope, takesMany: false) { return obstacle }
      }
      return nil
    case .variable:
      return TranslationObstacle(
        node,
        "has no value",
        advice: "give it one with withSubstitutionVariables(_:)"
      )
    case .keyPath(let root, let steps): return obstacle(at: steps, of: root, scope, takesMany)
    case .aggregate(let collection, _, let key):
      return obstacle(in: node, of: collection, key, scope)
    case .index(let collection, _):
      return obstacle(in: collection, scope, takesMany: true)
        ?? TranslationObstacle(
          node,
          "asks for an element by its place, which SQL does not know",
          advice: "use ANY, or store what is asked for in an attribute"
        )
    case .function(let function, let nodes): return obstacle(in: node, function, nodes, scope)
    case .subquery(let collection, let name, let condition):
      return obstacle(in: collection, name, condition, scope)
    case .ternary(let condition, let first, let second):
      return obstacle(in: condition, scope) ?? obstacle(in: first, scope, takesMany: false)
        ?? obstacle(in: second, scope, takesMany: false)
    case .cast:
      return TranslationObstacle(
        node,
        "converts a value of each row, which SQL would do in another way",
        advice: "convert the constant on the other side instead"
      )
    }
  }

  private mutating func obstacle(
    in node: ExpressionNode,
    _ function: PredicateFunction,
    _ nodes: [ExpressionNode],
    _ scope: Scope
  ) -> TranslationObstacle? {
    for node in nodes {
      if let obstacle = obstacle(in: node, scope, takesMany: true) { return obstacle }
    }
    let advice =
      function.isPure
      ? "store the result in an attribute, derived if possible, and compare that"
      : "compute the value before the fetch and pass it as an argument"
    return TranslationObstacle(
      node,
      "is computed for each row by '\(function.rawValue)', which SQL does not have in the same form",
      advice: advice
    )
  }

  private mutating func obstacle(
    in collection: ExpressionNode,
    _ name: String,
    _ condition: PredicateNode,
    _ scope: Scope
  ) -> TranslationObstacle? {
    if let obstacle = obstacle(in: collection, scope, takesMany: true) { return obstacle }
    guard let members = members(of: collection, scope) else { return nil }
    var inner = scope
    inner.variables[name] = members.row
    return obstacle(in: condition, inner)
  }

  private mutating func obstacle(
    in node: ExpressionNode,
    of collection: ExpressionNode,
    _ key: ExpressionNode,
    _ scope: Scope
  ) -> TranslationObstacle? {
    if let obstacle = obstacle(in: collection, scope, takesMany: true) { return obstacle }
    guard let members = members(of: collection, scope) else {
      return TranslationObstacle(
        node,
        "asks about a collection that is neither a to-many relationship nor a SUBQUERY on one",
        advice: "begin at the object that has the relationship, or nest SUBQUERY"
      )
    }
    if key != .object,
      let obstacle = obstacle(in: key, Scope(object: members.row), takesMany: false)
    {
      return obstacle
    }
    return TranslationObstacle(
      node,
      "is added up for each row in a way that SQL does not share",
      advice: "store the result in a derived attribute and compare that"
    )
  }

  // MARK: Key paths

  private mutating func obstacle(
    at steps: [String],
    of root: ExpressionNode,
    _ scope: Scope,
    _ takesMany: Bool
  ) -> TranslationObstacle? {
    if let obstacle = obstacle(in: root, scope, takesMany: true) { return obstacle }
    let path = root.appending(steps)
    guard steps.count <= Self.stepLimit else {
      return TranslationObstacle(
        path,
        "has more than \(Self.stepLimit) keys",
        advice: "fetch what its last keys ask about first, and compare a shorter path with that"
      )
    }
    guard var (row, rest) = start(of: path, scope) else {
      return TranslationObstacle(path, "begins at a computed value", advice: Self.simpler)
    }
    while let (property, count) = property(rest, of: row) {
      rest = rest.dropFirst(count)
      switch property {
      case .object: break
      case .toOne(_, _, let destination): row = makeRow(of: destination)
      case .toMany(let relationship):
        guard takesMany else {
          return TranslationObstacle(
            path,
            "leads through the to-many relationship '\(relationship.name)' where one value is needed",
            advice: "write ANY, ALL or NONE in front, or ask for @count, @min or @max"
          )
        }
        row = makeRow(of: relationship.destination)
      case .attribute(_, let kind):
        if kind == .opaque, rest.isEmpty {
          return TranslationObstacle(
            path,
            "is kept in a form that SQL cannot look into",
            advice:
              "compare it with nil only, or store what is asked for in an attribute of its own"
          )
        }
        if rest.isEmpty || (rest.elementsEqual(["length"]) && kind == .string) { return nil }
        return TranslationObstacle(
          path,
          "asks a value for its '\(rest.joined(separator: "."))', which SQL cannot",
          advice: "store the answer in an attribute and compare that"
        )
      }
      if rest.isEmpty { return nil }
    }
    return TranslationObstacle(
      path,
      "is no single column of the store",
      advice: "name an attribute of one entity; transient and composite ones have no column"
    )
  }
}
