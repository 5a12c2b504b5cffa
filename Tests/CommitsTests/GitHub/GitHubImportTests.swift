// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting
import Testing

@Suite struct `Imports from GitHub` {
  let server: LoopbackServer
  let served = ServedRepository()
  let repository: TestRepository
  let program: Program

  init() throws {
    repository = try TestRepository()
    program = Program.commits(in: repository)
    server = try served.start()
  }

  func importing(_ arguments: String...) async throws -> Program.Result {
    try await program.run(self.arguments + arguments)
  }

  var arguments: [String] {
    [
      "import", "--github", "demo/history", "--base-url", server.url.absoluteString, "--json",
      "--store-path", "store",
    ]
  }

  func counts(_ arguments: String...) async throws -> [Int] {
    let result = try await program.run(self.arguments + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded(as: PrintedSummary.self).counts
  }

  func listed() async throws -> [ListedCommit] {
    try await program.run("list", "--json", "--store-path", "store").decoded()
  }

  /// The pages that were asked for so far.
  func pages() -> [String] {
    server.requests.map { $0[query: "page"] ?? "1" }
  }

  @Test func `GitHub's own answer is read in full`() async throws {
    let url = try #require(
      Bundle.module.url(forResource: "Fixtures/github-page", withExtension: "json")
    )
    let page = try Data(contentsOf: url)
    served.change { $0.answers[1] = LoopbackAnswer(body: page) }
    #expect(try await counts() == [50, 50, 0])

    let objects = try #require(try JSONSerialization.jsonObject(with: page) as? [[String: Any]])
    let listed = try await listed()
    #expect(listed.count == 50)
    for object in objects {
      let details = try #require(object["commit"] as? [String: Any])
      let commit = try #require(listed.first { $0.sha == object["sha"] as? String })
      #expect(commit.message == details["message"] as? String)
      #expect(commit.url == object["html_url"] as? String)
      #expect(commit.author == (details["author"] as? [String: Any])?["name"] as? String)
      #expect(commit.date == (details["committer"] as? [String: Any])?["date"] as? String)
    }
  }

  @Test func `all pages are read, a hundred commits at a time, with the program's name`()
    async throws
  {
    served.change { $0.commits = ServedCommit.all(1...250) }
    #expect(try await counts() == [250, 250, 0])
    #expect(pages() == ["1", "2", "3"])
    for request in server.requests {
      #expect(request[query: "per_page"] == "100")
      #expect(request.headers["user-agent"]?.isEmpty == false)
      #expect(request.headers["accept"] == "application/vnd.github+json")
    }
    #expect(try await listed().map(\.sha) == (1...250).reversed().map(ServedCommit.sha))
  }

  @Test func `a second import asks whether the first page has changed, and reads nothing`()
    async throws
  {
    served.change { $0.commits = ServedCommit.all(1...150) }
    _ = try await counts()
    let result = try await importing()
    #expect(result.status == 0)
    #expect(result.errors == "Nothing has changed since the last import.\n")
    #expect(try result.decoded(as: PrintedSummary.self).counts == [0, 0, 0])
    #expect(pages() == ["1", "2", "1"])
    #expect(server.requests.last?.headers["if-none-match"]?.hasPrefix("W/") == true)
  }

  @Test func `pages are read until one holds only known commits`() async throws {
    served.change { $0.commits = ServedCommit.all(1...400) }
    _ = try await counts()
    served.change { $0.commits = ServedCommit.all(1...403) }
    #expect(try await counts() == [200, 3, 0])
    #expect(pages() == ["1", "2", "3", "4", "1", "2"])
    #expect(try await listed().count == 403)
  }

  @Test func `a commit that was merged later with an older date is found`() async throws {
    served.change { $0.commits = ServedCommit.all(1...120) }
    _ = try await counts()
    var late = ServedCommit(number: 777)
    late.committer = #"{"name": "x", "email": "", "date": "2001-01-01T00:00:00Z"}"#
    served.change { [late] in
      $0.commits.insert(late.json, at: 40)
      $0.commits.insert(ServedCommit(number: 121).json, at: 0)
    }
    #expect(try await counts() == [122, 2, 0])
    #expect(try await listed().last?.sha == late.sha)
  }

  @Test func `a deleted commit stays deleted`() async throws {
    served.change { $0.commits = ServedCommit.all(1...3) }
    _ = try await counts()
    let deleted = try await program.run(
      "delete",
      ServedCommit.sha(2),
      "--store-path",
      "store"
    )
    #expect(deleted.status == 0)
    served.change { $0.commits = ServedCommit.all(1...4) }
    let result = try await importing()
    #expect(result.errors == "1 deleted commit left out\n")
    #expect(try await listed().map(\.sha) == [4, 3, 1].map(ServedCommit.sha))
  }

  @Test func `persons may be null and texts may be empty`() async throws {
    var nobody = ServedCommit(number: 2, message: "")
    nobody.author = "null"
    nobody.committer = "null"
    var nameless = ServedCommit(number: 1, message: "two\\nlines\\n\\n")
    nameless.author = #"{"name": "", "email": "", "date": null}"#
    served.change { [nobody, nameless] in $0.commits = [nobody.json, nameless.json] }
    #expect(try await counts() == [2, 2, 0])
    let listed = try await listed()
    #expect(listed.map(\.author) == [nil, nil])
    #expect(listed.map(\.message) == ["two\nlines", ""])
    #expect(listed.last?.date == "1970-01-01T00:00:00Z")
  }

  @Test func `an import since a date does not stand in for a whole one`() async throws {
    served.change { $0.commits = ServedCommit.all(1...120) }
    #expect(try await counts("--since", "2014-05-01") == [120, 120, 0])
    #expect(server.requests.allSatisfy { $0[query: "since"] == "2014-05-01T00:00:00Z" })
    // Older commits, which the server did not show before, are behind pages of known ones.
    served.change { $0.commits += ServedCommit.all(500...530) }
    #expect(try await counts() == [151, 31, 0])
    #expect(try await counts("--since", "2015-01-01")[1] == 0)
    #expect(pages() == ["1", "2", "1", "2", "1"])
  }

  @Test func `a repository without commits is imported`() async throws {
    served.change {
      $0.answers[1] = LoopbackAnswer(409, text: #"{"message": "Git Repository is empty."}"#)
    }
    #expect(try await counts() == [0, 0, 0])
  }

  @Test func `a checkout and GitHub give the same commits`() async throws {
    try repository.add((1...5).map { TestCommit("commit \($0)") })
    let log = try LoggedCommit.all(in: repository)
    let local = try await program.run("import", "repository", "--store-path", "store")
    #expect(local.status == 0)
    served.change {
      $0.commits = log.map { commit in
        """
        {"sha": "\(commit.sha)", "html_url": "https://git.example.org/c/\(commit.sha)", "commit":
         {"message": "\(commit.message)", "author": {"name": "\(commit.author ?? "")",
          "email": "\(commit.email)"}, "committer": {"date": "\(commit.utcDate)"}}}
        """
      }
    }
    #expect(try await counts() == [5, 0, 5])
    #expect(try await listed().map(\.url).allSatisfy { $0.hasPrefix("https://git.example.org/c/") })
  }
}
