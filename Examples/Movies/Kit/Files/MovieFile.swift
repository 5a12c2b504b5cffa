// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation

/// The file that `export` writes and `import` reads.
///
/// ```json
/// {
///   "family": ["Ann", "Ben"],
///   "movies": [{"title": "The Lantern Keeper", "popularity": 31.407, "familyMembers": ["Ann"]}]
/// }
/// ```
public struct MovieFile: Sendable, Hashable {
  /// What stands for standard input, or standard output, in the place of a path.
  public static let standardStream = "-"

  /// The names of the family in alphabetical order.
  public var family: [String]
  /// The movies by title.
  public var movies: [MovieRow]

  /// Makes the content of a file.
  public init(family: [String], movies: [MovieRow]) {
    self.family = family
    self.movies = movies
  }

  /// Writes the file as ``FileWriter/write(_:toFile:)`` does: in one step.
  ///
  /// - Throws: ``CommandFailure`` when it cannot be written.
  public func write(to path: String) throws(CommandFailure) {
    do {
      try FileWriter.write(text, toFile: path)
    } catch {
      throw CommandFailure(
        "the file '\(path.escapedForTerminal)' cannot be written",
        advice: "Check that its folder exists and may be written, and the disk space."
      )
    }
  }

  /// The content: one line for each member and each movie.
  public var text: String {
    let members = family.map { "    \(JSONValue.string($0).text)" }
    let rows = movies.map { "    \($0.json.text)" }
    return """
      {
        "family": \(Self.list(members)),
        "movies": \(Self.list(rows))
      }

      """
  }

  private static func list(_ lines: [String]) -> String {
    lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n  ]"
  }
}

extension MovieFile {
  private struct Content: Decodable {
    struct Movie: Decodable {
      var title: String
      var popularity: Double?
      var familyMembers: [String]?
    }

    var family: [String]?
    var movies: [Movie]
  }

  /// Reads a file, or standard input.
  ///
  /// Members of movies need not stand in the family's list.
  ///
  /// - Throws: ``CommandFailure`` when there is no such file, or when its content is not as it
  ///   should be.
  public init(path: String) throws(CommandFailure) {
    let data: Data
    do {
      data =
        try path == Self.standardStream
        ? FileHandle.standardInput.readToEnd() ?? Data()
        : Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw CommandFailure(
        "the file '\(path.escapedForTerminal)' cannot be read",
        advice: "Give the path of a file that 'movies export' has written."
      )
    }
    do {
      try self.init(JSONDecoder().decode(Content.self, from: data))
    } catch let error as DecodingError {
      throw Self.failure(path, error.mistake)
    } catch {
      throw Self.failure(path, (error as? EmptyText).map { "\($0.place) is empty" })
    }
  }

  private init(_ content: Content) throws {
    movies = content.movies.map { movie in
      MovieRow(
        title: movie.title.precomposedStringWithCanonicalMapping,
        popularity: movie.popularity,
        members: (movie.familyMembers ?? []).map(\.precomposedStringWithCanonicalMapping)
      )
    }
    family = (content.family ?? []).map(\.precomposedStringWithCanonicalMapping)
    for (index, movie) in movies.enumerated() where movie.title.isBlank {
      throw EmptyText(place: "movies[\(index)].title")
    }
    for name in family + movies.flatMap(\.members) where name.isBlank {
      throw EmptyText(place: "a name")
    }
  }

  private static func failure(_ path: String, _ mistake: String?) -> CommandFailure {
    CommandFailure(
      "the file '\(path.escapedForTerminal)' is not a file of movies"
        + (mistake.map { ": \($0.escapedForTerminal)" } ?? ""),
      advice: "Correct it, or give a file that 'movies export' has written."
    )
  }
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

/// A text is empty that must not be.
private struct EmptyText: Error {
  var place: String
}

extension DecodingError {
  /// Where the mistake is and what it is, such as `movies[3].title is missing`.
  fileprivate var mistake: String {
    switch self {
    case .keyNotFound(let key, let context):
      "\((context.codingPath + [key]).shown) is missing"
    case .typeMismatch(_, let context):
      "\(context.codingPath.shown) has another type"
    case .valueNotFound(_, let context):
      "\(context.codingPath.shown) is null"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is not JSON" : "\(context.codingPath.shown) has a value that cannot be read"
    @unknown default: "it is not JSON"
    }
  }
}

extension [any CodingKey] {
  fileprivate var shown: String {
    let path = reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path.isEmpty ? "the whole" : path
  }
}
