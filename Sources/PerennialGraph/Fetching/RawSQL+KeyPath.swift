// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

extension RawSQL.StringInterpolation {
  /// Adds the name of the table that holds a class's rows, and those of its super- and subclasses.
  public mutating func appendInterpolation<Object: ManagedEntity>(table type: Object.Type) {
    append(tableOf: type.entityName)
  }

  /// Adds the name of the column of an attribute, or of a to-one relationship's key.
  ///
  /// A key path that is no stored property is an error of the fetch.
  public mutating func appendInterpolation<Object: ManagedEntity, Value>(
    column keyPath: KeyPath<Object, Value>
  ) {
    append(columnOf: Object.name(of: keyPath), in: Object.entityName)
  }
}
