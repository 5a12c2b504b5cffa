// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What an import of a file did.
public struct FileSummary: Sendable, Hashable {
  /// The members of the family in the file.
  public var members: Int
  /// Those of them that are new.
  public var newMembers: Int
  /// The movies in the file.
  public var movies: Int
  /// Those of them that are new.
  public var newMovies: Int

  /// Makes a summary.
  public init(members: Int, newMembers: Int, movies: Int, newMovies: Int) {
    self.members = members
    self.newMembers = newMembers
    self.movies = movies
    self.newMovies = newMovies
  }

  /// One line for people: `12 movies (5 new), 3 members (1 new)`.
  public var line: String {
    "\(movies.counted("movie")) (\(newMovies.grouped) new), "
      + "\(members.counted("member")) (\(newMembers.grouped) new)"
  }

  /// The members movies, newMovies, members and newMembers.
  public var json: JSONValue {
    [
      "movies": .integer(movies), "newMovies": .integer(newMovies),
      "members": .integer(members), "newMembers": .integer(newMembers),
    ]
  }
}
