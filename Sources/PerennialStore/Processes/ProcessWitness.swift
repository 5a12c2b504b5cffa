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
///
/// SQLite keeps one list for the whole process of the locks on each file. A copy of the process has the list, too: a
/// new connection to a file would take no locks that the list has already. So a copy of a process with open files opens
/// none.
package struct ProcessWitness: Sendable {
  /// How often the ancestors of this process were copies since the first witness was there.
  private static let copyCount = Atomic<Int>(0)
  /// How many files this process has open whose locks a library keeps for all of it.
  private static let openCount = Atomic<Int>(0)
  /// Whether a process had such files open when a copy was made of it that led to this one.
  private static let inheritsFiles = Atomic<Bool>(false)

  /// Whether the system tells of copies.
  private static let isTold: Bool = {
    #if os(Windows)
    false
    #else
    pthread_atfork(nil, nil, { ProcessWitness.becomeCopy() }) == 0
    #endif
  }()

  /// Waits for nobody: of the threads that there were, the copy has one.
  private static func becomeCopy() {
    copyCount.add(1, ordering: .relaxed)
    let count = openCount.exchange(0, ordering: .relaxed)
    if count > 0 { inheritsFiles.store(true, ordering: .relaxed) }
  }

  private let count: Int

  /// A witness of the process as it is now.
  package init() {
    _ = Self.isTold
    count = Self.copyCount.load(ordering: .relaxed)
  }

  /// Whether the process is a copy by now.
  package var isCopy: Bool { Self.copyCount.load(ordering: .relaxed) != count }

  /// Counts a file that is going to be opened, until ``noteClosed()``.
  ///
  /// - Returns: `false` when none may be opened, as the process is a copy of one that had files open.
  package func noteOpening() -> Bool {
    if Self.inheritsFiles.load(ordering: .relaxed) { return false }
    Self.openCount.add(1, ordering: .relaxed)
    return true
  }

  /// Notes that a file is not open any more; a copy has nothing to say of those of the original.
  package func noteClosed() {
    if !isCopy { Self.openCount.subtract(1, ordering: .relaxed) }
  }
}

extension PerennialError {
  /// A store that a copy of a process has from the original, or that it may not open because it has others from there.
  ///
  /// - Parameter store: The store's name.
  /// - Returns: The error.
  package static func openedBeforeFork(_ store: String) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The store '\(store)' cannot be used: this process was forked while stores were open.",
      recovery: "open stores only after fork(), or start another program instead"
    )
  }
}
