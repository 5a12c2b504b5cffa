// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import ConsoleStore
import Foundation
import Perennial

/// Imports the history of a checkout.
struct Importer: Sendable {
  private let start = ContinuousClock.now
  private let repository: GitRepository
  private let terminal: Terminal

  /// Opens the repository, so that a wrong path is reported before a store is made.
  init(path: String, terminal: Terminal) throws {
    repository = try GitRepository(path: path)
    self.terminal = terminal
  }

  /// Reads the history while git finds it, and saves it batch by batch.
  ///
  /// An interruption loses at most the batch that was being read; the next import adds it.
  func importHistory(into container: PersistentContainer) async throws -> ImportSummary {
    if repository.isShallow {
      terminal.note("The repository is shallow: older commits are missing.")
    }
    let (repository, terminal) = (repository, terminal)
    var summary = try await container.performBackgroundTask { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let batches = try ImportBatches(context)
      var progress = ProgressLine(terminal)
      defer { progress.clear() }
      try repository.forEachCommit { commit in
        try batches.add(commit, url: repository.webAddress?.commit(commit.sha) ?? "")
        progress.show(batches.summary.commits.counted("commit"))
      }
      try batches.save()
      return batches.summary
    }
    try await container.forgetOldHistory()
    summary.duration = ContinuousClock.now - start
    if let note = summary.note { terminal.note(note) }
    return summary
  }
}
