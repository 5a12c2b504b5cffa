// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

extension PropertyValue {
  /// How the value is ordered against another, as `<` and `>` of predicates see it.
  ///
  /// - Parameter other: The other value.
  /// - Returns: Negative, zero or positive; `nil` when they have no order.
  package func order(against other: PropertyValue) -> Int? {
    isNull || other.isNull ? nil : ValueComparison.order(self, other)
  }
}
