// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// Tells how far a migration is, and stops it when somebody has cancelled it.
package final class MigrationMonitor: Sendable {
  private let child: Progress?
  /// Cancelled with the progress: it interrupts the statement that runs.
  package let cancellation = FetchCancellation()

  /// A monitor.
  ///
  /// - Parameters:
  ///   - progress: Where to tell it; all its units are the migration's. One that is at its end begins anew. `nil`
  ///     for nobody.
  ///   - stepCount: How many times ``step()`` will be called.
  package init(_ progress: Progress?, stepCount: Int) {
    guard let progress else {
      child = nil
      return
    }
    if progress.totalUnitCount <= 0 { progress.totalUnitCount = Int64(max(stepCount, 1)) }
    if progress.completedUnitCount >= progress.totalUnitCount { progress.completedUnitCount = 0 }
    let child = Progress(totalUnitCount: Int64(max(stepCount, 1)))
    progress.addChild(
      child,
      withPendingUnitCount: progress.totalUnitCount - progress.completedUnitCount
    )
    let cancellation = cancellation
    child.cancellationHandler = { cancellation.cancel() }
    self.child = child
    if progress.isCancelled { cancellation.cancel() }
  }

  /// Takes back what has been told of a migration that has failed: another may follow.
  deinit {
    if let child, !child.isFinished { child.completedUnitCount = 0 }
  }

  /// Tells that a step is done.
  ///
  /// - Throws: `migrationCancelled` (134120).
  package func step() throws(PerennialError) {
    if let child {
      child.completedUnitCount = min(child.completedUnitCount + 1, child.totalUnitCount)
    }
    try check()
  }

  /// Throws when the migration has been cancelled.
  package func check() throws(PerennialError) {
    // The handler is called later, on another thread.
    if child?.isCancelled == true { cancellation.cancel() }
    do throws(PerennialError) {
      try cancellation.check()
    } catch {
      throw .migrationCancelled
    }
  }

  /// Tells that all is done.
  package func finish() {
    if let child { child.completedUnitCount = child.totalUnitCount }
  }
}

extension PerennialError {
  /// Somebody has cancelled the migration.
  package static let migrationCancelled = PerennialError(
    .migrationCancelled,
    "The migration was cancelled.",
    recovery: "open the store again to migrate it; it has been left as it was"
  )
}
