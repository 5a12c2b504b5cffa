// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Perennial

/// Finds, shows and deletes single commits.
struct CommitFinder {
  /// How many commits with the same beginning are listed.
  private static let shownCount = 10

  let context: ManagedObjectContext

  /// The only commit whose id begins with some digits.
  ///
  /// - Throws: ``CommandFailure`` when there is none, or when there are several.
  func commit(_ prefix: CommitPrefix) throws -> Commit {
    let matches = Commit.all.filter(format: "sha BEGINSWITH %@", prefix.digits)
      .sorted(by: \.date, .reverse)
    let found = try context.fetch(matches.limit(Self.shownCount))
    guard let first = found.first else {
      throw CommandFailure(
        "no commit has an id that begins with '\(prefix.digits)'",
        advice: "Run 'commits list' to see the commits, or 'commits import' to add them."
      )
    }
    guard found.count > 1 else { return first }
    let rows = found.map {
      CommitRow($0).line(style: Style(isColored: false), width: 80, zone: .current)
    }
    let count = try context.count(for: matches)
    throw CommandFailure(
      "\(count.counted("commit")) have ids that begin with '\(prefix.digits)'",
      advice: (["Give more digits:"] + rows + (count > found.count ? ["…"] : []))
        .joined(separator: "\n")
    )
  }

  /// The commit with its place among those of its author.
  func detail(_ prefix: CommitPrefix) throws -> CommitDetail {
    let commit = try commit(prefix)
    guard let author = commit.author else {
      return CommitDetail(commit: CommitRow(commit), email: "", position: 0, count: 0)
    }
    return CommitDetail(
      commit: CommitRow(commit),
      email: author.email,
      position: try position(of: commit, by: author),
      count: author.commits.count
    )
  }

  /// The commit's place in the list of its author: the newer ones count, and those of the same
  /// second that the list shows above it.
  private func position(of commit: Commit, by author: Author) throws -> Int {
    let written = Commit.all.filter(format: "author == %@", author.objectID)
    let newer = written.filter(FetchPredicate(format: "date > %@", commit.date))
    let simultaneous = written.filter(FetchPredicate(format: "date == %@", commit.date))
      .sorted(by: \.date, .reverse)
    let above = try context.fetch(simultaneous).prefix { $0 !== commit }
    return try context.count(for: newer) + above.count + 1
  }

  /// Deletes the commit and remembers that, in one save.
  ///
  /// - Returns: What was deleted.
  func delete(_ prefix: CommitPrefix) throws -> CommitRow {
    try context.persist {
      let commit = try commit(prefix)
      let row = CommitRow(commit)
      _ = try context.findOrInsert(DeletedCommit.self, where: \.sha, equals: row.sha)
      context.delete(commit)
      return row
    }
  }
}
