// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A condition that is no more than a name and the value that it must have: `sha == "2f77f2fc"`.
///
/// It is the condition of the fetch that runs in loops, which looks for the value and needs no tree.
final class AttributeEquality: Sendable {
  /// The only key of the key path on the left.
  let name: String
  let value: PropertyValue

  private init(_ name: String, _ value: PropertyValue) {
    self.name = name
    self.value = value
  }

  /// The condition of a tree, whatever stands on its right side; `nil` when it is another one.
  convenience init?(_ node: PredicateNode) {
    guard case .comparison(let comparison) = node, let name = comparison.equalName else {
      return nil
    }
    self.init(name, .null)
  }

  /// The condition with another value.
  func with(_ value: PropertyValue) -> AttributeEquality {
    AttributeEquality(name, value)
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
