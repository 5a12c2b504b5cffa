// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Foundation
import Perennial

extension Statistics {
  /// The statistics of a store.
  ///
  /// No commit is loaded but the newest and the oldest.
  init(_ context: ManagedObjectContext) throws {
    let counts = try context.fetch(Author.all).map {
      AuthorCount(name: $0.name, commits: $0.commits.count)
    }
    self.init(
      commits: try context.count(for: Commit.all),
      authors: counts.count,
      deleted: try context.count(for: DeletedCommit.all),
      oldest: try context.first(Commit.sorted(by: \.date))?.date,
      newest: try context.first(Commit.sorted(by: \.date, .reverse))?.date,
      topAuthors: Self.top(counts)
    )
  }
}
