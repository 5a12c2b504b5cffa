// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Why a store did not save, having written nothing of the change set.
package enum SaveFailure: Error, Sendable {
  /// Rows that the store has changed, or values that it already has: all of them.
  case conflicts([SaveConflict])
  /// The store could not do it.
  case failed(PerennialError)
}

/// One reason why a change set does not fit what is stored.
package enum SaveConflict: Sendable {
  /// The stored row has another version than expected, or is gone (`stored` is `nil`).
  case version(root: Int, key: Int64, stored: PageRow?)
  /// A new or changed row has the values of another stored row.
  ///
  /// - `constraint`: the number of the constraint in the newcomer's entity.
  case constraint(entity: Int, constraint: Int, newcomer: Int64, stored: PageRow)
}
