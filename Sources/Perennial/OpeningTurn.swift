// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Synchronization

/// Whose turn it is in this process to open the store of a file: one at a time.
///
/// SQLite's locks do not keep two threads apart while a migrated store takes the place of another file: one that has
/// just opened the former file would take the memory beside the new one's log for its own.
enum OpeningTurn {
  private static let taken = Mutex<Set<String>>([])
  /// Seconds between two attempts.
  private static let pause = 0.005

  /// Opens a store when nobody else in this process is about to.
  ///
  /// After `patience` it goes on all the same: what has the turn may be a migration whose code is asking.
  static func take<Store>(
    _ url: URL?,
    patience: Duration,
    _ body: () throws(PerennialError) -> Store
  ) throws(PerennialError) -> Store {
    guard let path = url?.path(percentEncoded: false) else { return try body() }
    let end = ContinuousClock.now + patience
    while !taken.withLock({ $0.insert(path).inserted }) {
      guard ContinuousClock.now < end else { return try body() }
      Thread.sleep(forTimeInterval: pause)
    }
    defer { taken.withLock { _ = $0.remove(path) } }
    return try body()
  }
}
