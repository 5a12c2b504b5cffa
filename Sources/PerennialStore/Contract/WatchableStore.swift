// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store that others may write to while it is open.
package protocol WatchableStore: RowStore {
  /// The path of a file that is written whenever the store is.
  var watchedPath: String { get }

  /// A number that is another one after somebody else has written to the store.
  func foreignDataVersion() throws(PerennialError) -> Int64
}
