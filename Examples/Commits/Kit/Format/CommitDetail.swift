// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// A commit with what is known about its author.
public struct CommitDetail: Sendable, Hashable {
  /// The commit.
  public var commit: CommitRow
  /// The author's e-mail address, empty when there is none.
  public var email: String
  /// The commit's place among those of its author, 1 for the newest; 0 without an author.
  public var position: Int
  /// The number of the author's commits; 0 without an author.
  public var count: Int

  /// Makes a detail.
  public init(commit: CommitRow, email: String, position: Int, count: Int) {
    self.commit = commit
    self.email = email
    self.position = position
    self.count = count
  }
}

extension CommitDetail {
  /// The lines for people.
  public func lines(style: Style, zone: TimeZone) -> [String] {
    let address = email.isEmpty ? "" : " <\(email.escapedForTerminal)>"
    var lines = [
      "\(style("commit", .secondary)) \(style(commit.sha.escapedForTerminal, .identifier))",
      "\(style("author", .secondary)) \(style(commit.shownAuthor, .name))\(address)",
      "\(style("date", .secondary))   \(commit.date.dayAndMinute(in: zone))",
    ]
    if !commit.url.isEmpty {
      lines.append("\(style("url", .secondary))    \(commit.url.escapedForTerminal)")
    }
    if count > 0 {
      lines.append("Commit \(position.grouped)/\(count.grouped) by this author")
    }
    lines.append("")
    let message = commit.message.isEmpty ? ["(no message)"] : commit.message.linesEscapedForTerminal
    return lines + message.map { $0.isEmpty ? "" : "    \($0)" }
  }

  /// The members of the commit, and email, position and count.
  public var json: JSONValue {
    guard case .object(let members) = commit.json else { return commit.json }
    let more: JSONValue = [
      "email": .string(email), "position": .integer(position), "count": .integer(count),
    ]
    guard case .object(let added) = more else { return commit.json }
    return .object(members + added)
  }
}
