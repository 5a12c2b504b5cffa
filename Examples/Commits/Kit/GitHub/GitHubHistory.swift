// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// Reads the commits of a repository from GitHub, page by page.
public struct GitHubHistory: Sendable {
  /// What was read.
  public enum Answer: Sendable {
    /// The first page is the one whose tag was given: there is nothing new.
    case unchanged
    /// Commits, newest first, and the tag of the first page, nil without one.
    case commits([GitHubCommit], tag: String?)
  }

  private let options: GitHubOptions
  private let client: HTTPClient
  private let zone: TimeZone

  /// Makes a reader.
  public init(
    _ options: GitHubOptions,
    client: HTTPClient = HTTPClient(userAgent: "perennial-commits"),
    zone: TimeZone = .current
  ) {
    self.options = options
    self.client = client
    self.zone = zone
  }

  /// The address of the first page, which its tag belongs to.
  public var firstPage: URL { options.firstPage }

  /// Reads pages until there is no next one, or until one holds only commits that are known.
  ///
  /// - Parameters:
  ///   - tag: The tag of the first page when it was read last, nil to read it in any case.
  ///   - onPage: Called with every page and the number of commits so far; says whether to go on.
  /// - Returns: All commits, without repetitions.
  /// - Throws: ``CommandFailure``; whatever `onPage` throws; `CancellationError` when the task is
  ///   cancelled.
  public func read(
    tag: String? = nil,
    onPage: (_ page: [GitHubCommit], _ count: Int) async throws -> Bool
  ) async throws -> Answer {
    var commits: [GitHubCommit] = []
    var seen: Set<String> = []
    var visited: Set<URL> = []
    var newTag: String?
    var next: URL? = firstPage
    while let url = next {
      guard visited.insert(url).inserted else { throw options.endlessPages }
      let isFirst = visited.count == 1
      let answer = try await client.get(url, fields: fields(tag: isFirst ? tag : nil))
      if isFirst, tag != nil, answer.status == 304 { return .unchanged }
      if isFirst { newTag = answer[field: "ETag"] }
      let page = try page(in: answer)
      // A commit pushed meanwhile moves others to the next page, where they come again.
      commits += page.filter { seen.insert($0.commit.sha).inserted }
      guard try await onPage(page, commits.count) else { break }
      next = try nextPage(after: url, answer)
    }
    return .commits(commits, tag: newTag)
  }

  private func fields(tag: String?) -> [String: String] {
    var fields = ["Accept": "application/vnd.github+json"]
    if let tag { fields["If-None-Match"] = tag }
    if let token = options.token { fields["Authorization"] = "Bearer \(token.text)" }
    return fields
  }

  private func page(in answer: HTTPAnswer) throws -> [GitHubCommit] {
    switch answer.status {
    case 200:
      guard let page = try? JSONDecoder().decode([GitHubCommit].self, from: answer.body) else {
        throw options.noCommits
      }
      return page
    // A repository without commits.
    case 409: return []
    default: throw options.failure(of: answer, zone: zone)
    }
  }

  private func nextPage(after url: URL, _ answer: HTTPAnswer) throws -> URL? {
    guard let next = answer.links["next"] else { return nil }
    // The token must not go to another server.
    guard next.isOnSameServer(as: url) else { throw options.foreignPage(next) }
    return next
  }
}
