// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A commit of the history.
@Managed final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  /// The address of the commit's page, empty when there is none.
  var url: String
  /// The committer's date.
  @Indexed var date: Date
  /// Nil when the commit names nobody.
  var author: Author?
}

/// Somebody who wrote commits.
///
/// Two people with one name are one author. The index is the tutorial's; the constraint settles
/// two imports that meet a new author at the same time.
@Managed final class Author: ManagedObject {
  @Unique @Indexed var name: String
  /// The first address that was seen, empty when there was none.
  var email: String
  @Relationship(deleteRule: .nullify) var commits: ToMany<Commit>
}

/// What remains of a commit that the user deleted, so that no import brings it back.
@Managed final class DeletedCommit: ManagedObject {
  @Unique var sha: String
}

/// A repository at GitHub that was imported to the end.
@Managed final class CommitSource: ManagedObject {
  /// The address of its commits.
  @Unique var address: String
  /// Only commits after this date were asked for; nil when all were.
  var since: Date?
  /// The address of the first page at the last import, and the page's tag.
  var page: String
  var tag: String?
}
