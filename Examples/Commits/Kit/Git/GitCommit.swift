// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// A commit as `git log` tells it.
public struct GitCommit: Sendable, Hashable {
  /// The commit's id: 40 hexadecimal digits, 64 in a SHA-256 repository.
  public var sha: String
  /// The name of the author, nil when the commit has none.
  public var authorName: String?
  /// The e-mail address of the author, empty when the commit has none.
  public var authorEmail: String
  /// The committer's date, in whole seconds.
  public var date: Date
  /// The message without line breaks at its end.
  ///
  /// Bytes that are not UTF-8 are U+FFFD.
  public var message: String

  /// Makes a commit.
  public init(
    sha: String,
    authorName: String?,
    authorEmail: String,
    date: Date,
    message: String
  ) {
    self.sha = sha
    self.authorName = authorName
    self.authorEmail = authorEmail
    self.date = date
    self.message = message
  }
}
