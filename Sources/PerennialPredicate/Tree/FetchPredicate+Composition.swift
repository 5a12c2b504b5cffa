// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension FetchPredicate {
  /// A predicate that is true when both predicates are.
  ///
  /// - Parameters:
  ///   - left: A predicate.
  ///   - right: Another one.
  /// - Returns: The predicate. The fetch refuses it when one of the two is wrong, or when they are nested more
  ///   than 200 levels deep.
  /// - Complexity: O(*n*) in the conditions that `&&` has joined so far.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    combined(left, right, PredicateNode.conjunction)
  }

  /// A predicate that is true when at least one of two predicates is.
  ///
  /// - Parameters:
  ///   - left: A predicate.
  ///   - right: Another one.
  /// - Returns: The predicate. The fetch refuses it when one of the two is wrong, or when they are nested more
  ///   than 200 levels deep.
  /// - Complexity: O(*n*) in the conditions that `||` has joined so far.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    combined(left, right, PredicateNode.disjunction)
  }

  /// A predicate that is true when another one is false.
  ///
  /// - Parameter predicate: A predicate.
  /// - Returns: The opposite. The fetch refuses it when the predicate is wrong, or nested more than 200 levels
  ///   deep.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
    guard case .success(let tree) = predicate.tree else { return predicate }
    return limited(.not(tree.node), depth: tree.depth + 1)
  }

  /// The predicate whose tree is made of this one's; an error stays.
  package func map(_ transform: (PredicateNode) -> PredicateNode) -> FetchPredicate {
    guard case .success(let tree) = tree else { return self }
    return FetchPredicate(transform(tree.node))
  }

  private static func combined(
    _ left: FetchPredicate,
    _ right: FetchPredicate,
    _ join: ([PredicateNode]) -> PredicateNode
  ) -> FetchPredicate {
    guard case .success(let first) = left.tree else { return left }
    guard case .success(let second) = right.tree else { return right }
    let node = join([first.node, second.node])
    // A node that took in a side's members has that side's depth.
    func depth(_ side: FormatParser.Measured<PredicateNode>) -> Int {
      side.node.isSameCompound(as: node) ? side.depth : side.depth + 1
    }
    return limited(node, depth: max(depth(first), depth(second)))
  }

  private static func limited(_ node: PredicateNode, depth: Int) -> FetchPredicate {
    FetchPredicate(
      depth > maximumPredicateDepth ? .failure(.tooDeep) : .tree(node, depth: depth)
    )
  }
}

extension PredicateNode {
  fileprivate func isSameCompound(as other: PredicateNode) -> Bool {
    switch (self, other) {
    case (.and, .and), (.or, .or): true
    default: false
    }
  }
}

extension FetchPredicate {
  /// The predicate with values in place of its `$VARIABLES`.
  ///
  /// Variables that get no value stay; those that a `SUBQUERY` binds are never replaced.
  ///
  /// Core Data: `NSPredicate.withSubstitutionVariables(_:)`.
  ///
  /// - Parameter variables: A value for each name, without the dollar sign.
  /// - Returns: The predicate. The fetch refuses it when a value has a type that predicates cannot hold.
  public func withSubstitutionVariables(
    _ variables: [String: (any Sendable)?]
  ) -> FetchPredicate {
    guard case .success(let tree) = tree else { return self }
    var values: [String: ExpressionNode] = [:]
    for (name, value) in variables {
      do throws(ArgumentConversion.Unsupported) {
        values[name] = try ArgumentConversion.expression(for: value)
      } catch {
        if error.isTooLong { return FetchPredicate(.failure(.tooManyValues)) }
        return FetchPredicate(
          .failure(
            FormatError(
              "the variable '\(name)' has the type '\(error.typeName)', which a predicate cannot hold",
              recovery: "pass a string, number, date, UUID, URL, data, object ID or a collection."
            )
          )
        )
      }
    }
    return FetchPredicate(tree.node.replacing(values))
  }
}
