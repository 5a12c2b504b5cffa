// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Foundation
import Perennial

/// Gathers commits and saves them a thousand at a time.
///
/// Invariant: every commit that was added is in `waiting`, in the store or deleted by the user.
final class ImportBatches {
  private static let batchSize = 1_000

  private let context: ManagedObjectContext
  /// What the user had deleted when the import began.
  private let deleted: Set<String>
  private var waiting: [(commit: GitCommit, url: String)] = []
  /// The names in bytes, as the store compares them.
  private var names: Set<Data> = []
  private(set) var summary = ImportSummary()

  init(_ context: ManagedObjectContext) throws {
    self.context = context
    deleted = Set(try context.fetch(DeletedCommit.all).map(\.sha))
  }

  func add(_ commit: GitCommit, url: String) throws {
    summary.commits += 1
    if let name = commit.authorName, names.insert(Data(name.utf8)).inserted { summary.authors += 1 }
    guard !deleted.contains(commit.sha) else {
      summary.skipped += 1
      return
    }
    waiting.append((commit, url))
    if waiting.count == Self.batchSize { try save() }
  }

  func save() throws {
    let authors = try authors(of: waiting.map(\.commit))
    let commits = try context.upsert(
      Commit.self,
      from: zip(waiting, authors),
      matching: \.sha,
      \.0.commit.sha
    ) { commit, entry in
      commit.message = entry.0.commit.message
      commit.url = entry.0.url
      commit.date = entry.0.commit.date
      commit.author = entry.1
    }
    try leaveOutDeleted(commits)
    waiting = []
    let changed = Set(commits)
    summary.inserted += changed.count { $0.isInserted }
    summary.updated += changed.count { $0.isUpdated }
    if context.hasChanges { try context.save() }
  }

  /// Drops what the user has deleted since the import began.
  ///
  /// It comes after the search for the commits: if one was missing because the user had deleted it, what remains of
  /// it is found now.
  private func leaveOutDeleted(_ commits: [Commit]) throws {
    let shas = waiting.map(\.commit.sha)
    let remains = DeletedCommit.all.filter(format: "sha IN %@", shas)
    let found = Set(try context.fetch(remains).map(\.sha))
    for (commit, sha) in zip(commits, shas) where found.contains(sha) {
      context.delete(commit)
      summary.skipped += 1
    }
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
    return commits.map { $0.authorName == nil ? nil : found.popFirst() }
  }
}

extension GitCommit {
  /// The author's name, empty when there is none.
  fileprivate var nameText: String { authorName ?? "" }
}
