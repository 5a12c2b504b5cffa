// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Synchronization

/// Ties a watcher of a store to the coordinator of its contexts.
enum RemoteChangeWatching {
  /// Begins to watch a store.
  ///
  /// - Parameters:
  ///   - store: The store, the only one of the coordinator or one of several; the watcher does not
  ///     keep it.
  ///   - coordinator: What is told; the watcher does not keep it.
  ///   - url: The store's file or address.
  ///   - interval: How long to wait at most before looking.
  /// - Returns: The watcher, or `nil` for a store to which nobody else can write.
  /// - Throws: The store's error.
  static func watcher(
    of store: any RowStore,
    telling coordinator: StoreCoordinator,
    url: URL?,
    interval: Duration
  ) throws(PerennialError) -> ChangeWatcher? {
    // Nobody else writes what has neither a file nor an address.
    guard url != nil, let store = store as? any WatchableStore else { return nil }
    let latest = LatestVersion(try store.foreignDataVersion())
    try coordinator.beginWatching(store)
    let watcher = ChangeWatcher(path: store.watchedPath, interval: interval) {
      [weak coordinator, weak store] in
      guard let coordinator, let store else { return false }
      look(store, coordinator, url, latest)
      return true
    }
    if let watcher, store.watchedPath == nil {
      store.onForeignWrite(watcher.wake)
      // Whoever wrote since the version was read has woken nobody.
      watcher.wake()
    }
    return watcher
  }

  /// A failure, such as a lock of another process, is followed by another look.
  private static func look(
    _ store: any WatchableStore,
    _ coordinator: StoreCoordinator,
    _ url: URL?,
    _ latest: LatestVersion
  ) {
    guard let version = try? store.foreignDataVersion(),
      latest.value.withLock({ $0 != version })
    else { return }
    do throws(PerennialError) {
      try coordinator.receiveRemoteChanges(of: store, url: url)
      latest.value.withLock { $0 = version }
    } catch {}
  }

  /// The version of the store's data that was seen last.
  private final class LatestVersion: Sendable {
    let value: Mutex<Int64>

    init(_ value: Int64) { self.value = Mutex(value) }
  }
}
