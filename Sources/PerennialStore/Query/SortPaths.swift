// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// The key paths of sorts, taken apart once for many rows.
package struct SortPaths: Sendable {
  private let paths: [ExpressionNode]

  package init(_ sorts: some Sequence<FetchSort>) {
    paths = sorts.map { .object.appending($0.steps) }
  }

  /// What a source is sorted by: a value for each sort, null where its key path ends at nil.
  package func values(
    of source: some KeyValueSource
  ) throws(PerennialError) -> [PropertyValue] {
    let evaluator = PredicateEvaluator(.object(source))
    var values: [PropertyValue] = []
    values.reserveCapacity(paths.count)
    for path in paths {
      guard case .scalar(let value) = try evaluator.value(of: path) else {
        values.append(.null)
        continue
      }
      values.append(value)
    }
    return values
  }
}
