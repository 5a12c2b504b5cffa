// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store that others may write to while it is open.
package protocol WatchableStore: RowStore {
  /// The path of a file that is written whenever the store is; `nil` for a store without one.
  var watchedPath: String? { get }

  /// Has a closure called soon after every write of others from now on, by a store that is told of them.
  ///
  /// It may be called once too often, from any thread, and returns at once: it only makes somebody look. What it is
  /// not called for is seen at the next regular look. A store that has lost those who tell it calls it when it
  /// has found them again.
  ///
  /// - Parameter wake: What to call; it replaces the one before.
  func onForeignWrite(_ wake: @escaping @Sendable () -> Void)

  /// A number that is another one after somebody else has written to the store.
  func foreignDataVersion() throws(PerennialError) -> Int64

  /// Remembers from now on what others write, if the store sees it without a history.
  func noteForeignChanges()

  /// What others have written since the last call, with the rows as they are now; `nil` when only a
  /// history knows.
  func takeForeignChanges() -> [ChangeSet]?
}

extension WatchableStore {
  package func onForeignWrite(_ wake: @escaping @Sendable () -> Void) {}
  package func noteForeignChanges() {}
  package func takeForeignChanges() -> [ChangeSet]? { nil }
}
