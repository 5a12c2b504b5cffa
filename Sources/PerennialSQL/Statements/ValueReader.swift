// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// How a column of a statement becomes a value, as rows of the same type have it; engines do it.
package enum ValueReader: Sendable {
  case attribute(AttributeType)
  /// A sum of integers, which is a number of another type when it does not fit.
  case integerSum
  /// The key of an object of an entity, and the column of its entity's number if it may have several.
  case object(Int, numberColumn: Int?)
}
