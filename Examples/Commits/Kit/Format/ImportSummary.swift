// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What an import did.
public struct ImportSummary: Sendable, Hashable {
  /// The commits that were read: those that `HEAD` reaches.
  public var commits = 0
  /// The different authors of these commits.
  public var authors = 0
  /// The commits that are new in the store.
  public var inserted = 0
  /// The commits of the store that were changed.
  public var updated = 0
  /// The commits that were left out because the user deleted them.
  public var skipped = 0
  /// Whether nothing was read because nothing is new.
  public var isUnchanged = false
  /// How long it took.
  public var duration: Duration = .zero

  /// The summary of an import that has read nothing yet.
  public init() {}

  /// One line for people: `11,308 commits, 231 authors in 0.9 s`.
  public var line: String {
    "\(commits.counted("commit")), \(authors.counted("author")) in \(duration.roundedSeconds)"
  }

  /// What is worth a note, nil for an ordinary import.
  public var note: String? {
    if isUnchanged { return "Nothing has changed since the last import." }
    guard skipped > 0 else { return nil }
    return "\(skipped.counted("deleted commit")) left out"
  }

  /// The members commits, authors, inserted, updated and seconds.
  public var json: JSONValue {
    [
      "commits": .integer(commits), "authors": .integer(authors),
      "inserted": .integer(inserted), "updated": .integer(updated),
      "seconds": .number((duration.seconds * 1_000).rounded() / 1_000),
    ]
  }
}
