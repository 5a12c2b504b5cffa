// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What is shown of a movie, as a value that may leave its context.
public struct MovieRow: Sendable, Hashable {
  /// The title.
  public var title: String
  /// The popularity, nil when it is not known.
  public var popularity: Double?
  /// The names of the members whose favourite it is, in alphabetical order.
  public var members: [String]

  /// Makes a row.
  public init(title: String, popularity: Double?, members: [String]) {
    self.title = title
    self.popularity = popularity
    self.members = members
  }
}

extension MovieRow {
  private static let popularityWidth = 8

  /// The members title, popularity (or null) and familyMembers.
  public var json: JSONValue {
    [
      "title": .string(title), "popularity": popularity.map(JSONValue.number) ?? .null,
      "familyMembers": .array(members.map(JSONValue.string)),
    ]
  }

  /// One line of a list: popularity, title and, if wanted, the members.
  ///
  /// - Parameters:
  ///   - style: The colours.
  ///   - width: The columns of the terminal, nil for a line of any length.
  ///   - showsMembers: Whether the members have a column.
  /// - Returns: The line, without line break and without control characters of the texts.
  public func line(style: Style, width: Int?, showsMembers: Bool = true) -> String {
    let number = shownPopularity
    let padding = String(repeating: " ", count: max(0, Self.popularityWidth - number.displayWidth))
    let names = showsMembers ? members.map(\.escapedForTerminal).joined(separator: ", ") : ""
    let space = width.map { max(10, $0 - Self.popularityWidth - 2) }
    let shownTitle =
      space.map { title.escapedForTerminal.truncated(toWidth: $0) }
      ?? title.escapedForTerminal
    let line = "\(padding)\(style(number, .identifier))  \(shownTitle)"
    let rest = space.map { $0 - shownTitle.displayWidth - 3 } ?? .max
    guard !names.isEmpty, rest >= 4 else { return line }
    return "\(line)  \(style("(\(names.truncated(toWidth: rest - 1)))", .secondary))"
  }

  /// The popularity with one digit after the point, `…` when it is not known.
  public var shownPopularity: String { popularity?.tenths ?? "…" }
}

extension Double {
  /// The number rounded to tenths, such as `31.4`; a very large one in the shortest form.
  fileprivate var tenths: String {
    guard magnitude < 1e15 else { return String(self) }
    let tenths = Int((magnitude * 10).rounded())
    let sign = self < 0 && tenths > 0 ? "-" : ""
    return "\(sign)\(tenths / 10).\(tenths % 10)"
  }
}
