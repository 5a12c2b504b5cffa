// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Foundation

/// A commit as `commits list --json` prints it.
struct ListedCommit: Decodable, Hashable {
  var sha: String
  var message: String
  var url: String
  var date: String
  var author: String?

  enum CodingKeys: CodingKey { case sha, message, url, date, author }

  init(_ commit: LoggedCommit) {
    sha = commit.sha
    message = commit.message
    url = "https://git.example.org/demo/history/commit/\(commit.sha)"
    date = commit.utcDate
    author = commit.author
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    sha = try members.decode(String.self, forKey: .sha)
    message = try members.decode(String.self, forKey: .message)
    url = try members.decode(String.self, forKey: .url)
    date = try members.decode(String.self, forKey: .date)
    // The member is there even when it is null.
    author = try members.decodeNil(forKey: .author) ? nil : members.decode(forKey: .author)
  }
}

extension KeyedDecodingContainer {
  fileprivate func decode<Value: Decodable>(forKey key: Key) throws -> Value {
    try decode(Value.self, forKey: key)
  }
}

/// What `commits import --json` prints.
struct PrintedSummary: Decodable, Hashable {
  var commits: Int
  var authors: Int
  var inserted: Int
  var updated: Int
  var seconds: Double

  /// The commits read, inserted and updated.
  var counts: [Int] { [commits, inserted, updated] }
}

/// A commit as plain git tells it: the truth that the program is held against.
struct LoggedCommit: Hashable {
  var sha: String
  var author: String?
  var email: String
  /// Seconds since 1970.
  var seconds: Int
  var utcDate: String
  var message: String

  /// The history of a repository in git's order, newest first.
  static func all(in repository: TestRepository) throws -> [LoggedCommit] {
    let log = try repository.run([
      "log", "-z", "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
      "--format=%H%n%an%n%ae%n%ct%n%cd%n%B",
    ])
    return log.split(separator: "\0").map { entry in
      let lines = entry.split(
        separator: "\n",
        maxSplits: 5,
        omittingEmptySubsequences: false
      ).map(String.init)
      var message = Substring(lines[5])
      while message.utf8.last == UInt8(ascii: "\n") { message = message.dropLast() }
      return LoggedCommit(
        sha: lines[0],
        author: lines[1].isEmpty ? nil : lines[1],
        email: lines[2],
        seconds: Int(lines[3]) ?? 0,
        utcDate: lines[4],
        message: String(message)
      )
    }
  }
}
