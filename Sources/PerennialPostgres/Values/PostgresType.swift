// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// A type of PostgreSQL, by its number in the catalogue `pg_type`; the numbers never change.
package struct PostgresType: Sendable, Hashable {
  /// The number (OID).
  package let number: UInt32
  /// The number of the type of arrays of it; 0 for an array.
  package let arrayNumber: UInt32

  package init(number: UInt32, arrayNumber: UInt32 = 0) {
    self.number = number
    self.arrayNumber = arrayNumber
  }

  /// Whatever the server infers from the statement.
  package static let inferred = PostgresType(number: 0)
  package static let bool = PostgresType(number: 16, arrayNumber: 1000)
  package static let bytes = PostgresType(number: 17, arrayNumber: 1001)
  package static let integer = PostgresType(number: 20, arrayNumber: 1016)
  package static let text = PostgresType(number: 25, arrayNumber: 1009)
  package static let double = PostgresType(number: 701, arrayNumber: 1022)
  package static let timestamp = PostgresType(number: 1184, arrayNumber: 1185)
  package static let numeric = PostgresType(number: 1700, arrayNumber: 1231)
  package static let uuid = PostgresType(number: 2950, arrayNumber: 2951)

  /// Arrays of the type: one parameter for as many values as one likes (`= ANY ($1)`, `unnest($1)`).
  package var array: PostgresType { PostgresType(number: arrayNumber) }
}
#endif
