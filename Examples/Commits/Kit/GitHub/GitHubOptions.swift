// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
public import Foundation

/// What an import from GitHub asks for.
public struct GitHubOptions: Sendable, Hashable {
  /// GitHub's own API.
  public static let publicURL = URL(string: "https://api.github.com") ?? URL(fileURLWithPath: "/")

  /// The repository.
  public var repository: GitHubRepository
  /// The beginning of all addresses: GitHub's own API, or that of an Enterprise server.
  public var baseURL = GitHubOptions.publicURL
  /// Shows the server who asks, nil for anybody.
  public var token: AccessToken?
  /// Only commits after this date, nil for all.
  public var since: Date?

  /// The options of an import of everything by anybody.
  public init(_ repository: GitHubRepository) {
    self.repository = repository
  }

  /// The address of the repository's commits.
  public var address: URL {
    baseURL.appendingPathComponent("repos/\(repository.name)/commits")
  }

  /// The address of the first page.
  var firstPage: URL {
    var components = URLComponents(url: address, resolvingAgainstBaseURL: false)
    var items = [URLQueryItem(name: "per_page", value: "100")]
    if let since { items.append(URLQueryItem(name: "since", value: since.iso8601)) }
    components?.queryItems = items
    return components?.url ?? address
  }
}

extension GitHubOptions {
  /// Reads the options of `import --github`.
  ///
  /// - Throws: ``CommandFailure`` when they contradict each other or the token is missing.
  init(
    _ repository: GitHubRepository,
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws(CommandFailure) {
    self.init(repository)
    if let url = arguments[CommitsTool.baseURL] { baseURL = url }
    since = arguments[CommitsTool.since]
    if let name = arguments[CommitsTool.tokenVariable] {
      token = try AccessToken(variable: name, environment: environment)
      guard baseURL.scheme == "https" || baseURL.isOnThisMachine else {
        throw .usage(
          "a token must not be sent to '\(baseURL.shownServer)' in clear text",
          "Give an address that begins with https, or leave '--token-env' out."
        )
      }
    } else if baseURL.isOnSameServer(as: Self.publicURL) {
      // The names that GitHub's own programs know; other servers get no token without being named.
      let names = ["GH_TOKEN", "GITHUB_TOKEN"]
      guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else { return }
      token = try AccessToken(variable: name, environment: environment)
    }
  }
}
