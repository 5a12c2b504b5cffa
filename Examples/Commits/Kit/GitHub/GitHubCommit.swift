// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

/// A commit as GitHub's REST API tells it.
public struct GitHubCommit: Sendable, Hashable {
  /// The commit, with the meaning of its fields as `git log` has them.
  public let commit: GitCommit
  /// The address of the commit's page, empty when there is none.
  public let url: String
}

extension GitHubCommit: Decodable {
  private struct Answer: Decodable {
    struct Details: Decodable {
      var author: Person?
      var committer: Person?
      var message: String
    }

    struct Person: Decodable {
      var name: String?
      var email: String?
      var date: String?
    }

    // The objects `author` and `committer` beside `commit` are accounts, null when GitHub knows none.
    var sha: String
    var commit: Details
    var page: String?

    enum CodingKeys: String, CodingKey {
      case sha
      case commit
      case page = "html_url"
    }
  }

  /// Reads a commit of "list commits".
  ///
  /// Persons may be null. A commit without a date counts as 1970, as `git log` shows it; one that
  /// cannot be read is an error.
  public init(from decoder: any Decoder) throws {
    let answer = try Answer(from: decoder)
    let details = answer.commit
    func damaged(_ field: String) -> DecodingError {
      .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: field))
    }
    guard [40, 64].contains(answer.sha.utf8.count), answer.sha.allSatisfy(\.isHexDigit) else {
      throw damaged("sha")
    }
    let name = details.author?.name ?? ""
    let written = details.committer?.date ?? details.author?.date
    guard let date = written.map({ Date(instant: $0) }) ?? Date(timeIntervalSince1970: 0) else {
      throw damaged("date")
    }
    var message = Substring(details.message)
    while message.utf8.last == UInt8(ascii: "\n") { message = message.dropLast() }
    commit = GitCommit(
      sha: answer.sha.lowercased(),
      authorName: name.isEmpty ? nil : name,
      authorEmail: details.author?.email ?? "",
      date: date,
      message: String(message)
    )
    url = answer.page ?? ""
  }
}
