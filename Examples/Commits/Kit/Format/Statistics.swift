// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// What `commits stats` tells about a store.
public struct Statistics: Sendable, Hashable {
  /// An author and the number of their commits.
  public struct AuthorCount: Sendable, Hashable {
    let name: String
    let commits: Int

    /// Makes a count.
    public init(name: String, commits: Int) {
      self.name = name
      self.commits = commits
    }
  }

  /// How many authors are listed.
  static let topCount = 10

  /// The number of commits.
  public var commits: Int
  /// The number of authors.
  public var authors: Int
  /// The number of commits that the user deleted.
  public var deleted: Int
  /// The date of the oldest commit, nil without commits.
  public var oldest: Date?
  /// The date of the newest commit, nil without commits.
  public var newest: Date?
  /// The authors with the most commits, in this order.
  public var topAuthors: [AuthorCount]

  /// Makes statistics.
  public init(
    commits: Int,
    authors: Int,
    deleted: Int,
    oldest: Date?,
    newest: Date?,
    topAuthors: [AuthorCount]
  ) {
    self.commits = commits
    self.authors = authors
    self.deleted = deleted
    self.oldest = oldest
    self.newest = newest
    self.topAuthors = topAuthors
  }
}

extension Statistics {
  /// The authors with the most commits, those with equally many by name; none without commits.
  public static func top(_ counts: [AuthorCount]) -> [AuthorCount] {
    let sorted = counts.filter { $0.commits > 0 }.sorted {
      ($1.commits, $0.name) < ($0.commits, $1.name)
    }
    return Array(sorted.prefix(topCount))
  }

  /// The lines for people.
  public func lines(style: Style, zone: TimeZone) -> [String] {
    var lines = ["\(commits.counted("commit")), \(authors.counted("author"))"]
    if deleted > 0 { lines[0] += ", \(deleted.grouped) deleted" }
    if let newest { lines.append("newest  \(newest.dayAndMinute(in: zone))") }
    if let oldest { lines.append("oldest  \(oldest.dayAndMinute(in: zone))") }
    guard let most = topAuthors.first else { return lines }
    let width = most.commits.grouped.count
    lines += ["", style("Most commits", .title)]
    for author in topAuthors {
      let count = author.commits.grouped
      let padding = String(repeating: " ", count: width - count.count)
      lines.append("\(padding)\(count)  \(style(author.name.escapedForTerminal, .name))")
    }
    return lines
  }

  /// The members commits, authors, deleted, oldest, newest and topAuthors.
  public var json: JSONValue {
    [
      "commits": .integer(commits), "authors": .integer(authors), "deleted": .integer(deleted),
      "oldest": oldest.map(JSONValue.date) ?? .null,
      "newest": newest.map(JSONValue.date) ?? .null,
      "topAuthors": .array(
        topAuthors.map { ["name": .string($0.name), "commits": .integer($0.commits)] }
      ),
    ]
  }
}
