// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What is shown of a member of the family.
public struct MemberRow: Sendable, Hashable {
  /// The name.
  public var name: String
  /// How many favourite movies the member has.
  public var movies: Int

  /// Makes a row.
  public init(name: String, movies: Int) {
    self.name = name
    self.movies = movies
  }

  /// One line: `Ann  3 movies`.
  public func line(style: Style) -> String {
    "\(style(name.escapedForTerminal, .name))  \(style(movies.counted("movie"), .secondary))"
  }

  /// The members name and movies, a number.
  public var json: JSONValue {
    ["name": .string(name), "movies": .integer(movies)]
  }
}
