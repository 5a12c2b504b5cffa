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
  /// The least that is shown of an author and of a title before another column is left out.
  private static let leastWidth = 8
  private static let gap = 2

  /// The members of a commit in JSON: sha, message, url, date (UTC) and author (or null).
  public var json: JSONValue {
    [
      "sha": .string(sha), "message": .string(message), "url": .string(url),
      "date": .date(date), "author": .optional(author),
    ]
  }

  /// One line of a list: id, date, author and the first line of the message.
  ///
  /// In a narrow terminal the author is cut, then left out, and then the date, too.
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
    var columns = [style(id, .identifier)]
    var room = (width ?? .max) - id.count - Self.gap
    func spare(_ column: Int) -> Int { room - column - Self.gap - Self.leastWidth }
    let hasRoomForDay = spare(day.count) >= 0
    if hasRoomForDay {
      columns.append(style(day, .secondary))
      room -= day.count + Self.gap
    }
    let authorWidth = min(Self.authorWidth, spare(0))
    if showsAuthor, hasRoomForDay, authorWidth >= Self.leastWidth {
      let name = shownAuthor.truncated(toWidth: authorWidth).padded(toWidth: authorWidth)
      columns.append(style(name, .name))
      room -= authorWidth + Self.gap
    }
    columns.append(title.truncated(toWidth: room))
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
