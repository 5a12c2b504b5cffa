// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialStore

/// Reads the rows that a ``ConflictFinder`` compares with a change set, all from one snapshot.
package protocol StoredRows {
  /// Why rows could not be read.
  associatedtype Failure: Error

  /// The stored rows of keys, in any order.
  ///
  /// - Parameters:
  ///   - keys: The keys, any number of them.
  ///   - root: The root entity.
  /// - Returns: The rows with all their slots; none for a key that is not there.
  /// - Throws: What could not be read.
  func rows(keys: [Int64], root: Int) throws(Failure) -> [PageRow]

  /// The stored rows that have some of the values in the columns of a constraint.
  ///
  /// - Parameters:
  ///   - constraint: The constraint.
  ///   - values: The values of each newcomer, any number of them; none is null.
  ///   - root: The root entity.
  /// - Returns: The rows with all their slots; those of entities that the constraint does not hold for may be among
  ///   them.
  /// - Throws: What could not be read.
  func rows(
    of constraint: TableConstraint,
    values: [[SlotKey]],
    root: Int
  ) throws(Failure) -> [PageRow]
}
