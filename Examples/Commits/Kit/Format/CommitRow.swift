// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// What is shown of a commit, as a value that may leave its context.
public struct CommitRow: Sendable, Hashable {
  /// The commit's id.
  public var sha: String
  /// The message.
  public var message: String
  /// The address of the commit's page, empty when there is none.
  public var url: String
  /// The committer's date.
  public var date: Date
  /// The author's name, nil when the commit has none.
  public var author: String?

  /// Makes a row.
  public init(sha: String, message: String, url: String, date: Date, author: String?) {
    self.sha = sha
    self.message = message
    self.url = url
    self.date = date
    self.author = author
  }
}

extension CommitRow {
  /// How many digits of an id a list shows.
  static let shortIDLength = 8
  private static let authorWidth = 20

  /// The members of a commit in JSON: sha, message, url, date (UTC) and author (or null).
  public var json: JSONValue {
    [
      "sha": .string(sha), "message": .string(message), "url": .string(url),
      "date": .date(date), "author": .optional(author),
    ]
  }

  /// One line of a list: id, date, author and the first line of the message.
  ///
  /// - Parameters:
  ///   - style: The colours.
  ///   - width: The columns of the terminal, nil for a line of any length.
  ///   - zone: The time zone of the date.
  ///   - showsAuthor: Whether the author has a column.
  /// - Returns: The line, without line break and without control characters of the commit's texts.
  public func line(
    style: Style,
    width: Int?,
    zone: TimeZone,
    showsAuthor: Bool = true
  ) -> String {
    let id = String(sha.prefix(Self.shortIDLength)).escapedForTerminal
    let day = date.dayAndMinute(in: zone)
    var columns = [style(id, .identifier), style(day, .secondary)]
    var used = id.count + day.count + 4
    if showsAuthor {
      let name = shownAuthor.truncated(toWidth: Self.authorWidth).padded(toWidth: Self.authorWidth)
      columns.append(style(name, .name))
      used += Self.authorWidth + 2
    }
    columns.append(width.map { title.truncated(toWidth: max(10, $0 - used)) } ?? title)
    return columns.joined(separator: "  ")
  }

  /// The author's name for people, `(no name)` when there is none.
  public var shownAuthor: String { author?.escapedForTerminal ?? Self.noName }

  /// What stands for the name of an author whom a commit does not name.
  public static let noName = "(no name)"

  /// The first line of the message for people, `(no message)` when it is empty.
  public var title: String {
    // The beginning is enough: a message may be a megabyte.
    let first = message.prefix(2_000).split(whereSeparator: \.isNewline).first
    return first.map { String($0).escapedForTerminal } ?? "(no message)"
  }
}
