// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store that others may write to while it is open.
package protocol WatchableStore: RowStore {
  /// The path of a file that is written whenever the store is.
  var watchedPath: String { get }

  /// A number that is another one after somebody else has written to the store.
  func foreignDataVersion() throws(PerennialError) -> Int64

  /// Remembers from now on what others write, if the store sees it without a history.
  func noteForeignChanges()

  /// What others have written since the last call, with the rows as they are now; `nil` when only a
  /// history knows.
  func takeForeignChanges() -> [ChangeSet]?
}

extension WatchableStore {
  package func noteForeignChanges() {}
  package func takeForeignChanges() -> [ChangeSet]? { nil }
}
