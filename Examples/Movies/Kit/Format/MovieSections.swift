// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// Movies in the order of a list, in sections or in one.
public struct MovieSections: Sendable, Hashable {
  /// Movies under a title.
  public struct Section: Sendable, Hashable {
    /// The member's name, empty in a list without sections.
    public var title: String
    /// The movies.
    public var rows: [MovieRow]

    /// Makes a section.
    public init(title: String, rows: [MovieRow]) {
      self.title = title
      self.rows = rows
    }
  }

  /// The sections, none of which is empty unless it is a member's.
  public var sections: [Section]

  /// One section without a title.
  public init(_ rows: [MovieRow]) {
    sections = [Section(title: "", rows: rows)]
  }

  /// A section for each member, and one for the movies that are nobody's.
  ///
  /// - Parameters:
  ///   - rows: The movies in their order.
  ///   - members: The names in their order.
  public init(_ rows: [MovieRow], byMember members: [String]) {
    var rowsByMember: [String: [MovieRow]] = [:]
    for row in rows {
      for name in row.members { rowsByMember[name, default: []].append(row) }
    }
    sections = members.map { Section(title: $0, rows: rowsByMember[$0] ?? []) }
    let orphans = rows.filter(\.members.isEmpty)
    if !orphans.isEmpty { sections.append(Section(title: Self.nobody, rows: orphans)) }
  }

  /// The title of the movies that are no member's.
  public static let nobody = "(nobody)"

  /// The first place of a movie that is looked for, nil when there is none.
  public func place(where isWanted: (MovieRow) -> Bool) -> LiveFrame.Place? {
    for (number, section) in sections.enumerated() {
      if let row = section.rows.firstIndex(where: isWanted) {
        return LiveFrame.Place(section: number, row: row)
      }
    }
    return nil
  }

  /// The lines of a list for people.
  public func lines(style: Style, width: Int?) -> [String] {
    let hasTitles = sections.contains { !$0.title.isEmpty }
    let shown = sections.filter { !$0.rows.isEmpty }
    let groups = shown.map { section in
      let title = hasTitles ? [style(section.title.escapedForTerminal, .title)] : []
      return title
        + section.rows.map { $0.line(style: style, width: width, showsMembers: !hasTitles) }
    }
    return Array(groups.joined(separator: [""]))
  }
}
