// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialPredicate

extension EvaluationValue {
  /// A composite attribute's value: dictionaries inside dictionaries; null when no element has a value.
  ///
  /// - Parameter elements: The values of its leaves, by paths such as `spot.x`.
  package init(elements: [(path: Substring, value: EvaluationValue)]) {
    var leaves: [String: EvaluationValue] = [:]
    var inner: [String: [(path: Substring, value: EvaluationValue)]] = [:]
    for (path, value) in elements {
      if let dot = path.firstIndex(of: ".") {
        let name = String(path[..<dot])
        inner[name, default: []].append((path[path.index(after: dot)...], value))
      } else {
        leaves[String(path)] = value
      }
    }
    for (name, elements) in inner { leaves[name] = EvaluationValue(elements: elements) }
    self = leaves.values.allSatisfy(\.isNull) ? .null : .dictionary(leaves)
  }
}
