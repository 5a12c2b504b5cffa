// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// What to compute of the rows that a query selects: values, of each row or of groups of rows.
///
/// Aggregates over the rows of a group are functions of one list: the values of an expression in all
/// rows of the group, which ``groupRows`` stands for. Names are checked by ``ProjectionPlanner``.
package struct ProjectionQuery: Sendable {
  /// A value of the result.
  package struct Column: Sendable {
    package let name: String
    package let expression: ExpressionNode
    /// What the expression gives, as far as the model tells.
    package let type: ProjectedType
    /// What numbers are converted to; `undefined` for nothing.
    package let resultType: AttributeType

    /// Whether values must be converted after they have been computed.
    package var needsConversion: Bool {
      guard resultType != .undefined, case .attribute(let type) = type else {
        return resultType != .undefined
      }
      return type != resultType && !(type.isInteger && resultType.isInteger)
    }
  }

  /// One key of the order.
  package struct Sort: Sendable {
    package let expression: ExpressionNode
    /// The column that has the value, if one has.
    package let column: Int?
    package let sort: FetchSort
  }

  /// The variable that stands for all rows of a group.
  package static let groupRows = ExpressionNode.variable("%rows")

  /// The rows to look at; neither sorted nor cut.
  package var rows: StoreQuery
  package var columns: [Column] = []
  /// What rows of one group have in common; empty for one group of all, `nil` for no groups.
  package var groups: [ExpressionNode]?
  /// The condition on groups.
  package var having: PredicateNode?
  /// Whether equal results come once.
  package var isDistinct = false
  /// The order: without sorts any; equal results are in the order of their groups, of all their values
  /// when they are distinct, or of the rows' keys.
  package var sorts: [Sort] = []
  /// The greatest number of results; 0 for all.
  package var limit = 0
  /// How many results to leave out at the beginning.
  package var offset = 0
  /// The other entities that the values come from.
  package var reached: Set<Int> = []

  package init(rows: StoreQuery) { self.rows = rows }
}

/// What a projected expression gives.
package enum ProjectedType: Sendable, Hashable {
  /// Values as an attribute of a type has them.
  case attribute(AttributeType)
  /// IDs of objects of an entity and its subentities.
  case object(Int)
  /// What only evaluation can tell.
  case unknown
}

extension AttributeType {
  /// Whether values are integers; not for truth values.
  package var isInteger: Bool { self == .int16 || self == .int32 || self == .int64 }
}

/// Rows of values, each as wide as the others.
package struct ValueTable: Sendable {
  /// How many values a row has.
  package let columnCount: Int
  /// The values, row by row.
  package var values: [PropertyValue] = []

  package init(columnCount: Int) { self.columnCount = columnCount }

  /// The number of rows.
  package var rowCount: Int { columnCount == 0 ? 0 : values.count / columnCount }

  /// The values of a row.
  package subscript(row: Int) -> ArraySlice<PropertyValue> {
    values[row * columnCount..<(row + 1) * columnCount]
  }
}
