// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

extension RawSQL.StringInterpolation {
  /// Adds the name of the table that holds the rows of a class, and of its superclasses and subclasses.
  ///
  /// - Parameter type: A class. One that the model lacks is an error of the fetch: `unknownName` (200003).
  public mutating func appendInterpolation<Object: ManagedEntity>(table type: Object.Type) {
    append(tableOf: type.entityName)
  }

  /// Adds the name of the column of an attribute, or of a to-one relationship's key.
  ///
  /// A key path without a column is an error of the fetch, `unknownName` (200003). A computed property, a transient
  /// or composite attribute and a to-many relationship have no column.
  ///
  /// - Parameter keyPath: A property of the class. Its column is named without a table: write `c.\(column: …)` for
  ///   the column of `c`.
  public mutating func appendInterpolation<Object: ManagedEntity, Value>(
    column keyPath: KeyPath<Object, Value>
  ) {
    append(columnOf: Object.name(of: keyPath), in: Object.entityName)
  }
}
