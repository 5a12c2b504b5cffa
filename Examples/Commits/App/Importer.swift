// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
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
      let batches = try ImportBatches(context, webAddress: repository.webAddress)
      var progress = ProgressLine(terminal)
      defer { progress.clear() }
      try repository.forEachCommit { commit in
        try batches.add(commit)
        progress.show(batches.summary.commits.counted("commit"))
      }
      try batches.save()
      return batches.summary
    }
    summary.duration = ContinuousClock.now - start
    if let note = summary.note { terminal.note(note) }
    return summary
  }
}

/// Gathers commits and saves them a thousand at a time.
///
/// Invariant: every commit that was added is in `waiting`, in the store or deleted by the user.
private final class ImportBatches {
  private static let batchSize = 1_000

  private let context: ManagedObjectContext
  private let webAddress: WebAddress?
  private let deleted: Set<String>
  private var waiting: [GitCommit] = []
  /// The names in bytes, as the store compares them.
  private var names: Set<Data> = []
  private(set) var summary = ImportSummary()

  init(_ context: ManagedObjectContext, webAddress: WebAddress?) throws {
    self.context = context
    self.webAddress = webAddress
    deleted = Set(try context.fetch(DeletedCommit.all).map(\.sha))
  }

  func add(_ commit: GitCommit) throws {
    summary.commits += 1
    guard !deleted.contains(commit.sha) else {
      summary.skipped += 1
      return
    }
    waiting.append(commit)
    if waiting.count == Self.batchSize { try save() }
  }

  func save() throws {
    let authors = try authors(of: waiting)
    let commits = try context.upsert(
      Commit.self,
      from: zip(waiting, authors),
      matching: \.sha,
      \.0.sha
    ) { [webAddress] commit, entry in
      commit.message = entry.0.message
      commit.url = webAddress?.commit(entry.0.sha) ?? ""
      commit.date = entry.0.date
      commit.author = entry.1
    }
    waiting = []
    let changed = Set(commits)
    summary.inserted += changed.count { $0.isInserted }
    summary.updated += changed.count { $0.isUpdated }
    if context.hasChanges { try context.save() }
  }

  /// Finds the authors by name or makes them; nil for a commit that names nobody.
  private func authors(of commits: [GitCommit]) throws -> [Author?] {
    let named = commits.filter { $0.authorName != nil }
    var found = try context.upsert(
      Author.self,
      from: named,
      matching: \.name,
      \.nameText
    ) { author, commit in
      if author.isInserted, author.email.isEmpty { author.email = commit.authorEmail }
    }[...]
    names.formUnion(named.compactMap(\.authorName).map { Data($0.utf8) })
    summary.authors = names.count
    return commits.map { $0.authorName == nil ? nil : found.popFirst() }
  }
}

extension GitCommit {
  /// The author's name, empty when there is none.
  fileprivate var nameText: String { authorName ?? "" }
}
