// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// Looks popularities up at The Movie Database (TMDB).
public struct MovieLookup: Sendable {
  /// The answer of "search movie", as far as it is read.
  private struct Answer: Decodable {
    struct Movie: Decodable { var popularity: Double? }
    var results: [Movie]
  }

  private let baseURL: URL
  private let key: String
  private let client: HTTPClient
  private let zone: TimeZone

  /// Makes a lookup, nil without a key.
  public init?(
    _ options: LookupOptions,
    client: HTTPClient = HTTPClient(userAgent: "perennial-movies"),
    zone: TimeZone = .current
  ) {
    guard let key = options.key else { return nil }
    self.baseURL = options.baseURL
    self.key = key
    self.client = client
    self.zone = zone
  }

  /// What is said once when there is no key.
  public static let noKey = CommandFailure(
    "TMDB_API_KEY is not set, so popularities cannot be looked up",
    advice: "Get a key at themoviedb.org, and put it into that environment variable."
  )

  /// Looks up the popularity of the first movie that a search for a title finds.
  ///
  /// - Parameter title: The title; any characters.
  /// - Returns: How that ended.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func lookUp(_ title: String) async throws -> LookupOutcome {
    let answer: HTTPAnswer
    do {
      answer = try await client.get(address(of: title))
    } catch let failure as CommandFailure {
      return .failed(failure, endsWork: false)
    }
    if answer.isRateLimited {
      let failure = CommandFailure.rateLimit(server, until: answer.retryDate(), zone: zone)
      return .failed(failure, endsWork: true)
    }
    guard answer.status == 200 else {
      return .failed(failure(of: answer), endsWork: answer.status < 500)
    }
    guard let found = try? JSONDecoder().decode(Answer.self, from: answer.body) else {
      let failure = CommandFailure(
        "the answer of '\(server)' is not a search result",
        advice: "Check '--base-url'; the address must be that of TMDB's API."
      )
      return .failed(failure, endsWork: false)
    }
    return found.results.first?.popularity.map { .found($0) } ?? .unknown
  }

  /// The address of a search.
  func address(of title: String) -> URL {
    let url = baseURL.appendingPathComponent("3/search/movie")
    var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
    components?.queryItems = [
      URLQueryItem(name: "query", value: title), URLQueryItem(name: "api_key", value: key),
    ]
    // A server reads a plain plus sign as a space.
    let query = components?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
    components?.percentEncodedQuery = query
    return components?.url ?? url
  }

  private var server: String { baseURL.shownServer }

  private func failure(of answer: HTTPAnswer) -> CommandFailure {
    switch answer.status {
    case 401:
      CommandFailure(
        "'\(server)' does not accept the key",
        advice: "Check the environment variable TMDB_API_KEY."
      )
    case 500...:
      CommandFailure(
        "'\(server)' has a problem of its own (status \(answer.status))",
        advice: "Try again later.",
        status: .tryLater
      )
    default:
      CommandFailure(
        "'\(server)' refuses the request (status \(answer.status))",
        advice: "Check '--base-url' and the environment variable TMDB_API_KEY."
      )
    }
  }
}
