// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import ConsoleStore
import Foundation
import Perennial

/// Imports the history of a repository at GitHub.
///
/// All pages are read before the first commit is saved, oldest first. So what is in the store has
/// no gaps whenever an import ends early: the next one goes on until it meets known commits.
struct GitHubImporter: Sendable {
  /// What the store knows about the repository.
  private struct Knowledge {
    var tag: String?
    /// Whether everything that is asked for, but for what is new, was imported before.
    var reachesBack = false
  }

  private let start = ContinuousClock.now
  private let options: GitHubOptions
  private let history: GitHubHistory
  private let terminal: Terminal

  init(_ options: GitHubOptions, terminal: Terminal) {
    self.options = options
    self.history = GitHubHistory(options)
    self.terminal = terminal
  }

  /// Reads what is new, and saves it.
  ///
  /// A store that is missing is made when everything was read.
  func importHistory(into store: StoreOptions) async throws -> ImportSummary {
    let existing = try store.isMissing ? nil : CommitStore.open(store, for: .change)
    let answer = try await read(existing)
    var summary: ImportSummary
    switch answer {
    case .unchanged:
      summary = ImportSummary()
      summary.isUnchanged = true
    case .commits(let commits, let tag):
      let container = try existing ?? CommitStore.open(store, for: .create)
      summary = try await save(commits, tag: tag, in: container)
      try await container.forgetOldHistory()
    }
    summary.duration = ContinuousClock.now - start
    if let note = summary.note { terminal.note(note) }
    return summary
  }

  private func read(_ container: PersistentContainer?) async throws -> GitHubHistory.Answer {
    let knowledge = try await knowledge(of: container)
    var progress = ProgressLine(terminal)
    defer { progress.clear() }
    return try await history.read(tag: knowledge.tag) { page, count in
      progress.show(count.counted("commit"))
      guard let container, knowledge.reachesBack else { return true }
      return try await !container.performBackgroundTask { try Self.knows(page, in: $0) }
    }
  }

  private func knowledge(of container: PersistentContainer?) async throws -> Knowledge {
    guard let container else { return Knowledge() }
    let (options, page) = (options, history.firstPage.absoluteString)
    return try await container.performBackgroundTask { context in
      guard let source = try Self.source(options, in: context) else { return Knowledge() }
      return Knowledge(
        tag: source.page == page ? source.tag : nil,
        reachesBack: Self.covers(source.since, options.since)
      )
    }
  }

  private func save(
    _ commits: [GitHubCommit],
    tag: String?,
    in container: PersistentContainer
  ) async throws -> ImportSummary {
    let (options, page) = (options, history.firstPage.absoluteString)
    return try await container.performBackgroundTask { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let batches = try ImportBatches(context)
      for commit in commits.reversed() {
        try Interruption.check()
        try batches.add(commit.commit, url: commit.url)
      }
      try batches.save()
      let known = try Self.source(options, in: context)
      let source = known ?? CommitSource(context: context)
      source.address = options.address.absoluteString
      // What was imported before is joined to what is new only where the two meet.
      let isJoined = commits.isEmpty || batches.summary.inserted < commits.count
      source.since = Self.earlier(options.since, isJoined ? known.map { $0.since } : nil)
      source.page = page
      source.tag = tag
      try context.save()
      return batches.summary
    }
  }

  /// Whether everything after a date was imported by an import of everything after another; nil
  /// stands for the beginning.
  private static func covers(_ imported: Date?, _ wanted: Date?) -> Bool {
    guard let imported else { return true }
    return wanted.map { imported <= $0 } ?? false
  }

  /// The date that an import reached back to, nil for the beginning.
  private static func earlier(_ new: Date?, _ known: Date??) -> Date? {
    guard let known else { return new }
    guard let new, let known else { return nil }
    return min(new, known)
  }

  private static func source(
    _ options: GitHubOptions,
    in context: ManagedObjectContext
  ) throws -> CommitSource? {
    let address = options.address.absoluteString
    return try context.first(CommitSource.all.filter(format: "address == %@", address))
  }

  /// Whether every commit of a page is in the store, or was deleted by the user.
  private static func knows(
    _ page: [GitHubCommit],
    in context: ManagedObjectContext
  ) throws -> Bool {
    let shas = Set(page.map(\.commit.sha))
    let deleted = DeletedCommit.all.filter(format: "sha IN %@", Array(shas))
    let wanted = shas.subtracting(try context.fetch(deleted).map(\.sha))
    let stored = Commit.all.filter(format: "sha IN %@", Array(wanted))
    return try context.count(for: stored) == wanted.count
  }
}
