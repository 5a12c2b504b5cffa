// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting

/// A temporary folder with the program `movies` in it, which is removed with the value.
final class TestHome: Sendable {
  let folder: URL
  let program: Program

  /// Makes a folder.
  ///
  /// - Parameter key: The user's key for TMDB, nil for none.
  /// - Throws: The error of the file system.
  init(key: String? = "secret") throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("movies-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = folder.path
    environment["XDG_DATA_HOME"] = folder.path
    environment["TZ"] = "Asia/Tokyo"
    environment["TERM"] = "xterm"
    environment["NO_COLOR"] = nil
    environment["TMDB_API_KEY"] = key
    program = .built("movies", in: folder, environment: environment)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The file of the store.
  var store: URL { folder.appendingPathComponent("movies/movies.sqlite") }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  /// Runs the program, which must not fail.
  @discardableResult
  func run(_ arguments: String...) async throws -> Program.Result {
    let result = try await program.run(arguments)
    guard result.status == 0 else { throw UnexpectedFailure(description: result.errors) }
    return result
  }

  /// All movies, as the program lists them.
  func movies(_ arguments: String...) async throws -> [PrintedMovie] {
    let result = try await program.run(["list", "--json"] + arguments)
    guard result.status == 0 else { throw UnexpectedFailure(description: result.errors) }
    return try result.decoded()
  }

  struct UnexpectedFailure: Error, CustomStringConvertible {
    var description: String
  }
}

/// A movie as `movies list --json` prints it.
struct PrintedMovie: Codable, Hashable {
  var title: String
  var popularity: Double?
  var familyMembers: [String]

  init(_ title: String, _ popularity: Double? = nil, _ members: String...) {
    self.title = title
    self.popularity = popularity
    familyMembers = members
  }
}

/// What a loopback server knows of movies: the popularity by title.
enum ServedMovies {
  /// Starts a server that answers searches as TMDB would.
  ///
  /// - Parameters:
  ///   - popularities: What it knows; a search for anything else finds nothing.
  ///   - gate: Holds back every answer, nil for none.
  /// - Returns: The server.
  /// - Throws: `POSIXError` when there is no port.
  static func start(
    _ popularities: [String: Double],
    gate: LoopbackGate? = nil
  ) throws -> LoopbackServer {
    try LoopbackServer { request in
      guard request.path == "/3/search/movie", request[query: "api_key"] == "secret" else {
        return LoopbackAnswer(401, text: #"{"status_code": 7}"#)
      }
      let found = request[query: "query"].flatMap { popularities[$0] }
      let results = found.map { "{\"title\": \"x\", \"popularity\": \($0)}" } ?? ""
      let answer = LoopbackAnswer(text: "{\"page\": 1, \"results\": [\(results)]}")
      return gate.map { answer.held(by: $0) } ?? answer
    }
  }
}
