// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

// The model of the commits tutorial, and the server's answer.

@Managed final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var url: String
  @Indexed var date: Date
  var author: Author?

  /// The tutorial prints "Init called!" here, and counts the lines.
  required init(_seed seed: ObjectSeed) {
    BirthCounter.current?.note()
    super.init(_seed: seed)
  }

  /// A new commit about which not much is known.
  @discardableResult
  static func add(_ sha: String, at date: Date, to context: ManagedObjectContext) -> Commit {
    let commit = Commit(context: context)
    commit.sha = sha
    commit.message = "Message"
    commit.url = ""
    commit.date = date
    return commit
  }

  static func createFetchRequest() -> FetchRequest<Commit> {
    FetchRequest<Commit>(entityName: "Commit")
  }
}

@Managed final class Author: ManagedObject {
  @Indexed var name: String
  var email: String
  var commits: ToMany<Commit>

  static func createFetchRequest() -> FetchRequest<Author> {
    FetchRequest<Author>(entityName: "Author")
  }
}

/// What remains of a commit that the user has deleted.
@Managed final class DeletedCommit: ManagedObject {
  @Unique var sha: String
}

/// A commit as the server sends it.
struct ServerCommit: Sendable {
  var sha: String
  var message: String
  var date: Date
  var author: String
}
