// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A condition that is no more than a name and the value that it must have: `sha == "2f77f2fc"`.
///
/// It is the condition of the fetch that runs in loops, which looks for the value and needs no tree.
struct AttributeEquality: Sendable {
  /// The only key of the key path on the left.
  let name: String
  let value: PropertyValue

  /// The name in such a condition, whatever stands on its right side; `nil` for another one.
  static func name(in node: PredicateNode) -> String? {
    guard case .comparison(let comparison) = node else { return nil }
    return comparison.equalName
  }

  /// The condition's tree.
  var tree: FormatParser.Measured<PredicateNode> {
    let node = PredicateNode.comparison(Comparison(.path(name), .equal, .constant(value)))
    return FormatParser.Measured(node: node, depth: node.depth())
  }
}

extension Comparison {
  /// The name that must be equal to the right side, when the comparison says no more than that.
  fileprivate var equalName: String? {
    guard case .equal = comparator, case .direct = modifier, options.isEmpty,
      case .keyPath(.object, let steps) = left, steps.count == 1
    else { return nil }
    return steps[0]
  }
}

extension FetchPredicate {
  /// A name and the value that it must have, when the predicate says no more than that.
  ///
  /// - Throws: ``PerennialError`` with code `predicateFormat` when the format or an argument was
  ///   wrong.
  package func equality() throws(PerennialError) -> (name: String, value: PropertyValue)? {
    switch content {
    case .equality(let equality): return (equality.name, equality.value)
    case .tree(.comparison(let comparison), _):
      guard case .constant(let value) = comparison.right, let name = comparison.equalName else {
        return nil
      }
      return (name, value)
    case .tree: return nil
    case .failure(let error): throw error.perennialError
    }
  }
}
