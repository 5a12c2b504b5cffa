// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Notices that the process is a copy, made by `fork()`, of the one that something was opened in.
///
/// A connection belongs to the process that opened it: a copy shares its socket with the original, and has none of
/// the locks that it believes to hold on a file (SQLite: "How To Corrupt An SQLite Database File", 2.6).
package struct ProcessWitness: Sendable {
  /// How often the ancestors of this process were copies since the first witness was there.
  private static let copyCount = Atomic<Int>(0)

  /// Whether the system tells of copies.
  private static let isTold: Bool = {
    #if os(Windows)
    false
    #else
    pthread_atfork(nil, nil, { ProcessWitness.copyCount.add(1, ordering: .relaxed) }) == 0
    #endif
  }()

  private let count: Int

  /// A witness of the process as it is now.
  package init() {
    _ = Self.isTold
    count = Self.copyCount.load(ordering: .relaxed)
  }

  /// Whether the process is a copy by now.
  package var isCopy: Bool { Self.copyCount.load(ordering: .relaxed) != count }
}

extension PerennialError {
  /// A store that another process has opened.
  ///
  /// - Parameter store: The store's name.
  /// - Returns: The error.
  package static func openedBeforeFork(_ store: String) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The store '\(store)' was opened before this process was forked: its connections belong to the other one.",
      recovery: "open it after fork(), or start another program instead"
    )
  }
}
